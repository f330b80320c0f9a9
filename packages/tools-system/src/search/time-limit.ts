import { createContext, Script } from "node:vm"
import { errnoOf, systemError } from "../error.ts"

const script = new Script("work()")

/**
 * Runs pieces of synchronous work that together may block for `ms` milliseconds; then the piece is stopped, also in the
 * middle of a regular expression that backtracks without end, and `search_timeout` is thrown. A piece is charged for what
 * it takes beyond its `freeMs`, so that much ordinary work does not add up to a timeout.
 */
export class TimeLimit {
  readonly #context = createContext({})
  readonly #message: string
  #left: number

  constructor(ms: number, message: string) {
    this.#left = ms
    this.#message = message
  }

  run<T>(work: () => T, freeMs = 0): T {
    const start = performance.now()
    this.#context["work"] = work
    try {
      // at least one millisecond: zero is refused
      return script.runInContext(this.#context, { timeout: Math.max(1, Math.ceil(this.#left + freeMs)) }) as T
    } catch (error) {
      if (errnoOf(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw systemError("search_timeout", this.#message)
      throw error
    } finally {
      this.#context["work"] = undefined
      this.#left -= Math.max(0, performance.now() - start - freeMs)
    }
  }
}
