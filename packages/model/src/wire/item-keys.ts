/** What an item is known by: its place, or its id. */
export type ItemKey = number | string | undefined

/**
 * Tells the items of a stream apart, which its events name by a place, by an id, or now by the one and now by the other. A
 * place that is given to a second item after the end of the first counts for nothing; an event without either is about the
 * item that began last.
 */
export class ItemKeys {
  readonly #byId = new Map<string, ItemKey>()
  readonly #begun: ItemKey[] = []
  readonly #ended = new Map<ItemKey, string>()

  /** What an event's item is known by; an empty id says nothing. */
  of(place: number | undefined, id: string): ItemKey {
    const known = this.#byId.get(id)
    if (place === undefined) return known ?? (id === "" ? this.#begun.at(-1) : id)
    // it began without a place
    const bare = id === "" ? this.#begun[place] : known
    if (typeof bare === "string") return bare
    const ended = this.#ended.get(place) ?? ""
    return ended !== "" && id !== "" && ended !== id ? id : place
  }

  begin(key: ItemKey, id: string): void {
    if (id !== "" && !this.#byId.has(id)) this.#byId.set(id, key)
    if (!this.#begun.includes(key)) this.#begun.push(key)
  }

  end(key: ItemKey, id: string): void {
    if (id !== "") this.#ended.set(key, id)
  }

  /** Whether an item of this id has ended. */
  hasEnded(id: string): boolean {
    return id !== "" && [...this.#ended.values()].includes(id)
  }
}
