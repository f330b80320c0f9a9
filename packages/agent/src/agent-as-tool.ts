import { AgentScopeError, blocksOf, type Reply, textOf, userMsg } from "@agentscope-ts/message"
import { type Tool, type ToolContext, type ToolResponse, tool, toolResponse } from "@agentscope-ts/tool"
import { type AgentBase, closeWaiting } from "./agent-base.ts"
import { agentError } from "./agent-error.ts"
import type { Home, ReplyOptions, Run, Visit } from "./agent-run.ts"
import { Budget, type BudgetLimits, checkLimits } from "./budget.ts"
import { checkNames, checkOption, describe } from "./options.ts"
import { runKey } from "./reply-work.ts"
import { SubAgentRun } from "./sub-agent-run.ts"
import { SubAgents } from "./sub-agents.ts"
import { type GoingOn, goingOnKey, type WaitingAgent, waitingAgentKey } from "./waiting-child.ts"

/** Options of {@link agentAsTool}. */
export interface AgentToolOptions {
  /** What the model is told that it can ask. */
  description: string
  /** The tool's name; made of the agent's unless given. */
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
    throw agentError("invalid_argument", `agentAsTool: description must be a text, not ${describe(description)}.`)
  }
  checkOption("agentAsTool", "forwardEvents", forwardEvents, typeof forwardEvents === "boolean", "true or false")
  if (budget !== undefined && !(budget instanceof Budget)) checkLimits("agentAsTool: budget", budget)
  const make = typeof agent === "function" ? agent : undefined
  // only an instance knows its name
  const name = options.name ?? toolName((typeof agent === "function" ? agent() : agent).name)
  const asked = new AgentTool(agent, name, forwardEvents, budget)
  return tool({
    name,
    description,
    input: make ? inSessions : (alone as typeof inSessions),
    timeoutMs,
    execute: (input, ctx) => asked.execute(input, ctx),
  })
}

interface Input {
  readonly message: string
  readonly session_id?: string
}

/** Behind which call of which conversation an agent waits: other callers of one instance must leave it alone. */
const waitingBehind = new WeakMap<AgentBase, { readonly home: WeakRef<Home>; readonly callId: string }>()
/** Whose conversation asked an instance last: several could share it. */
const lastAsker = new WeakMap<AgentBase, WeakRef<Home>>()

/** One call of an agent as a tool. */
interface Asking {
  readonly agent: AgentBase
  readonly input: Input
  readonly ctx: ToolContext
  readonly parent: Run | undefined
  readonly home: Home
  readonly subAgents: SubAgents
  readonly going: GoingOn | undefined
}

class AgentTool {
  readonly name: string
  readonly #source: AgentBase | (() => AgentBase)
  readonly #forwards: boolean
  readonly #budget: BudgetLimits | Budget | undefined
  /** The sessions of calls that no agent makes. */
  readonly #lone: Home = { subAgents: undefined }

  constructor(
    source: AgentBase | (() => AgentBase),
    name: string,
    forwards: boolean,
    budget: BudgetLimits | Budget | undefined,
  ) {
    this.#source = source
    this.name = name
    this.#forwards = forwards
    this.#budget = budget
  }

  async execute(input: Input, ctx: ToolContext): Promise<ToolResponse<string> | string> {
    const parent = ctx.get(runKey) ?? undefined
    const home = parent?.home ?? this.#lone
    const subAgents = (home.subAgents ??= new SubAgents())
    const going = this.#goingOn(ctx)
    const agent = (going && subAgents.take(ctx.toolUseId)) ?? this.#agent(subAgents, input)
    const answer = this.#ask({ agent, input, ctx, parent, home, subAgents, going })
    if (parent === undefined) return answer
    const asked = (parent.asked ??= new Set())
    asked.add(answer)
    try {
      return await answer
    } finally {
      asked.delete(answer)
    }
  }

  /** The answers that this call was made again for. */
  #goingOn(ctx: ToolContext): GoingOn | undefined {
    const going = ctx.get(goingOnKey)
    if (going === null || going.isTaken || going.child.tool !== this.name) return undefined
    going.isTaken = true
    return going
  }

  #agent(subAgents: SubAgents, { session_id }: Input): AgentBase {
    const source = this.#source
    if (typeof source !== "function") return source
    return session_id ? subAgents.session(this, session_id, source) : source()
  }

  async #ask(asking: Asking): Promise<ToolResponse<string> | string> {
    const { agent, ctx, parent, home, subAgents } = asking
    let isOn = false
    let waiting: WaitingAgent | undefined
    try {
      const [limits, pool] = this.#budget instanceof Budget ? [undefined, this.#budget] : [this.#budget, undefined]
      const leases = parent?.purse?.handDown(limits)
      try {
        const { run, reply } = this.#run(asking, leases, pool ?? (leases ? undefined : limits))
        const answer = await reply({
          onTurn: () => {
            if (asking.going) restore(agent, asking.going, home)
            else checkFree(agent)
            isOn = true
            lastAsker.set(agent, new WeakRef(home))
          },
          onReply: () => {
            const { pending } = run
            if (pending.length === 0 || parent === undefined) return
            waiting = { tool: this.name, agent: agent.name, pending, state: agent.stateDict() }
            subAgents.wait(ctx.toolUseId, agent)
            waitingBehind.set(agent, { home: new WeakRef(home), callId: ctx.toolUseId })
          },
        })
        if (waiting && ctx.signal.aborted) await subAgents.close(ctx.toolUseId)
        else if (waiting === undefined) {
          if (run.pending.length > 0) await closeWaiting(agent)
          return responseOf(agent.name, answer)
        }
      } finally {
        if (limits) for (const lease of leases ?? []) lease.release()
      }
    } catch (error) {
      // it may wait still, for answers that nobody has any more
      if (isOn) await closeWaiting(agent)
      throw failure(error, agent, parent)
    }
    throw suspension(this.name, waiting)
  }

  #run(
    { agent, input, ctx, parent, going }: Asking,
    leases: readonly Budget[] | undefined,
    budget: ReplyOptions["budget"],
  ) {
    const subAgent = new SubAgentRun({
      agent,
      input: going?.answers ?? userMsg(input.message, { name: ctx.agent?.name }),
      options: { context: parent?.context, budget },
      callId: ctx.toolUseId,
      signal: ctx.signal,
      parent,
      forwards: this.#forwards,
    })
    subAgent.run.inherited = leases
    return { run: subAgent.run, reply: (visit: Visit) => subAgent.reply(visit) }
  }
}

