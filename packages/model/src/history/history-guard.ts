import {
  type ContentBlock,
  type Msg,
  type ToolResultBlock,
  type ToolUseBlock,
  wellFormed,
} from "@agentscope-ts/message"
import { checkMessage, checkMessageList } from "./check-message.ts"
import type { Dialect } from "./dialect.ts"
import { fitName, fitsRule } from "./fit-name.ts"
import { fitToolName } from "./tool-names.ts"
import { callsLast, hasTail, withoutTail } from "./order.ts"
import { shownAtLeast } from "./shown-at-least.ts"
import { tidyAll, tidyBlock, tidyResult } from "./tidy.ts"

/** Hears of what was wrong in a way that somebody should know of. */
export type HistoryWarning = (code: "duplicate_tool_result" | "orphan_tool_result", message: string) => void

/** A tool call that has no final result yet. */
interface Call {
  readonly rawId: string
  readonly id: string
  readonly name: string
  readonly turn: Turn
  result: ToolResultBlock | undefined
}

/** The calls of one assistant message, and the place of the tool message that answers them. */
interface Turn {
  readonly at: number
  readonly assistant: Msg
  readonly calls: Call[]
  /** The first tool message that brought results: its id and time are kept. */
  source: Msg | undefined
}

/**
 * Puts a history right for a provider: each tool call has exactly one result, in one tool message right after it, in call
 * order; what the dialect does not take is mapped or left out. It remembers what it has seen, so that of a history that
 * grows only what is new is looked at; the rest costs a pointer compare a message.
 */
export class HistoryGuard {
  readonly #dialect: Dialect | undefined
  /** What was given, and what goes out: messages that were fine are the same objects in both. */
  #known: Msg[] = []
  #out: Msg[] = []
  /** Every tool call's id as it came: the call, or nothing once its turn is settled. */
  #calls = new Map<string, readonly Call[]>()
  /** The ids that were made up; mostly none. */
  #made: Set<string> | undefined
  /** Turns whose tool message is to be written. */
  #touched: Turn[] = []
  #warn: HistoryWarning | undefined
  /** The last message that was sent without its trailing blanks, and what was sent. */
  #trimmed: { readonly msg: Msg; readonly sent: Msg } | undefined

  constructor(dialect?: Dialect) {
    this.#dialect = dialect
  }

