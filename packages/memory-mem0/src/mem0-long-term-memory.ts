import { cutTextStart, type JsonObject, type Msg, textOf, untilAbort } from "@agentscope-ts/message"
import { LongTermMemory, type MemoryEntry, type MemoryQuery, type RecordInput } from "@agentscope-ts/memory"
import { CallScope } from "./call-scope.ts"
import { openHosted } from "./hosted-store.ts"
import { openLibrary } from "./library-store.ts"
import { failureOf, mem0Error } from "./mem0-error.ts"
import { checkOptions, type Mem0Options } from "./mem0-options.ts"
import { idsOf, type Mem0Ids } from "./mem0-scope.ts"
import type { Mem0Item, Mem0Message, Mem0Store } from "./mem0-store.ts"
import { recordedMessages, windowsOf } from "./recorded-messages.ts"

interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

const queryLength = 4000

/**
 * A long-term memory on mem0 (the optional peer `mem0ai`, loaded with the first call): with `model`, `embeddings` and a `path`,
 * with mem0's own `config` (of which those three take the place of parts), or with the `apiKey` of the hosted service. It sees
 * what was recorded under its own scope: without a `userId` what was recorded without one.
 *
 * Errors: those of {@link Mem0ErrorCode}, and what the models throw.
 */
export class Mem0LongTermMemory extends LongTermMemory {
  readonly #options: Mem0Options
  readonly #ids: Mem0Ids
  readonly #calls = new CallScope()
  readonly #running = new Set<Promise<unknown>>()
  #store: Promise<Mem0Store> | undefined
  #closed = false

  /** @throws AgentScopeError `invalid_argument` for options that cannot be, or are not enough. */
  constructor(options: Mem0Options) {
    super()
    checkOptions(options)
    this.#ids = idsOf(options.scope)
    this.#options = { ...options, path: absolutePath(options.path) }
  }

  /**
   * Keeps the facts that mem0 takes out of what the user and agents said: of 24,000 characters at a time, in order. The hosted
   * service takes them out after this has resolved.
   */
  record(messages: readonly Msg[], { signal }: CallOptions = {}): Promise<void> {
    return this.#run("Nothing more was recorded", signal, async (store) => {
      for (const window of windowsOf(recordedMessages(messages))) {
        signal?.throwIfAborted()
        await store.add(window, true)
      }
    })
  }

  /**
   * Keeps facts that an agent wrote. Where mem0 takes nothing out of them as the user's words it is asked to as the
   * assistant's, and where it takes nothing out of those either, they are kept as they are.
   */
  override recordToMemory({ content }: RecordInput, { signal }: CallOptions = {}): Promise<string> {
    const texts = content.filter((text) => text.trim() !== "")
    return this.#run("Nothing more was recorded", signal, async (store) => {
      if (texts.length === 0) return "There was nothing to record."
      for (const role of ["user", "assistant"] as const) {
        const kept = await store.add([{ role, content: texts.join("\n") }], true)
        if (kept === undefined) return "Taken: it will be remembered soon."
        if (kept.length > 0) return `Recorded: ${kept.map(({ memory }) => String(memory)).join("\n")}`
        signal?.throwIfAborted()
      }
      const news: Mem0Message[] = []
      for (const text of texts) {
        // nothing may have been taken out because it is known
        const known = await store.search(text, 5)
        if (!known.some(({ memory }) => memory === text)) news.push({ role: "assistant", content: text })
      }
      if (news.length > 0) await store.add(news, false)
      return `Recorded: ${texts.join("\n")}`
    })
  }

  /** @param options.limit 1 to 1,000. */
  retrieve(
    query: MemoryQuery,
    { limit = 5, signal }: CallOptions & { limit?: number | undefined } = {},
  ): Promise<readonly MemoryEntry[]> {
    return this.#run("Nothing was retrieved", signal, async (store) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
        throw mem0Error("invalid_argument", `retrieve has the limit ${limit}: give a whole number from 1 to 1000.`)
      }
      const text = queryText(query)
      if (text === "") return []
      const items = await store.search(text, limit)
      return items
        .filter((item) => this.#isOurs(item))
        .flatMap(entryOf)
        .slice(0, limit)
    })
  }

  /** Closes mem0's files once what was asked for is done. Later calls reject with `memory_closed`. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#running)
    const opening = this.#store
    this.#store = undefined
    const store = await opening?.catch(() => undefined)
    store?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** A store that passes over a filter must not show one user what is another's. */
  #isOurs(item: Mem0Item): boolean {
    const owner = item.user_id ?? item.userId
    return owner === undefined || owner === null ? true : owner === this.#ids.userId
  }

  #open(): Promise<Mem0Store> {
    const options = this.#options
    this.#store ??= (
      options.apiKey === undefined ? openLibrary(options, this.#ids, this.#calls) : openHosted(options, this.#ids)
    ).catch((error: unknown) => {
      // the next call tries again
      this.#store = undefined
      throw error
    })
    return this.#store
  }

  async #run<T>(what: string, signal: AbortSignal | undefined, work: (store: Mem0Store) => Promise<T>): Promise<T> {
    const aborted = () => mem0Error("aborted", `${what}: the call was aborted.`, { cause: signal?.reason })
    if (this.#closed) throw mem0Error("memory_closed", `${what}: the memory was closed.`)
    if (signal?.aborted) throw aborted()
    const running = this.#calls.run(signal, async () => work(await this.#open()))
    const tracked = running.catch(() => {}).finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
    try {
      return await untilAbort(running, signal, aborted)
    } catch (error) {
      throw signal?.aborted ? aborted() : failureOf(error, what)
    }
  }
}

/** Of now: the process may go to another folder before the file is opened. */
function absolutePath(path: string | undefined): string | undefined {
  if (path === undefined || path === ":memory:") return path
  return process.getBuiltinModule("node:path").resolve(path)
}

function queryText(query: MemoryQuery): string {
  const messages = typeof query === "string" ? [] : [query].flat()
  if (messages.some((msg: unknown) => !Array.isArray((msg as Msg | null | undefined)?.content))) {
    const message = 'retrieve takes a text, a message or a list of messages: memory.retrieve("Which tea?").'
    throw mem0Error("invalid_argument", message)
  }
  const text = typeof query === "string" ? query : messages.map((msg) => textOf(msg as Msg)).join("\n")
  return cutTextStart(text.trim(), queryLength)
}

function entryOf({ id, memory, score, createdAt, created_at, metadata }: Mem0Item): readonly MemoryEntry[] {
  if (typeof memory !== "string" || memory === "") return []
  const time = new Date((createdAt ?? created_at) as string)
  const hasMetadata = typeof metadata === "object" && metadata !== null && Object.keys(metadata).length > 0
  return [
    {
      id: String(id),
      content: memory,
      ...(typeof score === "number" && Number.isFinite(score) && { score }),
      createdAt: (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString(),
      ...(hasMetadata && { metadata: metadata as JsonObject }),
    },
  ]
}
