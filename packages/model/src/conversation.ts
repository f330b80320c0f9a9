import type { ContentBlock, MediaBlock, Msg } from "@agentscope-ts/message"
import type { Dialect } from "./history/dialect.ts"
import { HistoryGuard } from "./history/history-guard.ts"

/** What a conversation is looked through for, beside what the guard puts right. */
export interface ConversationChecks {
  /** Whether several speakers are worth a warning: the formatter does not tell them apart, and there is one that does. */
  readonly speakers: boolean
  /** What the model can take, where that is known. */
  readonly inputs: readonly string[] | undefined
  /** What the formatter has a form for, where that is not everything. */
  readonly media: readonly string[] | undefined
  /** Provider and model, for messages. */
  readonly name: string
}

/** The name of an assistant's message that was given none. */
const unnamed = "assistant"

type Warn = (code: string, message: string) => void

/** What a model keeps of a conversation from call to call. Only messages that are new are looked at. */
export class Conversation {
  readonly #guard: HistoryGuard
  /** How many messages were looked through, and the last of them. */
  #count = 0
  #last: Msg | undefined
  /** For whom the model speaks: an agent gives itself as the conversation, else it is who is the first of the assistants. */
  #speaker: string | undefined
  readonly #isAgent: boolean
  /** Whether it was told that several speak. */
  #toldOfSpeakers = false
  /** The kinds of media that were warned of. */
  #told: string[] | undefined

  constructor(dialect: Dialect, identity?: object) {
    this.#guard = new HistoryGuard(dialect)
    const name = identity && "name" in identity ? identity.name : undefined
    this.#isAgent = typeof name === "string"
    if (this.#isAgent) this.#speaker = name as string
  }

  /** The history as it may be sent; warns once a conversation of what the model will not understand. */
  prepare(messages: readonly Msg[], checks: ConversationChecks, warn: Warn): readonly Msg[] {
    // it throws for what is no message
    const guarded = this.#guard.guard(messages, warn)
    if (checks.speakers || checks.inputs || checks.media) this.#look(messages, checks, warn)
    return guarded
  }

  #look(messages: readonly Msg[], checks: ConversationChecks, warn: Warn): void {
    const grown = this.#count <= messages.length && (this.#count === 0 || messages[this.#count - 1] === this.#last)
    for (let i = grown ? this.#count : 0; i < messages.length; i++) {
      const msg = messages[i] as Msg
      if (checks.speakers && msg.role === "assistant") this.#hear(msg.name, checks, warn)
      if (checks.inputs || checks.media) for (const block of msg.content) this.#see(block, msg, checks, warn)
    }
    this.#count = messages.length
    const last = messages.at(-1)
    this.#last = last
    if (checks.speakers && !this.#isAgent && last?.role === "assistant") this.#hearLast(last.name, checks, warn)
  }

  #hear(speaker: string, { name }: ConversationChecks, warn: Warn): void {
    if (this.#speaker === undefined) this.#speaker = speaker
    if (this.#toldOfSpeakers || this.#speaker === speaker) return
    // a message that was made without a name may well be the agent's own
    if (this.#isAgent && speaker === unnamed) return
    warn(
      "multi_agent_history",
      `Several agents speak in this history ("${this.#speaker}", "${speaker}"), and the chat formatter of ${name} sends them all as the model's own words: give the model the option formatter: "multi-agent".`,
    )
    this.#toldOfSpeakers = true
  }

  /** What an answer is expected to is mostly another's; a beginning that the model is to go on from has no name. */
  #hearLast(speaker: string, { name }: ConversationChecks, warn: Warn): void {
    if (this.#toldOfSpeakers || speaker === unnamed) return
    warn(
      "multi_agent_history",
      `This history ends with what "${speaker}" said, and the chat formatter of ${name} sends that as the model's own words, which it goes on from or its provider refuses: give the model the option formatter: "multi-agent", or end with a message of a user's.`,
    )
    this.#toldOfSpeakers = true
  }

  #see(block: ContentBlock, msg: Msg, checks: ConversationChecks, warn: Warn): void {
    if (block.type === "tool_result") {
      // a text names the media of a result that the wire cannot show
      if (checks.inputs) for (const part of block.output) this.#see(part, msg, { ...checks, media: undefined }, warn)
      return
    }
    if (!isMedia(block) || this.#told?.includes(block.type)) return
    const { name, inputs, media } = checks
    const { type } = block
    // what a model drew or said is not shown to it again
    const lost = media?.includes(type) === false && msg.role !== "assistant"
    if (!lost && inputs?.includes(type) !== false) return
    ;(this.#told ??= []).push(type)
    const message = lost
      ? `The messages of ${name} have no form for a block of type "${type}": it is left out, and where there is nothing else a text says so. Turn it into text or another kind of medium, or take another provider.`
      : `${name} is not known to take a block of type "${type}": the provider may refuse the request or leave it out. If the model does take it, say so: facts: { inputs: […] }.`
    warn("unsupported_input", message)
  }
}

const isMedia = ({ type }: ContentBlock): boolean =>
  (type as MediaBlock["type"]) === "image" || type === "audio" || type === "video" || type === "file"
