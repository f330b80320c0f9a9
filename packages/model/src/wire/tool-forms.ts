import type { JsonSchema } from "@agentscope-ts/message"
import type { ToolSchema } from "../chat-request.ts"
import { type ObjectSchema, objectSchema } from "../schema/object-schema.ts"
import type { CallSink } from "../stream/call-sink.ts"
import { originalNamesSink } from "./original-names-sink.ts"

/** The parameters of tools as a provider takes them that wants `objectSchema`, each made once, and the way back. */
export class ToolForms {
  readonly #propertyName: RegExp
  readonly #known = new WeakMap<JsonSchema, ObjectSchema>()

  /** `propertyName`: the names that the provider takes; others are mapped. */
  constructor(propertyName: RegExp) {
    this.#propertyName = propertyName
  }

  schema(parameters: JsonSchema): JsonSchema {
    return this.#form(parameters).schema
  }

  /** The sink for an answer that may call these tools: arguments reach `sink` under their original names. */
  sink(sink: CallSink, tools: readonly ToolSchema[] = []): CallSink {
    const mapped = tools.filter(({ parameters }) => this.#form(parameters).names)
    if (mapped.length === 0) return sink
    const names = new Map(mapped.map(({ name, parameters }) => [name, this.#form(parameters).names]))
    return originalNamesSink(sink, (tool) => names.get(tool))
  }

  #form(parameters: JsonSchema): ObjectSchema {
    let form = this.#known.get(parameters)
    if (form === undefined) {
      form = objectSchema(parameters, this.#propertyName)
      this.#known.set(parameters, form)
    }
    return form
  }
}
