import { type JsonObject, type Msg, userMsg } from "@agentscope-ts/message"
import type { Tool } from "@agentscope-ts/tool"
import { type RecordInput, type RetrieveInput, memoryTools } from "./memory-tools.ts"

/** Something that a long-term memory holds. `score` is above 0, higher is nearer; `createdAt` is ISO 8601 in UTC. */
export interface MemoryEntry {
  readonly id: string
  readonly content: string
  readonly score?: number
  readonly createdAt: string
  readonly metadata?: JsonObject
}

/** What a search is made with: a text, a message, or several of which the texts count. */
export type MemoryQuery = string | Msg | readonly Msg[]

/**
 * What outlives a conversation. A program records and retrieves with {@link LongTermMemory.record} and
 * {@link LongTermMemory.retrieve}; an agent does with the two tools of {@link LongTermMemory.tools}.
 */
export abstract class LongTermMemory {
  #tools: readonly Tool[] | undefined

  /** Keeps what is worth keeping of these messages. Resolves once it is kept. */
  abstract record(messages: readonly Msg[], options?: { signal?: AbortSignal | undefined }): Promise<void>

  /** What belongs to the query, nearest first, `limit` (5) entries at most. */
  abstract retrieve(
    query: MemoryQuery,
    options?: { limit?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<readonly MemoryEntry[]>

  /** What the tool `record_to_memory` does: by default each text is recorded as a message. Answers what to tell the model. */
  async recordToMemory(input: RecordInput, options?: { signal?: AbortSignal | undefined }): Promise<string> {
    await this.record(
      input.content.map((text) => userMsg(text)),
      options,
    )
    return "Recorded."
  }

  /**
   * What the tool `retrieve_from_memory` does: by default a search for each keyword, `limit` (5) entries each. Answers the
   * texts, one a line, each once.
   */
  async retrieveFromMemory(input: RetrieveInput, options?: { signal?: AbortSignal | undefined }): Promise<string> {
    const found = await Promise.all(
      input.keywords.map((keyword) => this.retrieve(keyword, { limit: input.limit ?? 5, signal: options?.signal })),
    )
    const contents = new Map(found.flat().map(({ id, content }) => [id, content]))
    if (contents.size === 0) return `Nothing is remembered of: ${input.keywords.join(", ")}`
    return [...contents.values()].join("\n")
  }

  /** `record_to_memory` and `retrieve_from_memory`, for an agent or a toolkit: the same two each time. */
  tools(): readonly Tool[] {
    this.#tools ??= memoryTools(this)
    return this.#tools
  }
}
