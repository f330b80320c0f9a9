/**
 * Names the method of a model that runs one whole call. Models that wrap others override it; it is no part of what a
 * provider or a user calls, hence a symbol, and a registered one, so that models of two installed copies can wrap each other.
 */
export const perform: unique symbol = Symbol.for("agentscope.model.perform")
