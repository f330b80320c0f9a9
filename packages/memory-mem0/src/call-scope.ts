import type { AsyncLocalStorage } from "node:async_hooks"

/** One call of a long-term memory, as our models see it inside of mem0, which passes no signal on. */
export interface Call {
  readonly signal: AbortSignal | undefined
  /** What a model threw: mem0 goes on without the text that could not be embedded, and says so nowhere. */
  failure?: unknown
}

/** Finds the call that a model is asked in. */
export class CallScope {
  readonly #calls: AsyncLocalStorage<Call> = new (process.getBuiltinModule("node:async_hooks").AsyncLocalStorage)()

  /** Runs work in which the models hear the signal; rejects also when a model failed and mem0 kept silent. */
  async run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const call: Call = { signal }
    const value = await this.#calls.run(call, work)
    if (call.failure !== undefined) throw call.failure
    return value
  }

  /** Asks a model, with the signal of the call. */
  async ask<T>(model: (options: { signal: AbortSignal | undefined }) => Promise<T>): Promise<T> {
    const call = this.#calls.getStore()
    try {
      return await model({ signal: call?.signal })
    } catch (error) {
      if (call) call.failure ??= error
      throw error
    }
  }
}
