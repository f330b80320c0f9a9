import { AgentScopeError, cutTextStart, didYouMean, type Msg, textOf } from "@agentscope-ts/message"
import type { ChatModel, EmbeddingModel } from "@agentscope-ts/model"
import { type Database, isDamaged, openDatabase, whenFree } from "@agentscope-ts/state/sqlite"
import { memoryError } from "../error.ts"
import { extractFacts } from "./extract-facts.ts"
import { fuseRanks } from "./fuse-ranks.ts"
import { LongTermMemory, type MemoryEntry, type MemoryQuery } from "./long-term-memory.ts"
import { absolutePath, memories } from "./memory-database.ts"
import { checkScope, type MemoryScope, type Scope } from "./memory-scope.ts"
import { MemoryTable } from "./memory-table.ts"
import type { RecordInput } from "./memory-tools.ts"
import { type RecordedText, recordedTexts, storable } from "./recorded-texts.ts"
import { unitVector } from "./vector.ts"

/** Options of {@link SqliteLongTermMemory}. */
export interface SqliteLongTermMemoryOptions {
  /** The file of the database, which any number of memories and processes may share, or `":memory:"`. */
  path: string
  /** Whose memory it is. Default: nobody's in particular. */
  scope?: MemoryScope | undefined
  /** Finds by meaning, beside the words. Default: words alone. */
  embeddings?: EmbeddingModel | undefined
  /** Takes facts out of what is recorded. Default: what was said is kept as it is. */
  model?: ChatModel | undefined
  /** How many entries a user may have; then the oldest are forgotten. Default 10,000. */
  maxEntries?: number | undefined
}

interface Call {
  readonly signal?: AbortSignal | undefined
}

const optionNames = ["path", "scope", "embeddings", "model", "maxEntries"]
const queryLength = 4000
const windowLength = 24_000
const knownFacts = 20
const embeddedAtOnce = 256

/**
 * A long-term memory in an SQLite database, with `node:sqlite`: full text in any language and, with `embeddings`, vectors;
 * both orders are joined by rank. The file is opened with the first call; `await using`, or `close()`, closes it.
 *
 * Errors: those of {@link MemoryErrorCode}, and what the models throw.
 */
export class SqliteLongTermMemory extends LongTermMemory {
  readonly #path: string
  readonly #scope: Scope
  readonly #embeddings: EmbeddingModel | undefined
  readonly #model: ChatModel | undefined
  readonly #maxEntries: number
  readonly #running = new Set<Promise<unknown>>()
  #table: Promise<{ table: MemoryTable; database: Database }> | undefined
  #closed = false

  /** @throws AgentScopeError `invalid_argument` for options that cannot be. */
  constructor(options: SqliteLongTermMemoryOptions) {
    super()
    checkOptions(options)
    this.#path = absolutePath(options.path)
    this.#scope = checkScope(options.scope)
    this.#embeddings = options.embeddings
    this.#model = options.model
    this.#maxEntries = options.maxEntries ?? 10_000
  }

