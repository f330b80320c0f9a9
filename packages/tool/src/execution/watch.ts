import { onAbort } from "@agentscope-ts/message"

const longestTimer = 2 ** 31 - 1

/** Waits for a time limit and for a signal, until stopped: after that neither a timer nor a listener is left. */
export class Watch {
  readonly #onTimeout: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #forget: () => void
  #stopped = false

  /** `timeoutMs` beyond 24.8 days is no limit. The signal must not have aborted yet. */
  constructor(signal: AbortSignal | undefined, timeoutMs: number, onTimeout: () => void, onInterrupt: () => void) {
    this.#onTimeout = onTimeout
    this.#startTimer(timeoutMs)
    this.#forget = onAbort(signal, onInterrupt)
  }

  /** Starts the time limit anew. */
  restart(timeoutMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#stopped) this.#startTimer(timeoutMs)
  }

  #startTimer(timeoutMs: number): void {
    if (timeoutMs <= longestTimer) this.#timer = setTimeout(this.#onTimeout, timeoutMs)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#forget()
  }
}
