import type { ToolSource } from "./tool-source.ts"

interface PendingSource {
  readonly source: ToolSource
  readonly group: string
  connecting: Promise<void> | undefined
}

/** The sources whose tools are still to be listed. */
export class PendingSources {
  #pending: PendingSource[] = []
  readonly #register: (source: ToolSource, group: string, isWanted: () => boolean) => Promise<void>

  /** `register` lists a source and registers its tools in the group, if they are still wanted by then. */
  constructor(register: (source: ToolSource, group: string, isWanted: () => boolean) => Promise<void>) {
    this.#register = register
  }

  add(source: ToolSource, group: string): void {
    this.#pending.push({ source, group, connecting: undefined })
  }

  /** Drops those that the test finds, also when they are being listed. */
  delete(test: (source: ToolSource, group: string) => boolean): void {
    this.#pending = this.#pending.filter(({ source, group }) => !test(source, group))
  }

  get size(): number {
    return this.#pending.length
  }

  /** Lists all at the same time. Rejects with the first failure, after the others are done; what failed stays pending. */
  async connect(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#pending.map((pending) => this.#connectOne(pending)))
    const failure = outcomes.find((outcome) => outcome.status === "rejected")
    if (failure) throw failure.reason
  }

  #connectOne(pending: PendingSource): Promise<void> {
    pending.connecting ??= this.#register(pending.source, pending.group, () => this.#pending.includes(pending)).then(
      () => {
        this.#pending = this.#pending.filter((other) => other !== pending)
      },
      (error: unknown) => {
        pending.connecting = undefined
        throw error
      },
    )
    return pending.connecting
  }
}
