import { type ContentBlock, type Msg, type ToolUseBlock, toolUsesOf } from "@agentscope-ts/message"

/**
 * The ids of a conversation's tool calls. Results and approvals find their call by its id, in another process and days later,
 * and some servers number their calls anew in every answer, or give two of one answer the same id: such a call gets another
 * one before it enters memory.
 */
export class CallIds {
  readonly #used = new Set<string>()

  constructor(messages: readonly Msg[]) {
    for (const msg of messages) for (const { id } of toolUsesOf(msg)) this.#used.add(id)
  }

  has(id: string): boolean {
    return this.#used.has(id)
  }

  /** The message with calls that have ids of their own, used from now on. A call that was `started` keeps its id. */
  settle(message: Msg, started: (id: string) => ToolUseBlock | undefined): Msg {
    const calls = toolUsesOf(message)
    const given = new Set(calls.map(({ id }) => id))
    if (given.size === calls.length && !calls.some(({ id }) => this.#used.has(id))) {
      for (const id of given) this.#used.add(id)
      return message
    }
    const settled = calls.map((call, at) => {
      const same = [...calls.keys()].filter((i) => calls[i]?.id === call.id)
      const first = same.length > 1 ? started(call.id) : undefined
      const keeper = (first && same.find((i) => isSame(first, calls[i] as ToolUseBlock))) ?? same[0]
      return at === keeper && !this.#used.has(call.id) ? call : { ...call, id: this.#free(call.id, given) }
    })
    for (const { id } of settled) this.#used.add(id)
    if (settled.every((call, i) => call === calls[i])) return message
    const next = settled.values()
    const own = (block: ContentBlock): ContentBlock =>
      block.type === "tool_use" ? (next.next().value ?? block) : block
    return { ...message, content: message.content.map(own) }
  }

  #free(id: string, given: Set<string>): string {
    for (let n = 2; ; n++) {
      const free = `${id}_${n}`
      if (this.#used.has(free) || given.has(free)) continue
      given.add(free)
      return free
    }
  }
}

const isSame = (a: ToolUseBlock, b: ToolUseBlock): boolean =>
  a === b || (a.name === b.name && JSON.stringify(a.input) === JSON.stringify(b.input))
