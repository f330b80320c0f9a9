import { type AgentBase, type AgentInput, messagesOf } from "@agentscope-ts/agent"
import { type Circle, join, leave, tellAll } from "./audience.ts"
import { check, checkNames } from "./options.ts"
import { pipelineError } from "./pipeline-error.ts"
import { allTold } from "./told.ts"

/** Options of {@link MsgHub.open}. */
export interface MsgHubOptions {
  participants: readonly AgentBase[]
  /** What everybody hears at the start. */
  announcement?: AgentInput | undefined
  /** Whether what one replies is heard by the others. Default true. */
  autoBroadcast?: boolean | undefined
  /** Stands in errors. */
  name?: string | undefined
}

/**
 * A conversation of several agents: each hears what the others reply, by `observe`, before that reply is told to its caller.
 * Heard are text and media, not thinking, tool calls or data of a provider; a reply whose calls wait is heard when it is
 * finished. Everybody gets a copy of its own. Who is in several hubs with the same agent hears it once. One who cannot be
 * told keeps neither the others from hearing nor the speaker from replying: it is a warning (`listener_failed`).
 */
export class MsgHub implements AsyncDisposable {
  readonly name: string
  readonly #participants = new Set<AgentBase>()
  readonly #deliveries = new Set<Promise<unknown>>()
  readonly #circle: Circle
  #autoBroadcast: boolean
  #closed = false

  private constructor(name: string, autoBroadcast: boolean) {
    this.name = name
    this.#autoBroadcast = autoBroadcast
    const audience = () => (this.#autoBroadcast ? this.#participants : [])
    this.#circle = {
      get audience() {
        return audience()
      },
      delivering: (work) => this.#delivering(work),
    }
  }

  /** Opens a hub and makes the announcement. @throws what a participant throws at it; then the hub is closed. */
  static async open(options: MsgHubOptions): Promise<MsgHub> {
    const where = "MsgHub.open"
    checkNames(where, options, ["participants", "announcement", "autoBroadcast", "name"])
    const { participants, announcement, autoBroadcast = true, name = "MsgHub" } = options
    check(where, "participants", participants, Array.isArray(participants), "a list of agents")
    check(where, "autoBroadcast", autoBroadcast, typeof autoBroadcast === "boolean", "true or false")
    check(where, "name", name, typeof name === "string", "a text")
    const messages = messagesOf(where, announcement)
    const hub = new MsgHub(name, autoBroadcast)
    hub.add(participants)
    try {
      if (messages.length > 0) await hub.broadcast(messages)
      return hub
    } catch (error) {
      await hub.close()
      throw error
    }
  }

  /** Who is in, in the order of joining. */
  get participants(): readonly AgentBase[] {
    return [...this.#participants]
  }

  /** Lets agents join; who is in already stays so. What was said before they do not hear. */
  add(agents: AgentBase | readonly AgentBase[]): void {
    this.#checkOpen("add")
    const all = listOf(agents)
    for (const agent of all) checkAgent(`${this.name}.add`, agent)
    for (const agent of all) {
      if (this.#participants.has(agent)) continue
      this.#participants.add(agent)
      join(agent, this.#circle)
    }
  }

  /** Lets agents go: from now on they neither hear nor are heard, also those who are speaking. Others are passed over. */
  delete(agents: AgentBase | readonly AgentBase[]): void {
    for (const agent of listOf(agents)) if (this.#participants.delete(agent)) leave(agent, this.#circle)
  }

  /** Tells everybody. @throws what a participant throws, once all were told. */
  async broadcast(input: AgentInput): Promise<void> {
    this.#checkOpen("broadcast")
    const messages = allTold(messagesOf(`${this.name}.broadcast`, input))
    const work = tellAll(this.#participants, messages)
    this.#delivering(work)
    await work
  }

  /** Whether what one replies from now on is heard by the others. */
  setAutoBroadcast(on: boolean): void {
    check(this.name, "autoBroadcast", on, typeof on === "boolean", "true or false")
    this.#autoBroadcast = on
  }

  /** Lets everybody go, and waits for what is being told. Closing twice does nothing. */
  async close(): Promise<void> {
    this.#closed = true
    this.delete(this.participants)
    await Promise.allSettled(this.#deliveries)
  }

  /** The same as {@link MsgHub.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #delivering(work: Promise<unknown>): void {
    this.#deliveries.add(work)
    // who asked for it is told of a failure
    const settled = work.catch(() => {})
    void settled.then(() => this.#deliveries.delete(work))
  }

  #checkOpen(method: string): void {
    if (this.#closed) throw pipelineError("hub_closed", `${this.name}.${method}: the hub is closed: open another.`)
  }
}

const listOf = (agents: AgentBase | readonly AgentBase[]): readonly AgentBase[] =>
  Array.isArray(agents) ? agents : [agents as AgentBase]

function checkAgent(where: string, agent: unknown): void {
  const { observe, onReply } = (agent ?? {}) as { observe?: unknown; onReply?: unknown }
  const holds = typeof observe === "function" && typeof onReply === "function"
  check(where, "a participant", agent, holds, "an agent; of a pipeline, give its agents")
}
