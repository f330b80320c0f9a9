import type { AgentRun, ReActAgent } from "@agentscope-ts/agent"
import type { AgentEvent, Approval, PendingCall, Reply } from "@agentscope-ts/message"
import type { Decide } from "./approval.ts"

/** One question to its end: what the agent does, the approvals it waits for, and how the person stops it. */
export class Turn {
  readonly #agent: ReActAgent
  readonly #onEvent: (event: AgentEvent) => void
  readonly #decide: Decide
  readonly #onDecision: (call: PendingCall, approval: Approval) => void
  #run: AgentRun | undefined
  #interrupted = false

  constructor(
    agent: ReActAgent,
    onEvent: (event: AgentEvent) => void,
    decide: Decide,
    onDecision: (call: PendingCall, approval: Approval) => void,
  ) {
    this.#onDecision = onDecision
    this.#agent = agent
    this.#onEvent = onEvent
    this.#decide = decide
  }

  /** Interrupts what runs. False when it was interrupted before. */
  interrupt(): boolean {
    if (this.#interrupted) return false
    this.#interrupted = true
    this.#run?.interrupt()
    return true
  }

  /** Answers. `undefined`: the person stopped it while being asked; a new question closes what waits. */
  async answer(question: string): Promise<Reply | undefined> {
    let reply = await this.#follow(this.#agent.stream(question))
    while (reply.pending.length > 0) {
      const approvals: Approval[] = []
      for (const call of reply.pending) {
        const approval = await this.#decide(call)
        if (approval === undefined || this.#interrupted) return undefined
        this.#onDecision(call, approval)
        approvals.push(approval)
      }
      reply = await this.#follow(this.#agent.stream({ approvals }))
    }
    return reply
  }

  async #follow(run: AgentRun): Promise<Reply> {
    this.#run = run
    if (this.#interrupted) run.interrupt()
    for await (const event of run) this.#onEvent(event)
    return run.reply
  }
}
