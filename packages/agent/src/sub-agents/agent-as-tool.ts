import { describeValue, isThenable } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { AgentBase } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import { AgentTool } from "./agent-tool.ts"
import { Budget, type BudgetLimits, checkLimits } from "../budget/budget.ts"
import { checkNames, checkOption } from "../options.ts"

/** Options of {@link agentAsTool}. */
export interface AgentToolOptions {
  /** What the model is told that it can ask. */
  description: string
  /** The tool's name; made of the agent's unless given: a factory is then called once more, for that alone. */
  name?: string | undefined
  /** Whether the agent's events come in the stream of the one that asks, with its `path`. Default true. */
  forwardEvents?: boolean | undefined
  /** How long a call may take, in milliseconds, before the agent is interrupted. No limit unless given: it has its own. */
  timeoutMs?: number | undefined
  /**
   * What one call may spend, leased from the budgets of the one that asks, where it has some; what is not spent goes back. A
   * `Budget` is one pool for all calls.
   */
  budget?: BudgetLimits | Budget | undefined
}

const optionNames = ["description", "name", "forwardEvents", "timeoutMs", "budget"] as const

const message = { type: "string", description: "What to ask or to tell the agent." } as const
const session_id = {
  type: "string",
  description: "Names a conversation to go on with. A new name, or none, begins a new one.",
} as const
const alone = { type: "object", properties: { message }, required: ["message"] } as const
const inSessions = { type: "object", properties: { message, session_id }, required: ["message"] } as const

/**
 * Makes an agent a tool of another. With a factory each `session_id` has an instance of its own, kept and saved with the agent
 * that asks, and a call without one a fresh instance; an agent given as it is has one conversation, whoever asks, and calls
 * wait for each other.
 *
 * When it comes to wait for an approval or a result, the one that asked waits, and lists its calls; answers are handed down.
 * An interrupt of the asking run interrupts it, an abort gives it up. It spends from the budgets of the one that asks, and its
 * usage counts there. Values of the asking agent's `context` reach its tools, after its own.
 */
export function agentAsTool(
  agent: AgentBase | (() => AgentBase),
  options: AgentToolOptions,
): Tool<{ message: string; session_id?: string }, string> {
  checkNames("agentAsTool", options, optionNames)
  const { description, forwardEvents = true, timeoutMs = Number.POSITIVE_INFINITY, budget } = options
  if (typeof description !== "string") {
    throw agentError("invalid_argument", `agentAsTool: description must be a text, not ${describeValue(description)}.`)
  }
  checkOption("agentAsTool", "forwardEvents", forwardEvents, typeof forwardEvents === "boolean", "true or false")
  if (budget !== undefined && !(budget instanceof Budget)) checkLimits("agentAsTool: budget", budget)
  checkOption("agentAsTool", "name", options.name, typeof options.name === "string", "a text")
  const source = typeof agent === "function" ? factoryOf(agent) : asAgent(agent)
  // only an instance knows its name
  const name = options.name ?? toolName((typeof source === "function" ? source() : source).name)
  const asked = new AgentTool(source, name, forwardEvents, budget)
  return tool({
    name,
    description,
    input: typeof agent === "function" ? inSessions : (alone as typeof inSessions),
    timeoutMs,
    execute: (input, ctx) => asked.execute(input, ctx),
  })
}

const isAgent = (value: unknown): value is AgentBase => value instanceof AgentBase

function asAgent(agent: unknown): AgentBase {
  if (isAgent(agent)) return agent
  const wanted = "an agent, or a function that makes one: () => new ReActAgent({ … })"
  throw agentError("invalid_argument", `agentAsTool: agent must be ${wanted}, not ${describeValue(agent)}.`)
}

function factoryOf(factory: () => unknown): () => AgentBase {
  if (!(factory.prototype instanceof AgentBase)) return () => madeBy(factory)
  const { name } = factory
  const message = `agentAsTool: ${name} is a class of agents: give a function that makes one: () => new ${name}({ … }).`
  throw agentError("invalid_argument", message)
}

/** An agent of a factory: it has to be there at once. */
function madeBy(factory: () => unknown): AgentBase {
  const made = factory()
  if (isAgent(made)) return made
  if (isThenable(made)) {
    // nobody waits for it any more
    made.then(undefined, () => {})
    const message = "returned a promise: make what it needs before, and let it return the agent itself."
    throw agentError("invalid_argument", `agentAsTool: the function that makes agents ${message}`)
  }
  throw agentError(
    "invalid_argument",
    `agentAsTool: the function that makes agents must return an agent, not ${describeValue(made)}.`,
  )
}

/** A name that every provider takes. */
const toolName = (agentName: string): string =>
  agentName
    .trim()
    .replaceAll(/[^a-zA-Z0-9_-]+/g, "_")
    .slice(0, 64) || "agent"
