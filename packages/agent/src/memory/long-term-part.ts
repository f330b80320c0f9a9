import { ambient, createMsg, type FinishReason, type Msg, onAbort, textOf } from "@agentscope-ts/message"
import type { LongTermMemory, MemoryEntry } from "@agentscope-ts/memory"
import type { AnyTool } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import type { ReplyPart } from "../react/reply-part.ts"
import type { ReplyWork } from "../react/reply-work.ts"

/** How a long-term memory is used: retrieved and recorded around each reply, by the model with tools, or both. */
export type LongTermMemoryMode = "both" | "agent" | "static"

/** How long a reply waits for what is remembered. */
const retrievalMs = 30_000
/** How long a reply waits until what was said is recorded; after that it goes on beside whatever comes next. */
const recordingMs = 2000
/** Words of the agent's own about how a reply ended, and what was cut off. */
const notRecorded: readonly (FinishReason | undefined)[] = ["interrupted", "error", "budget_exceeded", "repetition"]

/** The part of a long-term memory in the replies of one agent. */
export function longTermPart(memory: LongTermMemory, mode: LongTermMemoryMode): ReplyPart {
  const tools = mode === "static" ? [] : (memory.tools() as readonly AnyTool[])
  return mode === "agent" ? { tools } : new StaticPart(memory, tools)
}

/** What the model was told of the memory: after which message, and in which reply. */
interface Told {
  /** `undefined`: before all others, since that message is gone. */
  readonly after: string | undefined
  readonly msg: Msg
  readonly entries: readonly string[]
  /** As long as that reply is not over. */
  readonly work: ReplyWork | undefined
}

class StaticPart implements ReplyPart {
  readonly tools: readonly AnyTool[]
  readonly #memory: LongTermMemory
  /** Stays where it is from reply to reply, so that the beginning of the requests does not change. It is in no memory. */
  #told: readonly Told[] = []
  /** What was said and is not recorded. */
  #said: Msg[] = []
  #recording: Promise<void> | undefined
  /** What the session said when it was loaded, once that was looked at. */
  #takenUp: Set<string> | undefined
  #failures: unknown[] = []

  constructor(memory: LongTermMemory, tools: readonly AnyTool[]) {
    this.#memory = memory
    this.tools = tools
  }

  async begin(work: ReplyWork, messages: readonly Msg[]): Promise<void> {
    const past = await work.agent.memory.get()
    this.#takeUp(work, past)
    const after = past.at(-1)?.id
    const query = queryOf(messages, past)
    await this.#recorded(work)
    if (query.length === 0 || work.run.stopped) return
    let found: readonly MemoryEntry[]
    try {
      const retrieve = (signal: AbortSignal) => this.#memory.retrieve(query, { signal })
      found = await within(retrievalMs, work.run.signal, retrieve)
    } catch (error) {
      if (!work.run.stopped) warn(work, "Nothing was retrieved", error)
      return
    }
    // one that has changed since is told again
    const known = new Set(this.#told.flatMap(({ entries }) => entries))
    const entries = [...new Set(found.map(({ content }) => content))].filter((content) => !known.has(content))
    if (entries.length === 0) return
    this.#told = [...this.#told, { after, msg: memoryMessage(entries), entries, work }]
  }

  show(work: ReplyWork, messages: Msg[]): void {
    if (this.#told.length === 0) return
    const places = new Map(messages.map(({ id }, index) => [id, index]))
    // with the message that it was told after it goes, too, but not while it is needed
    this.#told = this.#told.flatMap((told) => {
      if (told.after !== undefined && places.has(told.after)) return [told]
      return told.work === work ? [{ ...told, after: undefined }] : []
    })
    for (const { after, msg } of this.#told.toReversed()) {
      messages.splice((after === undefined ? 0 : (places.get(after) ?? 0)) + 1, 0, msg)
    }
  }

  remembered(work: ReplyWork, msg: Msg): void {
    if (notRecorded.includes(msg.finishReason)) return
    this.#said.push(msg)
    work.settings.session?.unrecorded?.add(msg.id)
  }

  /** What was said before the program was stopped, and not recorded any more, is recorded with this reply. */
  #takeUp(work: ReplyWork, past: readonly Msg[]): void {
    const unrecorded = work.settings.session?.unrecorded
    if (unrecorded === undefined || unrecorded === this.#takenUp) return
    this.#takenUp = unrecorded
    const known = new Set(this.#said.map(({ id }) => id))
    const found = past.filter(({ id }) => unrecorded.has(id))
    this.#said = [...found.filter(({ id }) => !known.has(id)), ...this.#said]
    // what has become part of a summary meanwhile is not there any more
    unrecorded.clear()
    for (const { id } of this.#said) unrecorded.add(id)
  }

  /** What was said in a reply that failed or was given up is recorded with the next one. */
  async end(work: ReplyWork, reply: Msg | undefined): Promise<void> {
    if (this.#told.at(-1)?.work) this.#told = this.#told.map((told) => ({ ...told, work: undefined }))
    const ended = reply !== undefined || work.run.stopped?.kind === "interrupt"
    if (!ended || this.#said.length === 0) return
    const said = this.#said
    this.#said = []
    const unrecorded = work.settings.session?.unrecorded
    const recording = this.#record(said, this.#recording).finally(() => {
      for (const { id } of said) unrecorded?.delete(id)
      if (this.#recording === recording) this.#recording = undefined
    })
    this.#recording = recording
    // who interrupts is not kept waiting
    if (reply) await this.#recorded(work)
  }

  async #record(messages: readonly Msg[], before: Promise<void> | undefined): Promise<void> {
    await before
    try {
      await this.#memory.record(messages)
    } catch (error) {
      this.#failures.push(error)
    }
  }

  /** Waits for what is being recorded, for a while, and tells what failed. */
  async #recorded(work: ReplyWork): Promise<void> {
    const recording = this.#recording
    if (recording) await within(recordingMs, work.run.signal, () => recording).catch(() => {})
    for (const error of this.#failures.splice(0)) warn(work, "What was said was not recorded", error)
  }
}

/** What is asked of the memory: what was said now, or where nothing was, what was said last. */
function queryOf(messages: readonly Msg[], past: readonly Msg[]): readonly Msg[] {
  const said = messages.filter((msg) => msg.role !== "tool" && textOf(msg).trim() !== "")
  if (said.length > 0 || messages.some(({ role }) => role !== "tool")) return said
  const last = past.findLast((msg) => msg.role === "user" && msg.metadata?.["compaction"] === undefined)
  return last && textOf(last).trim() !== "" ? [last] : []
}

function memoryMessage(entries: readonly string[]): Msg {
  const facts = entries.map((content) => `- ${content.replaceAll(/<\/?long_term_memory>/g, "")}`)
  const text = `What is remembered of earlier conversations and may matter now; nobody has just said it:\n${facts.join("\n")}`
  return createMsg({
    name: "long_term_memory",
    role: "user",
    content: `<long_term_memory>\n${text}\n</long_term_memory>`,
  })
}

function warn({ run }: ReplyWork, what: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error)
  run.warn("long_term_memory_failed", `${what}: the long-term memory failed (${why}).`)
}

/** What the work comes to, unless it takes too long or the signal aborts: then it is told to stop, and not waited for. */
async function within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const off = onAbort(signal, () => over.abort(signal.reason))
  const late = async (): Promise<never> => {
    await ambient().sleep(ms, over.signal)
    throw agentError("aborted", `It took more than ${ms / 1000} seconds.`)
  }
  try {
    return await Promise.race([work(over.signal), late()])
  } finally {
    off()
    over.abort()
  }
}
