import { userMsg } from "@agentscope-ts/message"
import type { ToolContext, ToolResponse } from "@agentscope-ts/tool"
import { type AgentBase, closeWaiting } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import type { Home, ReplyOptions, Run } from "../base/agent-run.ts"
import { Budget, type BudgetLimits } from "../budget/budget.ts"
import { runKey } from "../react/reply-work.ts"
import { failure, responseOf, suspension } from "./sub-agent-answer.ts"
import { SubAgentRun } from "./sub-agent-run.ts"
import { SubAgents } from "./sub-agents.ts"
import { type GoingOn, goingOnKey, type WaitingAgent } from "./waiting-child.ts"

/** What a model gives. */
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

/** The inside of an agent that is a tool: which instance is asked, and how a call of it goes on. */
export class AgentTool {
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
        const subAgent = this.#subAgent(asking, leases, pool ?? (leases ? undefined : limits))
        const { run } = subAgent
        const answer = await subAgent.reply({
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

  #subAgent(
    { agent, input, ctx, parent, going }: Asking,
    leases: readonly Budget[] | undefined,
    budget: ReplyOptions["budget"],
  ): SubAgentRun {
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
    return subAgent
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
  // it may have come to hold more than that since, as an agent with a session may
  agent.loadStateDict(child.state, { strict: false })
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
