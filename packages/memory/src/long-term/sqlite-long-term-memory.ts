import { AgentScopeError, cutTextStart, didYouMean, type Msg, textOf } from "@agentscope-ts/message"
import type { ChatModel, EmbeddingModel } from "@agentscope-ts/model"
import { adviceFor, type Database, DatabaseFile, isBusy, isDamaged } from "@agentscope-ts/state/sqlite"
import { memoryError } from "../error.ts"
import { extractFacts } from "./extract-facts.ts"
import { fuseRanks } from "./fuse-ranks.ts"
import { isQuestion } from "./is-question.ts"
import { LongTermMemory, type MemoryEntry, type MemoryQuery } from "./long-term-memory.ts"
import { absolutePath, memories } from "./memory-database.ts"
import { checkScope, type MemoryScope, type Scope } from "./memory-scope.ts"
import { candidates, digest, MemoryTable } from "./memory-table.ts"
import type { RecordInput } from "./memory-tools.ts"
import { isMessage, type RecordedText, recordedTexts, storable } from "./recorded-texts.ts"
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

/** Reads or writes in the table, once nobody else holds the database. */
type Ask = <T>(work: (table: MemoryTable) => T) => Promise<T>

const optionNames = ["path", "scope", "embeddings", "model", "maxEntries"]
const retrieveNames = ["limit", "signal"]
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
  readonly #database: DatabaseFile
  readonly #embeddings: EmbeddingModel | undefined
  readonly #model: ChatModel | undefined
  readonly #maxEntries: number
  readonly #running = new Set<Promise<unknown>>()
  #table: { readonly table: MemoryTable; readonly database: Database } | undefined
  #closed = false

  /** @throws AgentScopeError `invalid_argument` for options that cannot be. */
  constructor(options: SqliteLongTermMemoryOptions) {
    super()
    checkOptions(options)
    this.#path = absolutePath(options.path)
    this.#scope = checkScope(options.scope)
    this.#database = new DatabaseFile(this.#path, memories)
    this.#embeddings = options.embeddings
    this.#model = options.model
    this.#maxEntries = options.maxEntries ?? 10_000
  }

  /**
   * Keeps what the user and agents said, but for what the user only asked, or with a `model` the facts in it, all or nothing; on the disk when it resolves. A
   * text that this scope has already is not kept twice.
   */
  record(messages: readonly Msg[], { signal }: Call = {}): Promise<void> {
    return this.#run("Nothing was recorded", signal, async (ask) => {
      const model = this.#model
      // found for the next question like it, questions would take the place of what answers it
      const texts = recordedTexts(messages, { questions: model !== undefined })
      await this.#keep(ask, model ? await this.#facts(model, ask, texts, signal) : texts, signal)
    })
  }

  /** Keeps the texts as they are: an agent that writes them has taken the facts out already. */
  override recordToMemory({ content }: RecordInput, { signal }: Call = {}): Promise<string> {
    return this.#run("Nothing was recorded", signal, async (ask) => {
      const texts = storable(content).map((text) => ({ content: text, metadata: { role: "assistant" } }))
      await this.#keep(ask, texts, signal)
      return `Recorded: ${texts.length}.`
    })
  }

  /**
   * Questions, and what says the same as the query, come after all else: they answer nothing.
   * @param options.limit 1 to 1,000.
   */
  retrieve(query: MemoryQuery, options: Call & { limit?: number | undefined } = {}): Promise<readonly MemoryEntry[]> {
    const signal = (options as Call | null)?.signal
    return this.#run("Nothing was retrieved", signal, async (ask) => {
      const limit = limitIn(options)
      const text = queryText(query)
      const found = await this.#search(ask, text, Math.max(limit, candidates), signal)
      return answersFirst(found, text).slice(0, limit)
    })
  }

  /** Forgets entries by their ids, of this scope alone; answers how many there were. */
  delete(ids: string | readonly string[]): Promise<number> {
    return this.#run("Nothing was forgotten", undefined, async (ask) => {
      const list: readonly unknown[] | undefined = Array.isArray(ids)
        ? ids
        : typeof ids === "string"
          ? [ids]
          : undefined
      if (!list?.every((id) => typeof id === "string")) {
        throw memoryError(
          "invalid_argument",
          "delete takes the id of an entry, or a list of ids: memory.delete(entry.id).",
        )
      }
      return ask((table) => table.delete(list))
    })
  }

  /** Forgets all that this scope sees; answers how many entries there were. */
  clear(): Promise<number> {
    return this.#run("Nothing was forgotten", undefined, (ask) => ask((table) => table.delete()))
  }

  /** Closes the database once what was asked for is done. Later calls reject with `memory_closed`. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#running)
    await this.#database.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #facts(
    model: ChatModel,
    ask: Ask,
    texts: readonly RecordedText[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RecordedText[]> {
    const facts: RecordedText[] = []
    for (const conversation of windows(texts)) {
      const known = await this.#search(ask, cutTextStart(conversation, queryLength), knownFacts, signal)
      const told = [...known, ...facts].map(({ content }) => content)
      const found = storable(await extractFacts(model, conversation, told, signal))
      facts.push(...found.map((content) => ({ content, metadata: { source: "extracted" } })))
    }
    return facts
  }

  async #keep(ask: Ask, texts: readonly RecordedText[], signal: AbortSignal | undefined): Promise<void> {
    if (texts.length === 0) return
    const embeddings = this.#embeddings
    if (embeddings === undefined) return ask((table) => table.insert(texts, this.#maxEntries))
    // what is there already costs no call; another process may still come first, which insert sees
    const fresh = await ask((table) => table.unknown(texts))
    const vectors = await vectorsOf(embeddings, fresh, signal)
    const embedder = nameOf(embeddings)
    const embedded = new Map(fresh.map(({ content }, i) => [content, { vector: vectors[i], embedder }]))
    const items = texts.map((text) => ({ ...text, ...embedded.get(text.content) }))
    signal?.throwIfAborted()
    await ask((table) => table.insert(items, this.#maxEntries))
  }

  async #search(
    ask: Ask,
    text: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly MemoryEntry[]> {
    if (text.trim() === "") return []
    const orders = [await ask((table) => table.withWords(text, limit))]
    if (this.#embeddings) orders.push(await this.#nearest(this.#embeddings, ask, text, { limit, signal }))
    return ask((table) => table.entries(fuseRanks(orders).slice(0, limit)))
  }

  async #nearest(
    embeddings: EmbeddingModel,
    ask: Ask,
    text: string,
    { limit, signal }: { limit: number; signal: AbortSignal | undefined },
  ): Promise<readonly number[]> {
    const embedder = nameOf(embeddings)
    // recorded before there was a model, or with another: some with each search, the newest first
    const late = await ask((table) => table.unembedded(embedder, embeddedAtOnce))
    const [vector, ...others] = await vectorsOf(embeddings, [{ content: text }, ...late], signal)
    if (late.length > 0) await ask((table) => table.embed(late, others, embedder))
    if (vector === undefined) return []
    let best: { key: number; near: number }[] = []
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after
      const page = await ask((table) => table.nearest(vector, embedder, from))
      best = [...best, ...page.found].sort((a, b) => b.near - a.near || b.key - a.key)
      best.length = Math.min(best.length, Math.max(limit, candidates))
      after = page.last
      // a turn of the event loop between two
      await new Promise<void>((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    }
    return best.map(({ key }) => key)
  }

  /** Runs a call; `close` waits for it. What SQLite throws comes out as an error of this package. */
  #run<T>(what: string, signal: AbortSignal | undefined, work: (ask: Ask) => Promise<T>): Promise<T> {
    const running = this.#perform(what, signal, work)
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
    running.then(forget, forget)
    return running
  }

  async #perform<T>(what: string, signal: AbortSignal | undefined, work: (ask: Ask) => Promise<T>): Promise<T> {
    if (this.#closed) throw memoryError("memory_closed", `The memory of ${this.#path} is closed: make another one.`)
    try {
      signal?.throwIfAborted()
      return await work((read) => this.#database.run((database) => read(this.#tableIn(database)), signal))
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
        `${what} (database ${this.#path}): ${reason}${adviceFor(cause)}`,
        { cause, details: { file: this.#path }, retryable: isBusy(cause) },
      )
    }
  }

  /** Another one once the database was opened anew. */
  #tableIn(database: Database): MemoryTable {
    if (this.#table?.database !== database) this.#table = { database, table: new MemoryTable(database, this.#scope) }
    return this.#table.table
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
  const messages = typeof query === "string" ? [] : [query].flat()
  if (messages.some((msg: unknown) => !isMessage(msg))) {
    const message = 'retrieve takes a text, a message or a list of messages: memory.retrieve("Which tea?").'
    throw memoryError("invalid_argument", message)
  }
  const text = typeof query === "string" ? query : messages.map((msg) => textOf(msg as Msg)).join("\n")
  return cutTextStart(text.toWellFormed(), queryLength)
}

function limitIn(options: unknown): number {
  const given: { readonly limit?: number } | null | undefined = typeof options === "object" ? options : undefined
  const unknown = given ? Object.keys(given).find((name) => !retrieveNames.includes(name)) : String(options)
  if (unknown !== undefined) {
    const message = `retrieve takes the options { limit, signal }, and not ${unknown}.${didYouMean(unknown, retrieveNames)}`
    throw memoryError("invalid_argument", message)
  }
  const limit = given?.limit ?? 5
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit
  throw memoryError("invalid_argument", `retrieve has the limit ${String(limit)}: give a whole number from 1 to 1000.`)
}

/** The entries that may answer the query, then questions and what it says itself, with scores that fit their places. */
function answersFirst(entries: readonly MemoryEntry[], query: string): readonly MemoryEntry[] {
  const said = digest(query)
  const isEcho = ({ content }: MemoryEntry) => digest(content) === said || isQuestion(content)
  const answers = entries.filter((entry) => !isEcho(entry))
  const least = answers.at(-1)?.score ?? 1
  const echoes = entries.filter(isEcho).map((entry) => ({ ...entry, score: Math.min(least, entry.score ?? least) }))
  return [...answers, ...echoes]
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
