import { copyOf, type Approval, type ToolResultBlock, type ToolUseBlock, toolResult } from "@agentscope-ts/message"
import { checkBlocks } from "@agentscope-ts/model"
import type { ExecuteOptions, ToolRun } from "@agentscope-ts/tool"
import { hooksOf } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import { type Run, Stopped } from "../base/agent-run.ts"
import type { HookTable } from "../hooks/hooks.ts"
import type { ReActAgent } from "../react/react-agent.ts"
import type { ReplyWork } from "../react/reply-work.ts"
import { interruptedResult } from "../waiting/round.ts"
import { runPost, runPre } from "../hooks/run-hooks.ts"
import { finishResult, finishToolName, type StructuredReply } from "../react/structured-reply.ts"
import { allowed, type GoingOn, goingOnKey } from "../sub-agents/waiting-child.ts"

function takeCall(input: { readonly toolUse: ToolUseBlock }): { readonly toolUse: ToolUseBlock } {
  checkKind("toolUse", input.toolUse, "tool_use")
  return input
}

function takeResult(result: ToolResultBlock): ToolResultBlock {
  checkKind("output", result, "tool_result")
  return result
}

function checkKind(name: string, block: { readonly type?: unknown } | undefined, type: string): void {
  checkBlocks([block], name)
  if (block?.type !== type) throw agentError("invalid_argument", `${name} is no block of the type ${type}.`)
}
const callCopies = { input: copyOf<{ readonly toolUse: ToolUseBlock }>, take: takeCall }
const actingCopies = {
  input: copyOf<{ readonly toolUse: ToolUseBlock }>,
  output: copyOf<ToolResultBlock>,
  take: takeResult,
}

/** What the calls of one reply have in common. */
export interface ActingTerms {
  readonly agent: ReActAgent
  readonly run: Run
  readonly structured: StructuredReply | undefined
  /** What every call is executed with; the approval policy includes the remembered rules. */
  readonly options: ExecuteOptions
  /** Calls may run beside each other. */
  readonly parallel: boolean
}

/**
 * The tool calls of one round. Calls that may run beside others start at once; one that may not waits for those before it,
 * and those after it wait for it. Every call gets a result: nothing here rejects.
 */
export class Acting {
  readonly #work: ReplyWork
  readonly #calls: ToolUseBlock[] = []
  readonly #results: Promise<ToolResultBlock>[] = []
  #running: ToolRun[] | undefined
  /** The last call that runs alone. */
  #barrier: Promise<unknown> | undefined
  /** How many results there were when it was set. */
  #since = 0
  #cancelled = false
  /** The limit that kept a call from running. */
  overBudget: string | undefined
  /** What the finish tool was called with, once it was right. */
  structured: { readonly value: unknown } | undefined

  constructor(work: ReplyWork) {
    this.#work = work
  }

