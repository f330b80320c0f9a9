import { ambient, untilAbort } from "@agentscope-ts/message"

/** The time of one request: it runs out without an answer or progress for `idleMs`, and after `totalMs` whatever comes. */
export class Deadline {
  readonly #idleMs: number
  readonly #totalMs: number
  readonly #stop = new AbortController()
  readonly #held: () => Promise<void> | undefined
  #began = ambient().now()
  #heard = this.#began

  /** `held`: something that a person takes time for, after which the time begins anew; it never rejects. */
  constructor(
    idleMs: number,
    totalMs: number,
    onLate: (ms: number) => void,
    held: () => Promise<void> | undefined = () => undefined,
  ) {
    this.#held = held
    this.#idleMs = idleMs
    this.#totalMs = totalMs
    void this.#watch(onLate)
  }

  /** Something was heard of the request. */
  extend(): void {
    this.#heard = ambient().now()
  }

  stop(): void {
    this.#stop.abort()
  }

  async #watch(onLate: (ms: number) => void): Promise<void> {
    for (;;) {
      const now = ambient().now()
      const left = Math.min(this.#heard + this.#idleMs, this.#began + this.#totalMs) - now
      if (left <= 0) {
        const held = this.#held()
        if (held === undefined) return onLate(now - this.#began)
        await untilAbort(held, this.#stop.signal).catch(() => {})
        if (this.#stop.signal.aborted) return
        this.#began = this.#heard = ambient().now()
        continue
      }
      // no longer than a timer can: it would fire at once
      await ambient()
        .sleep(Math.min(left, 2 ** 31 - 1), this.#stop.signal)
        .catch(() => {})
      if (this.#stop.signal.aborted) return
    }
  }
}
