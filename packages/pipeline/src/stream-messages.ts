import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import { type AgentEvent, hasBlocks, type Msg, type Resume } from "@agentscope-ts/message"
import { checkStep } from "./options.ts"
import type { AnyStep } from "./step.ts"

/** As many ids of messages are known, so that none is told twice. */
const mostIds = 1000

/**
 * The messages of all agents of a pipeline as they are made: answers, calls of tools with their results, what people said
 * through a `UserAgent`, and those of agents behind tools; not what an agent was asked or heard. Each comes once, a reply as
 * its hooks made it. The turn begins at once; leaving early interrupts it, and a failure rejects.
 */
export function streamMessages(
  pipeline: AnyStep,
  input?: AgentInput | Resume,
  options?: ReplyOptions,
): AsyncIterable<Msg> {
  checkStep("streamMessages", "the pipeline", pipeline)
  const run = pipeline.stream(input, options)
  return { [Symbol.asyncIterator]: () => new MessageIterator(run[Symbol.asyncIterator]()) }
}

class MessageIterator implements AsyncIterableIterator<Msg> {
  readonly #events: AsyncIterator<AgentEvent>
  /** Answers, by reply: its hooks may still change what turns out to be the last. */
  readonly #held = new Map<string, Msg>()
  readonly #told = new Set<string>()
  readonly #ready: Msg[] = []

  constructor(events: AsyncIterator<AgentEvent>) {
    this.#events = events
  }

  async next(): Promise<IteratorResult<Msg>> {
    for (;;) {
      const msg = this.#ready.shift()
      if (msg) return { done: false, value: msg }
      const { done, value } = await this.#events.next()
      if (done) return { done: true, value: undefined }
      this.#hear(value)
    }
  }

  async return(): Promise<IteratorResult<Msg>> {
    this.#ready.length = 0
    await this.#events.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #hear(event: AgentEvent): void {
    const { replyId } = event
    const held = this.#held.get(replyId)
    if (held) {
      this.#held.delete(replyId)
      if (event.type !== "reply_end" || event.reply.id !== held.id) this.#tell(held)
    }
    if (event.type === "reply_end") this.#tell(event.reply)
    if (event.type !== "message" || !isOwn(event)) return
    if (event.msg.role === "tool" || hasBlocks(event.msg, "tool_use")) this.#tell(event.msg)
    else this.#held.set(replyId, event.msg)
  }

  #tell(msg: Msg): void {
    if (this.#told.has(msg.id)) return
    this.#told.add(msg.id)
    const [oldest] = this.#told
    if (this.#told.size > mostIds && oldest !== undefined) this.#told.delete(oldest)
    this.#ready.push(msg)
  }
}

/** Whether the agent made the message that entered its memory, and was not told it. */
const isOwn = ({ msg, agent }: AgentEvent & { readonly msg: Msg }): boolean =>
  msg.role === "tool" || (msg.role === "assistant" && msg.name === agent)
