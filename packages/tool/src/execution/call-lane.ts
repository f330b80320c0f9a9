/**
 * Orders the calls of one conversation: those that may run beside others start at once, one that may not waits for all
 * before it and holds up all after it. Calls start in the order in which they were given.
 */
export class CallLane {
  readonly #running = new Set<Promise<unknown>>()
  /** The last call that must run alone, as long as it is not done. */
  #alone: Promise<unknown> | undefined

  /** Starts a call when its turn comes: synchronously, if that is now. `isSafe`: it may run beside others. */
  run<T>(isSafe: boolean, start: () => Promise<T>): Promise<T> {
    const before = isSafe ? this.#alone : this.#running.size > 0 ? Promise.allSettled(this.#running) : undefined
    const call = before ? before.then(start, start) : start()
    this.#running.add(call)
    if (!isSafe) this.#alone = call
    const onDone = (): void => {
      this.#running.delete(call)
      if (this.#alone === call) this.#alone = undefined
    }
    call.then(onDone, onDone)
    return call
  }
}
