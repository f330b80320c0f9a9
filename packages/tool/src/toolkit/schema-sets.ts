import type { ToolSchema } from "@agentscope-ts/model"

const most = 256

/** What models are told, by the active groups: one array for all conversations with the same groups on. */
export class SchemaSets {
  readonly #sets = new Map<string, readonly ToolSchema[]>()
  readonly #listeners = new Set<() => void>()

  get(key: string): readonly ToolSchema[] | undefined {
    return this.#sets.get(key)
  }

  set(key: string, schemas: readonly ToolSchema[]): void {
    if (this.#sets.size >= most) this.#sets.clear()
    this.#sets.set(key, schemas)
  }

  /** Forgets all sets, for the tools have changed, and tells who listens. */
  clear(): void {
    this.#sets.clear()
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    const entry = (): void => listener()
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }
}
