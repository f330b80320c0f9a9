import { type AgentEvent, ambient, onAbort, type Reply, type Resume } from "@agentscope-ts/message"
import { type AgentBase, currentRun, performRun } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import { type AgentInput, type ReplyOptions, Run, type Visit } from "../base/agent-run.ts"
import { topOf, waitsForItself } from "./waits-for-itself.ts"
import { pendingBelow } from "./waiting-child.ts"

/** How deep agents may ask each other: more is one that asks itself. */
const mostDepth = 16
/** How long a reply that was stopped waits for the sub-agents that it asked to end, in milliseconds. */
const longestEnd = 2000

/** What the reply of a sub-agent is made of. */
export interface SubAgentCall {
  readonly agent: AgentBase
  readonly input: AgentInput | Resume
  readonly options: ReplyOptions
  /** The tool call that asks. */
  readonly callId: string
  readonly signal: AbortSignal
  /** The reply that the call is of. */
  readonly parent: Run | undefined
  readonly forwards: boolean
}

/**
 * Lets a sub-agent reply to the tool call of another: it waits until it is free, and goes down with the one that asks. An
 * interrupt (and a call that took too long) interrupts it; when the program gives up, it is given up.
 */
export class SubAgentRun {
  readonly run: Run
  readonly #call: SubAgentCall
  readonly #giveUp = new AbortController()
  #hasBegun = false

  constructor(call: SubAgentCall) {
    const { agent, input, options, parent, forwards } = call
    checkDepth(parent, agent)
    this.#call = call
    const forward = parent && forwards ? (event: AgentEvent) => this.#forward(parent, event) : undefined
    this.run = new Run(agent.name, input, { ...options, signal: this.#giveUp.signal }, parent, forward)
  }

  /** The reply; `visit` is told when the agent's turn comes, and when it has answered. */
  async reply(visit: Visit): Promise<Reply<unknown>> {
    const { agent, parent, signal } = this.#call
    const { run } = this
    const wait = parent && waiting(parent, agent)
    run.visit = {
      onTurn: () => {
        this.#hasBegun = true
        wait?.over()
        visit.onTurn()
      },
      onReply: () => visit.onReply(),
    }
    const off = onAbort(signal, () => this.#stop())
    try {
      return await performRun(agent, run)
    } finally {
      off()
      wait?.over()
      // into its budgets it was counted as it was spent
      if (run.usage) parent?.sumUsage(run.usage)
    }
  }

  #stop(): void {
    const { parent, signal } = this.#call
    const kind = parent?.stopped?.kind
    if (!this.#hasBegun || kind === "signal" || kind === "failure") this.#giveUp.abort(signal.reason)
    else this.run.interrupt()
  }

  /** What waits is told with an id that can be answered at the top. */
  #forward(parent: Run, event: AgentEvent): void {
    if (event.type !== "pending") return parent.listener?.(event)
    const { agent, callId } = this.#call
    const pending = pendingBelow(parent.agentName, callId, agent.name, event.pending)
    parent.told = (parent.told ?? new Set()).add(pending.toolUse.id)
    parent.listener?.({ ...event, pending })
  }
}

/** Refuses agents that ask each other without end. @throws AgentScopeError `too_deep`; it ends the replies that led there. */
function checkDepth(parent: Run | undefined, agent: AgentBase): void {
  if (parent === undefined || parent.path.length + 1 < mostDepth) return
  const names = [...parent.path, parent.agentName, agent.name].join(" > ")
  throw agentError(
    "too_deep",
    `Agents ask each other more than ${mostDepth - 1} deep: ${names}. Take the tool from one of them.`,
  )
}

/** Notes that a run waits until an agent is free. @throws AgentScopeError `agent_busy` for a wait without end. */
function waiting(asker: Run, agent: AgentBase): { over(): void } | undefined {
  if (currentRun(agent) === undefined) return undefined
  if (waitsForItself(asker, agent)) {
    const names = [...asker.path, asker.agentName, agent.name].join(" > ")
    throw agentError(
      "agent_busy",
      `The agent "${agent.name}" is busy until this very call is answered (${names}): answer without it.`,
    )
  }
  const top = topOf(asker)
  const wait = { asker, agent }
  const waits = (top.waits ??= new Set())
  waits.add(wait)
  return { over: () => void waits.delete(wait) }
}

/** Waits until those replies of sub-agents have ended that were stopped together with the one that asked: not for long. */
export async function subAgentsEnd(asked: ReadonlySet<Promise<unknown>>): Promise<void> {
  if (asked.size === 0) return
  const over = new AbortController()
  const tooLong = ambient()
    .sleep(longestEnd, over.signal)
    .catch(() => {})
  await Promise.race([Promise.allSettled(asked), tooLong])
  over.abort()
}
