import type { SessionLog } from "./session-log.ts"
import { SnapshotStore } from "./snapshot-store.ts"

/** Sessions in this process, for tests and for programs that need no more. Kept as text: nothing is shared with the modules. */
export class MemorySessionStore extends SnapshotStore {
  readonly #texts = new Map<string, { readonly text: string; readonly revision: string }>()
  #writes = 0

  protected override read(id: string): string | undefined {
    return this.#texts.get(id)?.text
  }

  protected override write(id: string, text: string): void {
    this.#put(id, text)
  }

  protected override erase(id: string): boolean {
    return this.#texts.delete(id)
  }

  protected override ids(): Iterable<string> {
    return this.#texts.keys()
  }

  protected override whereIs(): string {
    return "in memory"
  }

  protected override get log(): SessionLog {
    const isAt = (id: string, revision: string | undefined) => this.#texts.get(id)?.revision === revision
    return {
      read: (id) => this.#texts.get(id),
      replace: (id, text, revision) => (isAt(id, revision) ? this.#put(id, text) : undefined),
      append: (id, line, revision) =>
        isAt(id, revision) ? this.#put(id, `${this.#texts.get(id)?.text}\n${line}`) : undefined,
    }
  }

  #put(id: string, text: string): string {
    const revision = String(++this.#writes)
    this.#texts.set(id, { text, revision })
    return revision
  }
}
