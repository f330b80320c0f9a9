import { textOf, userMsg } from "@agentscope-ts/message"
import { type Tool, type ToolContext, type ToolResponse, tool, toolResponse } from "@agentscope-ts/tool"
import { type AgentBase, performRun } from "./agent-base.ts"
import { agentError } from "./agent-error.ts"
import { Run } from "./agent-run.ts"
import { type BudgetLimits, checkLimits } from "./budget.ts"
import { checkNames, checkOption, describe } from "./options.ts"
import { runKey } from "./reply-work.ts"

/** Options of {@link agentAsTool}. */
export interface AgentToolOptions {
  /** What the model is told that it can ask. */
  description: string
  /** The tool's name; made of the agent's unless given. */
  name?: string | undefined
  /** Whether the agent's events come in the stream of the one that asks, with its `path`. Default true. */
  forwardEvents?: boolean | undefined
  /**
   * What one call may take. Whatever the agent spends counts in the budgets of the reply that asks, too; with limits it gets a
   * lease of them, which is less where less is left.
   */
  budget?: BudgetLimits | undefined
}

/** Conversations that one tool keeps going; beyond, the one that was not used for longest is forgotten. */
const mostSessions = 100

const schema = {
  type: "object",
  properties: {
    message: { type: "string", description: "What to ask or to tell the agent." },
    session_id: {
      type: "string",
      description: "Names a conversation to go on with. A new name, or none, begins a new one.",
    },
  },
  required: ["message"],
} as const
/**
 * Makes an agent a tool of another. With a factory each `session_id` has an instance of its own, and a call without one a
 * fresh instance; an agent given as it is has one conversation, whoever asks, and one call at a time. An agent that comes to
 * wait for an approval or a result is an error for the one that asked. An interrupt or abort of the asking run ends it.
 */
export function agentAsTool(
  agent: AgentBase | (() => AgentBase),
  options: AgentToolOptions,
): Tool<{ message: string; session_id?: string }, string> {
  checkNames("agentAsTool", options, ["description", "name", "forwardEvents", "budget"])
  const { description, forwardEvents = true, budget } = options
  if (typeof description !== "string") {
    throw agentError("invalid_argument", `agentAsTool: description must be a text, not ${describe(description)}.`)
  }
  checkOption("agentAsTool", "forwardEvents", forwardEvents, typeof forwardEvents === "boolean", "true or false")
  if (budget !== undefined) checkLimits("agentAsTool: budget", budget)
  const sessions = typeof agent === "function" ? new Sessions(agent) : undefined
  return tool({
    // only an instance knows its name
    name: options.name ?? toolName((typeof agent === "function" ? agent() : agent).name),
    description,
    input: schema,
    // two calls of one conversation must not meet
    concurrencySafe: sessions !== undefined,
    execute: ({ message, session_id }, ctx) =>
      ask(sessions ? sessions.get(session_id) : (agent as AgentBase), message, ctx, forwardEvents, budget),
  })
}

/** The instances of a factory, by the name of their conversation. */
class Sessions {
  readonly #make: () => AgentBase
  readonly #agents = new Map<string, AgentBase>()

  constructor(make: () => AgentBase) {
    this.#make = make
  }

  get(id: string | undefined): AgentBase {
    if (!id) return this.#make()
    const agent = this.#agents.get(id) ?? this.#make()
    // the end of the map is what was used last
    this.#agents.delete(id)
    this.#agents.set(id, agent)
    const [oldest] = this.#agents.keys()
    if (this.#agents.size > mostSessions && oldest !== undefined) this.#agents.delete(oldest)
    return agent
  }
}

async function ask(
  agent: AgentBase,
  message: string,
  ctx: ToolContext,
  forwards: boolean,
  limits: BudgetLimits | undefined,
): Promise<string | ToolResponse<string>> {
  const asking = ctx.get(runKey) ?? undefined
  const leases = asking?.purse?.handDown(limits)
  const input = userMsg(message, { name: ctx.agent?.name })
  const run = new Run(
    agent.name,
    input,
    { signal: ctx.signal, budget: leases ? undefined : limits },
    forwards ? asking : undefined,
  )
  run.inherited = leases
  const reply = await performRun(agent, run).finally(() => {
    if (limits) for (const lease of leases ?? []) lease.release()
  })
  const text = textOf(reply)
  const { finishReason, pending } = reply
  if (finishReason === "completed") return text
  const metadata = { finishReason }
  if (pending.length > 0) {
    const calls = pending.map(({ toolUse }) => toolUse.name).join(", ")
    const why = `The agent "${agent.name}" cannot go on: it waits for ${calls}, and nobody can answer it here.`
    return toolResponse(text === "" ? why : `${text}\n${why}`, { structured: text, state: "error", metadata })
  }
  const state = finishReason === "budget_exceeded" ? "error" : "success"
  return toolResponse(text, { structured: text, state, metadata })
}

/** A name that every provider takes. */
const toolName = (agentName: string): string =>
  agentName
    .trim()
    .replaceAll(/[^a-zA-Z0-9_-]+/g, "_")
    .slice(0, 64) || "agent"
