import { onAbort } from "@agentscope-ts/message"

interface Waiting {
  readonly alone: boolean
  readonly start: () => void
}

/** Lets calls run at the same time, but for those that have to be alone; in the order in which they came. */
export class Turns {
  #running = 0
  #isAlone = false
  readonly #waiting: Waiting[] = []

  /** Resolves when it is the call's turn, with what ends it. Rejects when the signal aborts before. */
  async enter(alone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.length > 0 || !this.#fits(alone)) await this.#wait(alone, signal)
    else this.#begin(alone)
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#running--
      this.#isAlone = false
      this.#next()
    }
  }

  #wait(alone: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        alone,
        start: () => {
          off()
          resolve()
        },
      }
      this.#waiting.push(entry)
      const off = onAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1)
        reject(signal.reason as Error)
        // who stood behind it may be next
        this.#next()
      })
    })
  }

  #fits(alone: boolean): boolean {
    return this.#running === 0 || !(alone || this.#isAlone)
  }

  #begin(alone: boolean): void {
    this.#running++
    this.#isAlone = alone
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#fits(first.alone); first = this.#waiting[0]) {
      this.#waiting.shift()
      this.#begin(first.alone)
      first.start()
    }
  }
}
