import {
  importMessages,
  type JsonObject,
  type JsonValue,
  type Msg,
  newId,
  type Resume,
  toolResult,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { checkBlocks } from "@agentscope-ts/model"
import { type StateCodec, StateModule } from "@agentscope-ts/state"
import type { Effects } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import { asWaitingRound, type WaitingRound } from "../waiting/round.ts"

/** A call that was begun: what was intended, and what came of it once that is known. */
export interface CallRecord {
  readonly tool: string
  /** Of the call as it ran: its id, name and input. */
  readonly digest: string
  readonly effects: Effects
  readonly key: string
  readonly outcome?: ToolResultBlock
}

/** A reply that is being worked on. */
export interface OpenReply {
  /** The ids of the messages that it answers. */
  readonly input: readonly string[]
  /** Of these, what is not in memory yet. */
  readonly said: readonly Msg[]
  /** Answers that are being worked off, and the round that waited for them. */
  readonly answers?: { readonly given: Resume; readonly round: WaitingRound }
  /** It was asked for with a schema. */
  readonly structured?: boolean
}

/** What a session holds beside the agent: whose it is, the reply that is under way, and what became of its tool calls. */
export class Journal extends StateModule {
  readonly #agent: string
  /** Names the conversation for as long as there is this session: what its calls are named with. */
  conversation = newId()
  reply: OpenReply | undefined
  calls: ReadonlyMap<string, CallRecord> = new Map()
  /** The ids of messages that a long-term memory still has to record. */
  unrecorded = new Set<string>()

  constructor(agent: string) {
    super()
    this.#agent = agent
  }

  record(id: string, call: CallRecord): void {
    this.calls = new Map(this.calls).set(id, call)
  }

  /** The results of the calls are elsewhere now. */
  clear(): void {
    if (this.calls.size > 0) this.calls = new Map()
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      agent: {
        save: () => this.#agent,
        load: (name) => {
          if (name === this.#agent) return
          throw unfit(
            `it is a conversation of the agent ${JSON.stringify(name)}, and this agent is "${this.#agent}". Give the agent that name, or another session`,
          )
        },
      },
      conversation: {
        save: () => this.conversation,
        load: (value) => {
          if (typeof value !== "string") throw unfit("it must be a text")
          this.conversation = value
        },
      },
      reply: {
        save: () => (this.reply ?? null) as unknown as JsonValue,
        load: (value) => {
          this.reply = value === null ? undefined : replyIn(value)
        },
      },
      calls: {
        save: () => Object.fromEntries(this.calls) as unknown as JsonObject,
        load: (value) => {
          if (!isObject(value)) throw unfit("it must be an object of calls by their ids")
          this.calls = new Map(Object.entries(value).map(([id, call]) => [id, callIn(call)]))
        },
      },
      unrecorded: {
        save: () => [...this.unrecorded],
        load: (value) => {
          if (!Array.isArray(value)) throw unfit("unrecorded must be a list of the ids of messages")
          this.unrecorded = new Set(value.map(String))
        },
      },
    }
  }
}

/** The result of a call whose outcome nobody knows: the program was stopped while it ran. */
export function indeterminateResult(call: ToolUseBlock): ToolResultBlock {
  const text = `The program was stopped while "${call.name}" ran. It is not known whether the call had its effect, in whole or in part, and it was not run again. Find out what is the case before you call it once more.`
  return { ...toolResult(call, text, { state: "error" }), metadata: { indeterminate: true } }
}

function replyIn(value: JsonValue): OpenReply {
  const { input, said, answers, structured } = isObject(value) ? value : {}
  if (!Array.isArray(input) || !Array.isArray(said)) throw unfit("it must be a reply that is under way, or null")
  const open = {
    input: input.map(String),
    said: importMessages(said),
    ...(structured === true && { structured }),
  }
  if (answers === undefined) return open
  const { given, round } = isObject(answers) ? answers : {}
  const waiting = asWaitingRound(round)
  if (!isObject(given) || waiting === undefined) throw unfit("its answers lack their round")
  return { ...open, answers: { given, round: waiting } }
}

const allEffects: readonly unknown[] = ["none", "idempotent", "once"] satisfies Effects[]

function callIn(value: JsonValue): CallRecord {
  const { tool, digest, effects, key, outcome } = isObject(value) ? value : {}
  if (![tool, digest, key].every((text) => typeof text === "string") || !allEffects.includes(effects)) {
    throw unfit("each call must have its tool, digest, effects and key")
  }
  if (outcome !== undefined) checkBlocks([outcome], "outcome")
  return value as unknown as CallRecord
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const unfit = (problem: string) => agentError("invalid_argument", `${problem}.`)
