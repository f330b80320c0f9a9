import type { JsonObject, Msg } from "@agentscope-ts/message"
import type { TestRunner } from "../test-runner.ts"

type Answer<T> = T | Promise<T>
interface Range {
  readonly from?: number
  readonly to?: number
}

/** A `Memory` of the package `memory`, by its shape. */
export interface TestedMemory {
  add(messages: Msg | readonly Msg[]): Answer<void>
  get(options?: Range & { readonly last?: number }): Answer<readonly Msg[]>
  delete(which: string | readonly string[] | Range): Answer<number>
  clear(): Answer<void>
  size(): Answer<number>
  stateDict(): JsonObject
  loadStateDict(state: JsonObject): void
}

/** A `LongTermMemory` of the package `memory`, by its shape. */
export interface TestedLongTermMemory {
  record(messages: readonly Msg[], options?: { readonly signal?: AbortSignal }): Promise<void>
  retrieve(
    query: string | Msg | readonly Msg[],
    options?: { readonly limit?: number; readonly signal?: AbortSignal },
  ): Promise<readonly TestedEntry[]>
  recordToMemory(input: { readonly content: readonly string[] }): Promise<string>
  retrieveFromMemory(input: { readonly keywords: readonly string[]; readonly limit?: number }): Promise<string>
  tools(): readonly { readonly name: string; run(input: JsonObject): Promise<unknown> }[]
}

/** A `MemoryEntry` of the package `memory`, by its shape. */
export interface TestedEntry {
  readonly id: string
  readonly content: string
  readonly score?: number
  readonly createdAt: string
}

/** A place for long-term memories, empty at first. */
export interface LongTermPlace {
  /** Opens the memory of a user: each call another one; those of one user see the same. */
  open(scope: { readonly userId: string }): Answer<TestedLongTermMemory>
  /** Takes the place away after the check. */
  remove?(): Answer<void>
}

interface Named {
  readonly name: string
  /** Another test runner than the one that loads the file. */
  readonly runner?: TestRunner | undefined
}

/**
 * What `runMemoryConformance` tests: a `Memory`, of which `create` makes an empty one, or a `LongTermMemory`, for which
 * `createLongTerm` makes an empty place. Each check gets its own.
 */
export type MemoryConformanceSuite = Named &
  (
    | { readonly create: () => Answer<TestedMemory>; readonly createLongTerm?: undefined }
    | { readonly createLongTerm: () => Answer<LongTermPlace>; readonly create?: undefined }
  )