  // read when there is a call: an agent without tools makes no toolkit
  get #terms(): ActingTerms {
    return this.#work.terms
  }

  /** Starts a call, now or when its turn comes. `approval` answers one that waited: its `preActing` hooks have run. */
  start(call: ToolUseBlock, approval?: Approval, going?: GoingOn): void {
    const begin = () => this.#act(call, approval, going)
    const results = this.#results
    let result: Promise<ToolResultBlock>
    if (this.#terms.parallel && this.#work.toolkitOf(call.name).isConcurrencySafe(call.name)) {
      result = this.#barrier ? this.#barrier.then(begin) : begin()
    } else {
      const before = results.slice(this.#since)
      if (this.#barrier) before.push(this.#barrier as Promise<ToolResultBlock>)
      result = before.length > 0 ? Promise.all(before).then(begin) : begin()
      this.#barrier = result
      this.#since = results.length + 1
    }
    this.#calls.push(call)
    results.push(result)
  }

  /** Hands answers to the sub-agent that waits behind a call: the call runs again, and asks nothing anew. */
  goOn(going: GoingOn): void {
    const { call } = going.child
    this.start(call, allowed(going.child, this.#work.toolkitOf(call.name).get(call.name)), going)
  }

  /** The call of this id, once it was started. */
  started(id: string): ToolUseBlock | undefined {
    return this.#calls.find((call) => call.id === id)
  }

  /** Whether a call was started. */
  get hasCalls(): boolean {
    return this.#calls.length > 0
  }

  /** Takes a result that came from outside for the call. */
  give(call: ToolUseBlock, result: ToolResultBlock): void {
    this.#calls.push(call)
    this.#results.push(this.#given(call, result))
  }

  async #given(call: ToolUseBlock, result: ToolResultBlock): Promise<ToolResultBlock> {
    try {
      return this.#emitResult(call, await this.#after(call, result, call))
    } catch (error) {
      return this.#hookFailed(call, error)
    }
  }

  /** The result of each call, in order; those that have not been started are started. */
  async finish(calls: readonly ToolUseBlock[]): Promise<readonly ToolResultBlock[]> {
    const same = ({ id }: ToolUseBlock, i: number) =>
      this.#calls[i]?.id === id ? i : this.#calls.findIndex((call) => call.id === id)
    const started = calls.map(same)
    for (const [i, at] of started.entries()) {
      const call = calls[i]
      if (at >= 0 || call === undefined) continue
      started[i] = this.#calls.length
      this.start(call)
    }
    const all = started.map((at) => this.#results[at]) as Promise<ToolResultBlock>[]
    return all.length === 1 ? [(await all[0]) as ToolResultBlock] : Promise.all(all)
  }

  /** Ends the calls that run, and keeps the others from starting; the results say so. */
  cancel(): void {
    this.#cancelled = true
    for (const running of this.#running ?? []) running.cancel()
  }

  #act(call: ToolUseBlock, approval: Approval | undefined, going?: GoingOn): Promise<ToolResultBlock> {
    const { agent, run, structured } = this.#terms
    if (this.#cancelled || run.stopped) return this.#done(call, this.#unstarted(call))
    if (structured && call.name === finishToolName) return this.#finishTool(call, structured)
    const { purse } = this.#work
    // one that waited was counted when it came
    const overBudget = purse?.takeToolCall(approval !== undefined)
    if (overBudget) {
      this.overBudget ??= overBudget
      const refused = toolResult(call, `${overBudget} The call did not run.`, { state: "error" })
      return this.#done(call, this.#begunBefore(call) ?? refused)
    }
    const hooks = hooksOf(agent)
    if (hooks?.preActing || hooks?.postActing) return this.#actHooked(call, approval, going, hooks)
    const result = this.#execute(call, approval, going)
    if (run.listener === undefined) return result
    return result.then((block) => this.#emitResult(call, block))
  }

  #unstarted(call: ToolUseBlock): ToolResultBlock {
    return this.#begunBefore(call) ?? interruptedResult(call)
  }

  /** What is known of a call that was begun before the process was killed. */
  #begunBefore(call: ToolUseBlock): ToolResultBlock | undefined {
    return this.#work.settings.session?.resultOf(call)
  }

  async #actHooked(
    call: ToolUseBlock,
    approval: Approval | undefined,
    going: GoingOn | undefined,
    hooks: HookTable,
  ): Promise<ToolResultBlock> {
    const { agent, run } = this.#terms
    try {
      let input: { readonly toolUse: ToolUseBlock } = { toolUse: call }
      if (hooks.preActing && !approval)
        input = await runPre("preActing", hooks.preActing, agent, input, callCopies, run)
      if (this.#cancelled || run.stopped) return await this.#done(call, this.#unstarted(call))
      // whatever a hook returns, it stays the call that the result and the answers of people are for
      const { id } = call
      const toolUse = input.toolUse.id === id ? input.toolUse : { ...input.toolUse, id }
      const result = await this.#execute(toolUse, approval, going)
      return this.#emitResult(call, await this.#after(toolUse, result, call))
    } catch (error) {
      return this.#hookFailed(call, error)
    }
  }

  /** A hook that throws ends the reply. The call is closed without its result, which the hook may have had to change. */
  #hookFailed(call: ToolUseBlock, error: unknown): ToolResultBlock {
    if (!(error instanceof Stopped)) this.#terms.run.stop({ kind: "failure", reason: error })
    return this.#emitResult(call, interruptedResult(call))
  }

  /** Runs the hooks after a call; its result stays the result of this call, whatever they return. */
  async #after(toolUse: ToolUseBlock, result: ToolResultBlock, call: ToolUseBlock): Promise<ToolResultBlock> {
    const { agent, run } = this.#terms
    const hooks = hooksOf(agent)
    let changed = result
    if (hooks?.postActing) {
      changed = await runPost("postActing", hooks.postActing, agent, { toolUse }, result, actingCopies, run)
    }
    return changed.id === call.id && changed.name === call.name ? changed : { ...changed, id: call.id, name: call.name }
  }

  #execute(call: ToolUseBlock, approval: Approval | undefined, going: GoingOn | undefined): Promise<ToolResultBlock> {
    const work = this.#work
    const { session } = work.settings
    if (session === undefined) return this.#run(call, approval, going)
    return session.call(work, call, () => this.#run(call, approval, going))
  }

  #run(call: ToolUseBlock, approval: Approval | undefined, going: GoingOn | undefined): Promise<ToolResultBlock> {
    const { run } = this.#terms
    let { options } = this.#terms
    if (going) options = { ...options, context: [goingOnKey.of(going), ...(options.context ?? [])] }
    const execution = this.#work.toolkitOf(call.name).execute(call, this.#optionsOf(call, approval, options))
    const running = (this.#running ??= [])
    running.push(execution)
    if (run.listener) {
      execution.listen((chunk) => {
        if (chunk.type === "progress") run.emit({ type: "tool_progress", toolUse: call, data: chunk.data })
        else run.emit({ type: "tool_result_delta", toolUse: call, block: chunk.data })
      })
    }
    return execution.result
  }

  /** A call that is refused, or waits for somebody, does not start. */
  #optionsOf(call: ToolUseBlock, approved: Approval | undefined, options: ExecuteOptions): ExecuteOptions {
    const { run } = this.#terms
    if (run.listener === undefined) return approved ? { ...options, approved } : options
    const onLate = (outcome: "returned" | "threw"): void =>
      run.warn(
        "late_tool_result",
        `"${call.name}" (${call.id}) ${outcome} after it had been given up: that is not in the history, but its effects may be there.`,
      )
    return { ...options, approved, onLate, onStart: () => run.emit({ type: "tool_execution_start", toolUse: call }) }
  }

  #finishTool(call: ToolUseBlock, structured: StructuredReply): Promise<ToolResultBlock> {
    this.#terms.run.emit({ type: "tool_execution_start", toolUse: call })
    const answer = structured.ofCall(call)
    if (answer.ok) this.structured = answer
    return this.#done(call, finishResult(call, answer))
  }

  async #done(call: ToolUseBlock, result: ToolResultBlock): Promise<ToolResultBlock> {
    return this.#emitResult(call, result)
  }

  /** A suspended call has no result yet: its event comes when it has. */
  #emitResult(call: ToolUseBlock, result: ToolResultBlock): ToolResultBlock {
    if (result.state !== "suspended") this.#terms.run.emit({ type: "tool_result", toolUse: call, result })
    return result
  }
}
