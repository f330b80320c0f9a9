const most = 1000

/** The tools that their sources no longer have, to say so to a model that still calls them: the last thousand. */
export class RemovedTools {
  readonly #sources = new Map<string, string>()

  add(names: readonly string[], source: string): void {
    for (const name of names) {
      this.#sources.delete(name)
      this.#sources.set(name, source)
    }
    for (const name of this.#sources.keys()) {
      if (this.#sources.size <= most) break
      this.#sources.delete(name)
    }
  }

  sourceOf(name: string): string | undefined {
    return this.#sources.get(name)
  }
}