  /**
   * Keeps what the user and agents said, or with a `model` the facts in it, all or nothing; on the disk when it resolves. A
   * text that this scope has already is not kept twice.
   */
  record(messages: readonly Msg[], { signal }: Call = {}): Promise<void> {
    return this.#run("Nothing was recorded", signal, async (table) => {
      const texts = recordedTexts(messages)
      await this.#keep(table, this.#model ? await this.#facts(this.#model, table, texts, signal) : texts, signal)
    })
  }

  /** Keeps the texts as they are: an agent that writes them has taken the facts out already. */
  override recordToMemory({ content }: RecordInput, { signal }: Call = {}): Promise<string> {
    return this.#run("Nothing was recorded", signal, async (table) => {
      const texts = storable(content).map((text) => ({ content: text, metadata: { role: "assistant" } }))
      await this.#keep(table, texts, signal)
      return `Recorded: ${texts.length}.`
    })
  }

  /** @param options.limit 1 to 1,000. */
  retrieve(
    query: MemoryQuery,
    { limit = 5, signal }: Call & { limit?: number | undefined } = {},
  ): Promise<readonly MemoryEntry[]> {
    return this.#run("Nothing was retrieved", signal, (table) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
        throw memoryError("invalid_argument", `retrieve has the limit ${limit}: give a whole number from 1 to 1000.`)
      }
      return this.#search(table, queryText(query), limit, signal)
    })
  }

  /** Forgets entries by their ids, of this scope alone; answers how many there were. */
  delete(ids: string | readonly string[]): Promise<number> {
    return this.#run("Nothing was forgotten", undefined, (table) =>
      whenFree(() => table.delete(typeof ids === "string" ? [ids] : ids)),
    )
  }

  /** Forgets all that this scope sees; answers how many entries there were. */
  clear(): Promise<number> {
    return this.#run("Nothing was forgotten", undefined, (table) => whenFree(() => table.delete()))
  }

  /** Closes the database once what was asked for is done. Later calls reject with `memory_closed`. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#running)
    const opening = this.#table
    this.#table = undefined
    const opened = await opening
    opened?.database.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #facts(
    model: ChatModel,
    table: MemoryTable,
    texts: readonly RecordedText[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RecordedText[]> {
    const facts: RecordedText[] = []
    for (const conversation of windows(texts)) {
      const known = await this.#search(table, cutTextStart(conversation, queryLength), knownFacts, signal)
      const told = [...known, ...facts].map(({ content }) => content)
      const found = storable(await extractFacts(model, conversation, told, signal))
      facts.push(...found.map((content) => ({ content, metadata: { source: "extracted" } })))
    }
    return facts
  }

  async #keep(table: MemoryTable, texts: readonly RecordedText[], signal: AbortSignal | undefined): Promise<void> {
    if (texts.length === 0) return
    const embeddings = this.#embeddings
    if (embeddings === undefined) return whenFree(() => table.insert(texts, this.#maxEntries), signal)
    // what is there already costs no call; another process may still come first, which insert sees
    const fresh = await whenFree(() => table.unknown(texts), signal)
    const vectors = await vectorsOf(embeddings, fresh, signal)
    const embedder = nameOf(embeddings)
    const embedded = new Map(fresh.map(({ content }, i) => [content, { vector: vectors[i], embedder }]))
    const items = texts.map((text) => ({ ...text, ...embedded.get(text.content) }))
    signal?.throwIfAborted()
    await whenFree(() => table.insert(items, this.#maxEntries), signal)
  }

  async #search(
    table: MemoryTable,
    text: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly MemoryEntry[]> {
    if (text.trim() === "") return []
    const orders = [await whenFree(() => table.withWords(text, limit), signal)]
    if (this.#embeddings) orders.push(await this.#nearest(this.#embeddings, table, text, { limit, signal }))
    return whenFree(() => table.entries(fuseRanks(orders).slice(0, limit)), signal)
  }

  async #nearest(
    embeddings: EmbeddingModel,
    table: MemoryTable,
    text: string,
    { limit, signal }: { limit: number; signal: AbortSignal | undefined },
  ): Promise<readonly number[]> {
    const embedder = nameOf(embeddings)
    // recorded before there was a model, or with another: some with each search, the newest first
    const late = await whenFree(() => table.unembedded(embedder, embeddedAtOnce), signal)
    const [vector, ...others] = await vectorsOf(embeddings, [{ content: text }, ...late], signal)
    if (late.length > 0) await whenFree(() => table.embed(late, others, embedder), signal)
    if (vector === undefined) return []
    const pause = async () => {
      await new Promise<void>((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    }
    return table.nearest(vector, { embedder, limit, pause })
  }

  /** Runs a call on the open table; `close` waits for it. What SQLite throws comes out as an error of this package. */
  #run<T>(what: string, signal: AbortSignal | undefined, work: (table: MemoryTable) => Promise<T>): Promise<T> {
    const running = this.#perform(what, signal, work)
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
    running.then(forget, forget)
    return running
  }

  async #perform<T>(
    what: string,
    signal: AbortSignal | undefined,
    work: (table: MemoryTable) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw memoryError("memory_closed", `The memory of ${this.#path} is closed: make another one.`)
    try {
      signal?.throwIfAborted()
      const { table } = await this.#open()
      signal?.throwIfAborted()
      return await work(table)
    } catch (cause) {
      if (signal?.aborted) {
        throw memoryError("aborted", `${what} (database ${this.#path}): the call was aborted.`, {
          cause: signal.reason,
        })
      }
      if (AgentScopeError.is(cause)) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw memoryError(
        isDamaged(cause) ? "corrupted_memory" : "memory_failed",
        `${what} (database ${this.#path}): ${reason}`,
        { cause, details: { file: this.#path } },
      )
    }
  }

  #open(): Promise<{ table: MemoryTable; database: Database }> {
    this.#table ??= openDatabase(this.#path, memories).then(
      (database) => ({ database, table: new MemoryTable(database, this.#scope) }),
      (error: unknown) => {
        // the next call may have more luck
        this.#table = undefined
        throw error
      },
    )
    return this.#table
  }
}

/** Vectors of different models do not compare. */
const nameOf = ({ provider, model, dimensions }: EmbeddingModel): string => `${provider}/${model}/${dimensions}`

async function vectorsOf(
  embeddings: EmbeddingModel,
  texts: readonly { readonly content: string }[],
  signal: AbortSignal | undefined,
): Promise<readonly (Float32Array | undefined)[]> {
  if (texts.length === 0) return []
  const { embeddings: vectors } = await embeddings.embed(
    texts.map(({ content }) => content),
    { signal },
  )
  return vectors.map(unitVector)
}

/** The conversation in parts that a model reads well at once. */
function windows(texts: readonly RecordedText[]): readonly string[] {
  const parts: string[] = []
  let part = ""
  for (const { content, metadata } of texts) {
    const line = `${metadata["name"]} (${metadata["role"]}): ${content}\n`
    if (part !== "" && part.length + line.length > windowLength) {
      parts.push(part)
      part = ""
    }
    part += line
  }
  return part === "" ? parts : [...parts, part]
}

/** Of a long query the end counts: what was said last. */
function queryText(query: MemoryQuery): string {
  const messages = typeof query === "string" ? [] : Array.isArray(query) ? query : [query]
  const text = typeof query === "string" ? query : messages.map((msg: Msg) => textOf(msg)).join("\n")
  return cutTextStart(text.toWellFormed(), queryLength)
}

function checkOptions(options: SqliteLongTermMemoryOptions): void {
  const given = (options ?? {}) as Partial<SqliteLongTermMemoryOptions>
  const bad = (message: string) => memoryError("invalid_argument", `SqliteLongTermMemory ${message}`)
  if (typeof given.path !== "string" || given.path === "") {
    throw bad('needs the file of its database: { path }, or ":memory:".')
  }
  const unknown = Object.keys(given).find((name) => !optionNames.includes(name))
  if (unknown !== undefined) {
    throw bad(`has no option "${unknown}": it has ${optionNames.join(", ")}.${didYouMean(unknown, optionNames)}`)
  }
  const { embeddings, model, maxEntries } = given
  if (embeddings !== undefined && typeof (embeddings as Partial<EmbeddingModel> | null)?.embed !== "function") {
    throw bad("takes as embeddings an EmbeddingModel, such as new OfflineEmbeddingModel().")
  }
  if (model !== undefined && typeof (model as Partial<ChatModel> | null)?.generate !== "function") {
    throw bad("takes as model a ChatModel, such as new OpenAIChatModel({ model }).")
  }
  if (maxEntries !== undefined && !(Number.isInteger(maxEntries) && maxEntries > 0)) {
    throw bad(`has maxEntries ${maxEntries}: give a whole number above 0.`)
  }
}
