import { ambient } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { toolError } from "../error.ts"
import { basic } from "./tool-group.ts"
import { checkSource, sourceFailed, type ToolSource, toolsFrom } from "./tool-source.ts"
import type { SourceOptions } from "./toolkit-options.ts"

/** A source, on the terms that it was registered on. */
export interface Registration {
  readonly source: ToolSource
  readonly options: SourceOptions
  /** The source's own names of the tools that were taken when it was last listed; `undefined` before. */
  taken: ReadonlySet<string> | undefined
  /** `changed`: the source said so, and is to be listed again. */
  stage: "new" | "listed" | "changed" | "failed"
  listing: Promise<void> | undefined
  forget: (() => void) | undefined
}

/** Where the tools of a source go. */
interface Registry {
  /** Takes what a source listed; throws what is wrong with it. */
  take(registration: Registration, tools: readonly AnyTool[]): void
  /** A source has changed. */
  onChange(): void
  /** How long a source may take to connect and to list, in milliseconds. */
  readonly timeoutMs: number
}

/** The sources of a toolkit: lists them, and lists those again that change. */
export class Sources {
  readonly #registry: Registry
  #all: Registration[] = []
  #changed = 0

  constructor(registry: Registry) {
    this.#registry = registry
  }

  get size(): number {
    return this.#all.length
  }

  /** Whether one said that its tools changed, and was not listed since. */
  get hasChanged(): boolean {
    return this.#changed > 0
  }

  /** Adds a source that is to be listed. */
  add(source: ToolSource, options: SourceOptions): Registration {
    checkSource(source)
    const registration: Registration = {
      source,
      options,
      taken: undefined,
      stage: "new",
      listing: undefined,
      forget: undefined,
    }
    this.#all.push(registration)
    return registration
  }

  /** Drops those that the test finds, also while they are listed, and hears no more of their changes. */
  delete(test: (source: ToolSource, group: string) => boolean): void {
    for (const registration of this.#all) {
      const { source, options } = registration
      if (test(source, options.group ?? basic)) this.drop(registration)
    }
  }

  drop(registration: Registration): void {
    this.#all = this.#all.filter((other) => other !== registration)
    registration.forget?.()
    this.#stage(registration, "listed")
  }

  /**
   * Lists all at the same time that have to be, or only those that changed. Rejects with the first failure, after the others
   * are done; what failed is as before.
   */
  async list(which: "all" | "changed"): Promise<void> {
    const due = this.#all.filter(({ stage }) => stage === "changed" || (which === "all" && stage !== "listed"))
    const outcomes = await Promise.allSettled(due.map((registration) => this.listOne(registration)))
    const failure = outcomes.find((outcome) => outcome.status === "rejected")
    if (failure) throw failure.reason
  }

  listOne(registration: Registration): Promise<void> {
    registration.listing ??= this.#list(registration).finally(() => {
      registration.listing = undefined
    })
    return registration.listing
  }

  async #list(registration: Registration): Promise<void> {
    const { source } = registration
    // before the list is asked for: what changes while it is on its way is heard of
    try {
      registration.forget ??= source.onToolsChanged?.(() => {
        if (!this.#all.includes(registration) || registration.stage === "changed") return
        this.#stage(registration, "changed")
        this.#registry.onChange()
      })
    } catch (cause) {
      throw sourceFailed(source, cause)
    }
    this.#stage(registration, "listed")
    try {
      const tools = await this.#inTime(source)
      if (this.#all.includes(registration)) this.#registry.take(registration, tools)
    } catch (error) {
      this.#stage(registration, "failed")
      throw error
    }
  }

  async #inTime(source: ToolSource): Promise<readonly AnyTool[]> {
    const { timeoutMs } = this.#registry
    if (!(timeoutMs < 2 ** 31)) return toolsFrom(source)
    const done = new AbortController()
    const late = ambient()
      .sleep(timeoutMs, done.signal)
      .then(() => {
        const message = `The tools of "${source.name}" could not be listed within ${timeoutMs} ms.`
        throw toolError("source_failed", message, { details: { source: source.name } })
      })
    try {
      return await Promise.race([toolsFrom(source), late])
    } finally {
      late.catch(() => {})
      done.abort()
    }
  }

  #stage(registration: Registration, stage: Registration["stage"]): void {
    if (registration.stage === "changed") this.#changed--
    if (stage === "changed") this.#changed++
    registration.stage = stage
  }
}
