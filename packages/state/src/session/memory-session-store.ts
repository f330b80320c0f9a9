import { SnapshotStore } from "./snapshot-store.ts"

/** Sessions in this process, for tests and for programs that need no more. Kept as text: nothing is shared with the modules. */
export class MemorySessionStore extends SnapshotStore {
  readonly #texts = new Map<string, string>()

  protected override read(id: string): string | undefined {
    return this.#texts.get(id)
  }

  protected override write(id: string, text: string): void {
    this.#texts.set(id, text)
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
}
