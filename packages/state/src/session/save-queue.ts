/** One write at a time; those that are asked for meanwhile become one, which begins when the present one is over. */
export class SaveQueue {
  #current: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** Each write that is asked for says the same: what there is to be written when it begins. */
  add(write: () => Promise<void>): Promise<void> {
    if (this.#current === undefined) return this.#begin(write)
    this.#next ??= this.#current.then(noop, noop).then(() => {
      this.#next = undefined
      return this.#begin(write)
    })
    return this.#next
  }

  #begin(write: () => Promise<void>): Promise<void> {
    const current = write()
    this.#current = current
    const over = (): void => {
      if (this.#current === current) this.#current = undefined
    }
    current.then(over, over)
    return current
  }
}

const noop = (): void => {}
