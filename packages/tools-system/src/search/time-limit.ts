import { createContext, Script } from "node:vm"
import { errnoOf, systemError } from "../error.ts"

const script = new Script("work()")

/**
 * Runs pieces of synchronous work that together may block for `ms` milliseconds; then the piece is stopped, also in the
 * middle of a regular expression that backtracks without end, and `search_timeout` is thrown.
 */
export class TimeLimit {
  readonly #context = createContext({})
  readonly #message: string
  #left: number

  constructor(ms: number, message: string) {
    this.#left = ms
    this.#message = message
  }

  run<T>(work: () => T): T {
    const start = performance.now()
    this.#context["work"] = work
    try {
      // at least one millisecond: zero is refused
      return script.runInContext(this.#context, { timeout: Math.max(1, Math.ceil(this.#left)) }) as T
    } catch (error) {
      if (errnoOf(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw systemError("search_timeout", this.#message)
      throw error
    } finally {
      this.#context["work"] = undefined
      this.#left -= performance.now() - start
    }
  }
}