/** An agent that does not wait for these answers is one that was made anew: it goes on from what was saved. */
function restore(agent: AgentBase, { child }: GoingOn, home: Home): void {
  const ids = (calls: WaitingAgent["pending"]) =>
    JSON.stringify(calls.map(({ toolUse, digest }) => [toolUse.id, digest]))
  if (ids(agent.pending) === ids(child.pending)) return
  const last = lastAsker.get(agent)?.deref()
  if (last && last !== home) {
    throw agentError(
      "agent_busy",
      "it has gone on with somebody else, and does not wait for these answers any more. Make it a tool by a factory, so that each conversation has its own.",
    )
  }
  agent.loadStateDict(child.state)
}

/** A failure of the agent, with its name and code. */
function failure(error: unknown, agent: AgentBase, parent: Run | undefined): unknown {
  if (AgentScopeError.is(error, "too_deep")) {
    // each of the agents that led there would try again
    if (parent?.parent) parent.stop({ kind: "failure", reason: error })
    return error
  }
  const known = AgentScopeError.is(error) && error.code !== "tool_suspended"
  const { code, retryable } = known ? error : { code: "unexpected", retryable: false }
  const why = error instanceof Error ? error.message : String(error)
  const message = `The agent "${agent.name}" failed (${code}): ${why}`
  return new AgentScopeError({ code, message, retryable, cause: error })
}

/** Refuses to disturb an agent that waits for answers which somebody may still give. @throws AgentScopeError `agent_busy`. */
function checkFree(agent: AgentBase): void {
  const behind = agent.pending.length > 0 ? waitingBehind.get(agent) : undefined
  if (behind === undefined || !behind.home.deref()?.subAgents?.holds(behind.callId, agent)) return
  const calls = agent.pending.map(({ toolUse }) => toolUse.name).join(", ")
  throw agentError(
    "agent_busy",
    `it waits for ${calls}, which it was asked for in another call: ask it again when that is answered.`,
  )
}

/** What lets the call wait, with all that it takes to go on. */
function suspension(tool: string, waiting: WaitingAgent | undefined): Error {
  if (waiting === undefined) return agentError("aborted", `The call of "${tool}" was given up.`)
  const names = waiting.pending.map(({ toolUse }) => toolUse.name).join(", ")
  const reason = `The agent "${waiting.agent}" waits for ${names}.`
  const details = { reason, metadata: { [waitingAgentKey]: waiting } } as never
  const message = `The tool "${tool}" cannot answer yet: ${reason}`
  return new AgentScopeError({ code: "tool_suspended", message, details })
}

/** What the model is told of a reply that is not a whole answer. */
const endings: Readonly<Partial<Record<Reply<unknown>["finishReason"], string>>> = {
  max_iterations: "stopped at its limit of iterations: this is what it has.",
  repetition: "stopped because it repeated itself.",
  budget_exceeded: "stopped because its budget is used up.",
  interrupted: "was interrupted.",
}

function responseOf(name: string, reply: Reply<unknown>): ToolResponse<string> | string {
  const structured = textOf(reply)
  const { finishReason, pending } = reply
  const media = reply.content.filter(({ type }) => ["image", "audio", "video", "file"].includes(type))
  if (finishReason === "completed" && media.length === 0) return structured
  const metadata = { finishReason }
  if (pending.length > 0) {
    const calls = pending.map(({ toolUse }) => toolUse.name).join(", ")
    const why = `The agent "${name}" cannot go on: it waits for ${calls}, and nobody can answer it here.`
    return toolResponse(structured === "" ? why : `${structured}\n${why}`, { structured, state: "error", metadata })
  }
  const ending = endings[finishReason]
  const note =
    ending === undefined
      ? []
      : [{ type: "text", text: `<system-info>The agent "${name}" ${ending}</system-info>` } as const]
  const content = [...blocksOf(reply, "text"), ...(media as ReturnType<typeof blocksOf<"image">>), ...note]
  const state = finishReason === "budget_exceeded" ? "error" : finishReason === "interrupted" ? finishReason : "success"
  return toolResponse(content, { structured, state, metadata })
}

/** A name that every provider takes. */
const toolName = (agentName: string): string =>
  agentName
    .trim()
    .replaceAll(/[^a-zA-Z0-9_-]+/g, "_")
    .slice(0, 64) || "agent"