  /**
   * The history as it may be sent, in an array of its own; the messages of an unchanged beginning stay the same objects.
   * @throws AgentScopeError `invalid_request`, naming the place, for what is no message or no block of ours.
   */
  guard(messages: readonly Msg[], warn?: HistoryWarning): readonly Msg[] {
    checkMessageList(messages)
    const known = this.#known
    let from = known.length <= messages.length ? known.length : -1
    for (let i = 0; i < from; i++) if (known[i] !== messages[i]) from = -1
    if (from < 0) {
      this.#reset()
      from = 0
    }
    this.#warn = warn
    for (let i = from; i < messages.length; i++) {
      const msg = messages[i] as Msg
      checkMessage(msg, i)
      this.#known.push(msg)
      this.#add(msg)
    }
    for (const turn of this.#touched) this.#answer(turn)
    if (this.#touched.length > 0) this.#touched = []
    // it belongs to one call, and the guard stays for as long as the conversation
    this.#warn = undefined
    const out = this.#out.slice()
    if (this.#dialect?.trailingBlanks === false) this.#trim(out)
    return out
  }

  /** Only what ends a request loses its tail: it is whole again when the history goes on. */
  #trim(out: Msg[]): void {
    const msg = out.at(-1)
    if (msg === undefined || !hasTail(msg)) return
    if (this.#trimmed?.msg !== msg) this.#trimmed = { msg, sent: withoutTail(msg) }
    out[out.length - 1] = this.#trimmed.sent
  }

  #reset(): void {
    this.#trimmed = undefined
    this.#known = []
    this.#out = []
    this.#calls = new Map()
    this.#made = undefined
  }

  #add(msg: Msg): void {
    let calls = 0
    let own: ToolResultBlock[] | undefined
    const tidy = tidyAll(msg.content, (block) => {
      if (block.type === "tool_result") {
        // after a call of the same message it may be that call's, which is not known yet
        if (calls > 0) (own ??= []).push(block)
        else this.#take(block, msg)
        return undefined
      }
      if (block.type === "tool_use" && msg.role === "assistant") calls++
      return tidyBlock(block, msg.role, this.#dialect)
    })
    const content = msg.role === "assistant" ? tidy : shownAtLeast(tidy, this.#dialect)
    const last = calls > 0 && this.#dialect?.toolUses === "last"
    if (content.length > 0) this.#send(msg, last ? callsLast(content) : content, calls > 0)
    if (own) for (const result of own) this.#take(result, msg)
  }

  #send(msg: Msg, content: readonly ContentBlock[], withCalls: boolean): void {
    const name = wellFormed(msg.name)
    let sent = content === msg.content && name === msg.name ? msg : { ...msg, name, content }
    // only results belong in a tool message
    if (msg.role === "tool") sent = { ...sent, role: "user" }
    if (withCalls) this.#open(sent)
    else this.#out.push(sent)
  }

  /** Sends an assistant message with calls, and keeps the place after it for their results. */
  #open(msg: Msg): void {
    const calls: Call[] = []
    const turn: Turn = { at: this.#out.length + 1, assistant: msg, calls, source: undefined }
    const content = tidyAll<ContentBlock>(msg.content, (block) => {
      if (block.type !== "tool_use") return block
      const call = this.#call(block, turn)
      calls.push(call)
      const { id, name } = call
      return id === block.id && name === block.name ? block : { ...block, id, name }
    })
    for (const call of calls) {
      const same = calls.filter((other) => other.rawId === call.rawId)
      this.#calls.set(call.rawId, same)
    }
    const sent = content === msg.content ? msg : { ...msg, content }
    this.#out.push(sent, sent)
    this.#touched.push(turn)
  }

  #call(block: ToolUseBlock, turn: Turn): Call {
    const { toolCallId = {}, toolName } = this.#dialect ?? {}
    const used = (id: string) =>
      this.#calls.has(id) || this.#made?.has(id) === true || turn.calls.some((call) => call.rawId === id)
    let id = block.id
    if (!fitsRule(id, toolCallId) || !id.isWellFormed() || used(id)) {
      id = fitName(id, toolCallId, used)
      this.#made ??= new Set()
      this.#made.add(id)
    }
    return { rawId: block.id, id, name: fitToolName(block.name, toolName), turn, result: undefined }
  }

  /** Brings a result to its call, wherever in the history it stands. */
  #take(result: ToolResultBlock, msg: Msg): void {
    const calls = this.#calls.get(result.id)
    if (calls === undefined) {
      this.#warn?.(
        "orphan_tool_result",
        `The result of "${result.name}" (${result.id}) was left out: the history has no such call before it.`,
      )
      return
    }
    // a suspended result only holds the place of the real one
    const call =
      calls.find((call) => call.result === undefined) ??
      (result.state === "suspended" ? undefined : calls.find((call) => call.result?.state === "suspended"))
    if (call === undefined) {
      this.#warn?.(
        "duplicate_tool_result",
        `A second result of "${result.name}" (${result.id}) was left out: the first one counts.`,
      )
      return
    }
    const { id, name, turn } = call
    const tidy = tidyResult(result, this.#dialect)
    call.result = tidy.id === id && tidy.name === name ? tidy : { ...tidy, id, name }
    if (msg.role === "tool") turn.source ??= msg
    // the results of a turn mostly come one after the other: it is written once for all of them
    if (this.#touched.at(-1) !== turn) this.#touched.push(turn)
  }

  /** Writes the tool message of a turn; calls without a result are closed as interrupted. */
  #answer(turn: Turn): void {
    const { at, assistant, calls, source } = turn
    const content = calls.map((call) => call.result ?? interrupted(call))
    const { id, timestamp } = assistant
    const base: Msg = source ?? { id: `${id}-results`, name: "tool", role: "tool", content, timestamp }
    const name = wellFormed(base.name)
    const same = name === base.name && sameBlocks(base.content, content)
    this.#out[at] = same ? base : { ...base, name, content }
    if (calls.every((call) => call.result !== undefined && call.result.state !== "suspended")) {
      // nothing more can come for this turn: only its ids are remembered
      for (const { rawId } of calls) if (this.#calls.get(rawId)?.[0]?.turn === turn) this.#calls.set(rawId, settled)
    }
  }
}

const settled: readonly Call[] = []

const sameBlocks = (a: readonly ContentBlock[], b: readonly ContentBlock[]): boolean =>
  a.length === b.length && a.every((block, i) => block === b[i])

const interrupted = ({ id, name }: Call): ToolResultBlock => ({
  type: "tool_result",
  id,
  name,
  output: [{ type: "text", text: "The call was interrupted: it has no result." }],
  state: "interrupted",
})

/**
 * The history as it may be sent to a provider with this dialect: each tool call has exactly one result right after it,
 * ids fit, foreign opaque data, blank texts and empty messages are gone, all text is well-formed. Messages that are fine
 * stay the same objects. Without a dialect ids are only made unique and opaque data stays.
 * @throws AgentScopeError `invalid_request`, naming the place, for what is no message or no block of ours.
 */
export function guardHistory(messages: readonly Msg[], dialect?: Dialect, warn?: HistoryWarning): readonly Msg[] {
  return new HistoryGuard(dialect).guard(messages, warn)
}
