/** Who wants to hear of changes. Changes that come together are told once; what one listener throws keeps no other from it. */
export class ChangeListeners {
  readonly #listeners = new Set<{ readonly listener: () => void }>()
  #isCalling = false

  get size(): number {
    return this.#listeners.size
  }

  /** Returns what forgets the listener. */
  add(listener: () => void): () => void {
    const entry = { listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  call(): void {
    if (this.#isCalling) return
    this.#isCalling = true
    queueMicrotask(() => {
      this.#isCalling = false
      for (const { listener } of this.#listeners) {
        try {
          listener()
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    })
  }
}
