import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { type AgentBase, closeWaiting } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import type { WaitingChild } from "./waiting-child.ts"

/** Conversations that one tool keeps going for one agent; beyond, the one that was not used for longest is forgotten. */
const mostSessions = 100

/** The conversations of one tool by their ids, the one used last at the end: agents, and states that nobody has asked since. */
interface Sessions {
  tool: object | undefined
  readonly agents: Map<string, AgentBase | { readonly saved: JsonObject }>
}

/**
 * The agents that one conversation has asked through its tools, as far as they are needed again: those of sessions that can
 * be gone on with, and those that wait for somebody. Others are let go when they have answered.
 */
export class SubAgents {
  readonly #sessions = new Map<string, Sessions>()
  /** By the call that asked. */
  readonly #waiting = new Map<string, AgentBase>()

  // ---- sessions

  /** The agent of a session of this tool; made when there is none. */
  session(tool: { readonly name: string }, id: string, make: () => AgentBase): AgentBase {
    const { agents } = this.#of(tool)
    const known = agents.get(id)
    const agent = known === undefined || "saved" in known ? make() : known
    if (known && "saved" in known) agent.loadStateDict(known.saved, { strict: false })
    keep(agents, id, agent)
    return agent
  }

  /** Two tools of one name have sessions of their own. */
  #of(tool: { readonly name: string }): Sessions {
    for (let n = 1; ; n++) {
      const key = n === 1 ? tool.name : `${tool.name}_${n}`
      const sessions = this.#sessions.get(key) ?? { tool, agents: new Map() }
      this.#sessions.set(key, sessions)
      sessions.tool ??= tool
      if (sessions.tool === tool) return sessions
    }
  }

  // ---- agents that wait

  /** An agent has come to wait behind a call. */
  wait(callId: string, agent: AgentBase): void {
    this.#waiting.set(callId, agent)
  }

  /** Whether an agent waits behind the call. */
  holds(callId: string, agent: AgentBase): boolean {
    return this.#waiting.get(callId) === agent
  }

  /** The agent that waits behind a call, which now goes on. */
  take(callId: string): AgentBase | undefined {
    const agent = this.#waiting.get(callId)
    this.#waiting.delete(callId)
    return agent
  }

  /** Nobody goes on with the call any more: the calls of the agent behind it are closed as interrupted. */
  async close(callId: string, child?: WaitingChild): Promise<void> {
    const agent = this.take(callId)
    if (agent) return closeWaiting(agent)
    // of another process: it is closed when the session is gone on with
    const id = child?.call.input["session_id"]
    if (child === undefined || typeof id !== "string" || id === "") return
    const sessions = this.#sessions.get(child.tool) ?? { tool: undefined, agents: new Map() }
    this.#sessions.set(child.tool, sessions)
    if (!sessions.agents.has(id)) keep(sessions.agents, id, { saved: child.state })
  }

  // ---- state

  /** The sessions as they are; those that wait are saved where they are waited for. */
  save(): JsonValue {
    const waiting = new Set(this.#waiting.values())
    const saved = [...this.#sessions].map(([tool, { agents }]): [string, JsonValue[]] => [
      tool,
      [...agents].flatMap(([id, agent]) => {
        if ("saved" in agent) return [{ id, state: agent.saved }]
        return waiting.has(agent) ? [] : [{ id, state: agent.stateDict() }]
      }),
    ])
    return Object.fromEntries(saved.filter(([, sessions]) => sessions.length > 0))
  }

  /** @throws AgentScopeError `invalid_argument` for what {@link SubAgents.save} did not give. */
  static load(value: JsonValue): SubAgents {
    const loaded = new SubAgents()
    if (!isObject(value)) throw unfit()
    for (const [tool, sessions] of Object.entries(value)) {
      if (!Array.isArray(sessions)) throw unfit()
      const agents: Sessions["agents"] = new Map()
      for (const session of sessions as readonly JsonValue[]) {
        if (!isObject(session) || typeof session["id"] !== "string" || !isObject(session["state"])) throw unfit()
        agents.set(session["id"], { saved: session["state"] })
      }
      loaded.#sessions.set(tool, { tool: undefined, agents })
    }
    return loaded
  }
}

function keep(agents: Sessions["agents"], id: string, agent: AgentBase | { readonly saved: JsonObject }): void {
  // the end of the map is what was used last
  agents.delete(id)
  agents.set(id, agent)
  const [oldest] = agents.keys()
  if (agents.size > mostSessions && oldest !== undefined) agents.delete(oldest)
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const unfit = (): Error =>
  agentError(
    "invalid_argument",
    "The saved sub-agents must be lists of sessions, { id, state }, by the names of tools.",
  )
