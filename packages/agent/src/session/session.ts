import {
  AgentScopeError,
  describeValue,
  type JsonObject,
  type Msg,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { type OpenSession, openSession, type SessionStore, StateModule } from "@agentscope-ts/state"
import { type CallOptions, digestOf, idempotencyKeyOf, type StartingCall } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import { indeterminateResult, Journal, type OpenReply } from "./journal.ts"
import { checkNames, checkOption } from "../options.ts"
import type { ReActAgent } from "../react/react-agent.ts"
import type { Conversation } from "../react/conversation.ts"
import type { ReplyPart } from "../react/reply-part.ts"
import type { ReplyWork } from "../react/reply-work.ts"

/**
 * Where a conversation is kept while it goes on. A session that is there is loaded before the first use, in the place of what the
 * agent was given before that, by `loadStateDict` or in a memory.
 */
export interface SessionOptions {
  store: SessionStore
  /** One agent at a time may have a session: to others the store says `session_conflict`, where it can tell. */
  id: string
  /**
   * False leaves out the journal of tool calls: after a kill the calls of the round that was cut off run once more, whatever
   * their effects. Default true.
   */
  journal?: boolean | undefined
}

/** What {@link ReActAgent.restore} found. */
export interface RestoredSession {
  /** Whether there was such a session. */
  readonly found: boolean
  /** Whether a reply was cut off when the program was stopped: `reply()` without input goes on with it. */
  readonly cutOff: boolean
}

/** Throws `invalid_argument` for a session that is none. */
export function checkSession(where: string, session: SessionOptions | undefined): void {
  if (session === undefined) return
  checkNames(`${where}: session`, session, ["store", "id", "journal"])
  const { store, id, journal } = session
  if (typeof store?.save !== "function" || typeof store.load !== "function") {
    throw agentError(
      "invalid_argument",
      `${where}: session.store must be a session store, not ${describeValue(store)}.`,
    )
  }
  if (typeof id !== "string" || id === "") {
    throw agentError(
      "invalid_argument",
      `${where}: session.id must be a text that is not empty, not ${describeValue(id)}.`,
    )
  }
  checkOption(where, "session.journal", journal, typeof journal === "boolean", "true or false")
}

/**
 * Saves the conversation at each point from which it can go on: the input is taken, the model has said what it wants to call,
 * the calls have their results, the reply is there or waits, something was observed. Before a tool with effects starts, that it
 * will is saved; so is what came of it before anybody goes on with that.
 */
export class AgentSession implements ReplyPart {
  readonly #options: SessionOptions
  readonly #journals: boolean
  #agent: ReActAgent | undefined
  #conversation: Conversation | undefined
  #journal: Journal | undefined
  #open: OpenSession | undefined
  #loading: Promise<RestoredSession> | undefined
  /** Why nothing can be saved any more. */
  #lost: unknown
  /** Whether the session was asked what this reply answers. */
  #taken = false
  /** The reply that was under way before this one, until this one has begun: where it fails before that, that one still is. */
  #before: { readonly reply: OpenReply | undefined } | undefined
  /** The calls that were let start in this process. */
  readonly #started = new Set<string>()
  /** What of the program's the session has replaced; told with the next reply. */
  #replaced: string | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#journals = options.journal ?? true
  }

  get id(): string {
    return this.#options.id
  }

  bind(agent: ReActAgent, conversation: Conversation): void {
    this.#agent = agent
    this.#conversation = conversation
  }

  // ---- loading and saving

  /** Loads the session before its first use; `undefined` once that is done. */
  ready(): Promise<unknown> | undefined {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    return this.#open ? undefined : this.#load()
  }

  /** Loads the session, anew if it was lost to somebody else. */
  async restore(): Promise<RestoredSession> {
    if (this.#lost !== undefined) this.#open = undefined
    const found = this.#open ? true : (await this.#load()).found
    return { found, cutOff: this.#journal?.reply !== undefined }
  }

  #load(): Promise<RestoredSession> {
    this.#loading ??= this.#loadOnce().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #loadOnce(): Promise<RestoredSession> {
    const { store, id } = this.#options
    const agent = this.#agent as ReActAgent
    const open = await openSession(store, id)
    const journal = new Journal(agent.name)
    const state = new AgentState(agent)
    // one that is loaded anew replaces what was loaded before: that is what it is asked for
    const given = this.#journal ? undefined : await heldBy(agent)
    // what the agent has come to hold since the session was saved keeps its present value
    const found = await open.load({ session: journal, agent: state }, { strict: false })
    if (found && !state.loaded) {
      throw agentError(
        "invalid_argument",
        `ReActAgent "${agent.name}": the session "${id}" holds no agent under the name "agent", but something else. Use another id, or delete it.`,
      )
    }
    if (given && found) this.#replaced = await lostOf(given, agent)
    this.#journal = journal
    this.#lost = undefined
    this.#started.clear()
    const { reply } = journal
    if (reply?.answers) (this.#conversation as Conversation).round = reply.answers.round
    this.#open = open
    return { found, cutOff: reply !== undefined }
  }

  /** Saves what has changed since the last time. */
  async save(): Promise<void> {
    const [agent, session] = [this.#agent as ReActAgent, this.#journal as Journal]
    try {
      await this.#open?.save({ session, agent })
    } catch (error) {
      const isLost = AgentScopeError.is(error, "session_conflict") || AgentScopeError.is(error, "session_not_found")
      if (isLost) this.#lost = error
      throw error
    }
  }

  /** The ids of messages that a long-term memory still has to record: what is put in is saved with the next save. */
  get unrecorded(): Set<string> | undefined {
    return this.#journal?.unrecorded
  }

  // ---- the reply

  /** What the reply answers: what was given, or what the one that was cut off still had to take. */
  takeUp(work: ReplyWork, messages: readonly Msg[]): readonly Msg[] {
    const journal = this.#journal as Journal
    const conversation = this.#conversation as Conversation
    const { run } = work
    if (this.#replaced) {
      const message = `The session "${this.id}" was there, and has replaced what the program had given the agent: ${this.#replaced}. Await restore() first, and give it only where found is false.`
      run.warn("session_replaced", message)
      this.#replaced = undefined
    }
    const cut = journal.reply
    this.#taken = true
    this.#before = { reply: cut }
    let taken = messages
    if (cut && run.resume === undefined && messages.every(({ id }) => cut.input.includes(id))) {
      work.cutOff = true
      run.resume = cut.answers?.given
      taken = cut.said
    }
    const { round } = conversation
    const input = work.cutOff && cut ? cut.input : messages.map(({ id }) => id)
    const answers = run.resume && round && { given: run.resume, round }
    const structured = run.options.schema !== undefined
    if (work.cutOff && cut?.structured && !structured) {
      const message = "The reply that was cut off was asked for with a schema, and it is gone on with without one."
      run.warn("schema_missing", `${message} Give { schema } again to get its value.`)
    }
    journal.reply = { input, said: taken, ...(answers && { answers }), ...(structured && { structured }) }
    return taken
  }

  async begin(): Promise<void> {
    const journal = this.#journal as Journal
    this.#before = undefined
    if (journal.reply) journal.reply = { ...withoutAnswers(journal.reply), said: [] }
    await this.save()
  }

  prepare(): Promise<void> {
    return this.save()
  }

  async remembered(work: ReplyWork, { role }: Msg): Promise<void> {
    const journal = this.#journal as Journal
    this.#before = undefined
    if (role === "tool") {
      this.#clear()
      if (journal.reply) journal.reply = withoutAnswers(journal.reply)
    }
    // saved with the end of the reply
    if (work.run.closing) journal.reply = undefined
    else if (role === "tool" || role === "assistant") await this.save()
  }

  async end(_work: ReplyWork, reply: Msg | undefined): Promise<void> {
    const journal = this.#journal as Journal
    // a failure before this reply has begun leaves the one that was cut off
    if (this.#taken) journal.reply = reply ? undefined : this.#before?.reply
    this.#taken = false
    this.#before = undefined
    // what came of the calls of a round that could not be closed is still needed
    if (reply) this.#clear()
    await this.save()
  }

  #clear(): void {
    this.#journal?.clear()
    this.#started.clear()
  }

  // ---- the calls

  /** The terms that tools are executed on. */
  termsOf(work: ReplyWork): Pick<CallOptions, "conversation" | "beforeStart"> {
    const { conversation } = this.#journal as Journal
    return this.#journals ? { conversation, beforeStart: (call) => this.#intend(work, call) } : { conversation }
  }

  /** A tool is about to start: that is saved first, where it has effects. */
  #intend(work: ReplyWork, { toolUse, effects }: StartingCall): Promise<void> | undefined {
    if (effects === "none") return undefined
    const journal = this.#journal as Journal
    const { id, name } = toolUse
    const digest = digestOf(toolUse)
    const before = journal.calls.get(id)
    if (before && before.digest !== digest) return Promise.reject(changed(name))
    this.#before = undefined
    this.#started.add(id)
    if (before) return undefined
    journal.record(id, { tool: name, digest, effects, key: idempotencyKeyOf(journal.conversation, id) })
    return this.#saved(work)
  }

  /** Stands around the execution of each call; `execute` runs the call, and never rejects. */
  async call(work: ReplyWork, call: ToolUseBlock, execute: () => Promise<ToolResultBlock>): Promise<ToolResultBlock> {
    const journal = this.#journal as Journal
    const { id } = call
    const isRepeat = journal.calls.get(id)?.tool === call.name && !this.#started.has(id)
    let result = (isRepeat && this.#known(work, call)) || (await execute())
    const record = journal.calls.get(id)
    if (record === undefined) this.#keep(work, call, result)
    if (record === undefined || record.outcome !== undefined) return result
    // it was not let start again, and what became of the first time is as unknown as before
    if (!this.#started.has(id)) result = indeterminateResult(call)
    journal.record(id, { ...record, outcome: result })
    await this.#saved(work).catch(() => {})
    return result
  }

  /** What a call has changed is saved with the agent: from then on its result is, too, and it does not run again. */
  #keep(work: ReplyWork, call: ToolUseBlock, outcome: ToolResultBlock): void {
    if (!this.#journals || !work.changesAgent(call.name)) return
    const { id, name: tool } = call
    const journal = this.#journal as Journal
    const key = idempotencyKeyOf(journal.conversation, id)
    this.#started.add(id)
    journal.record(id, { tool, digest: digestOf(call), effects: "idempotent", key, outcome })
  }

  /** The result of a call that was begun before the program was stopped; `undefined` when it may run again. */
  #known(work: ReplyWork, call: ToolUseBlock): ToolResultBlock | undefined {
    const record = this.#journal?.calls.get(call.id)
    if (record?.outcome) return record.outcome
    const now = work.toolkitOf(call.name).get(call.name)
    const isOnce = record?.effects === "once" || now === undefined || (now.effects ?? "once") === "once"
    return isOnce ? indeterminateResult(call) : undefined
  }

  /** The result of a call that is not gone on with, as far as it was begun. */
  resultOf(call: ToolUseBlock): ToolResultBlock | undefined {
    const record = this.#journal?.calls.get(call.id)
    if (record === undefined) return undefined
    const { outcome = indeterminateResult(call) } = record
    return { ...outcome, id: call.id, name: call.name }
  }

  /** Saves; what cannot be saved ends the reply. */
  async #saved(work: ReplyWork): Promise<void> {
    try {
      await this.save()
    } catch (error) {
      work.run.stop({ kind: "failure", reason: error })
      throw error
    }
  }
}

interface Held {
  readonly messages: ReadonlySet<string>
  readonly plan: unknown
}

async function heldBy({ memory, plan }: ReActAgent): Promise<Held> {
  const messages = (await memory.size()) > 0 ? await memory.get() : []
  return { messages: new Set(messages.map(({ id }) => id)), plan: plan?.currentPlan?.id }
}

/** What an agent held, and holds no more, in words. */
async function lostOf(before: Held, agent: ReActAgent): Promise<string | undefined> {
  const { messages, plan } = await heldBy(agent)
  const lost = [...before.messages].filter((id) => !messages.has(id)).length
  const told = [
    lost > 0 && `${lost} message${lost > 1 ? "s" : ""} of its memory`,
    before.plan !== undefined && before.plan !== plan && "its plan",
  ]
  return told.filter((what) => what !== false).join(" and ") || undefined
}

/** The agent as a session holds it: what it lacks keeps its value, but it must be an agent. */
class AgentState extends StateModule {
  readonly #agent: ReActAgent
  loaded = false

  constructor(agent: ReActAgent) {
    super()
    this.#agent = agent
  }

  override stateDict(): JsonObject {
    return this.#agent.stateDict()
  }

  override loadStateDict(state: JsonObject): void {
    if (!Object.hasOwn(state, "memory"))
      throw agentError("invalid_argument", "an agent has a memory, and this has not.")
    this.#agent.loadStateDict(state, { strict: false })
    this.loaded = true
  }
}

const changed = (name: string) =>
  agentError("invalid_argument", `the arguments of "${name}" are not those that it was begun with.`)

const withoutAnswers = ({ answers: _answers, ...reply }: OpenReply): OpenReply => reply
