import {
  AgentScopeError,
  isThenable,
  hasBlocks,
  isoNow,
  type Msg,
  newId,
  type StopReason,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUsesOf,
} from "@agentscope-ts/message"
import type { ChatRequest, ChatResponse, ToolSchema } from "@agentscope-ts/model"
import { Acting } from "../acting/acting.ts"
import { hooksOf } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import { CallIds } from "../acting/call-ids.ts"
import { contentOf } from "./content-of.ts"
import { malformedCallHint, repetitionHint, silenceHint, structureHint, summariseHint } from "./hints.ts"
import type { HookTable } from "../hooks/hooks.ts"
import { pastRounds } from "../acting/past-rounds.ts"
import { type Said, say } from "./reasoning.ts"
import { hasAnswer, isRefused, noAnswer } from "./refused.ts"
import type { ReplyWork } from "./reply-work.ts"
import { RepeatWatch } from "../acting/repetition.ts"
import { reasoningCopies, requestCopies } from "../hooks/request-copies.ts"
import { runPost, runPre } from "../hooks/run-hooks.ts"
import { sourcesOf } from "../acting/sources-of.ts"
import { ended, isTurn, type Turn, turnGoneOn, warnOfCut, withdrawn } from "./turn.ts"

/** How often in a row a model may send a tool call that cannot be read. */
const mostMalformed = 2
/** How often in a row a model may answer in a form that was not asked for. */
const mostUnfit = 2

/** The reason–act loop of one reply. */
export class ReActLoop {
  readonly #work: ReplyWork
  #iteration = 0
  #malformed = 0
  #unfit = 0
  /** Whether the last answer was empty. */
  #silent = false
  /** Said to the model in the next request, and nowhere else. */
  #hint: Msg | undefined
  /** The skills that were said to be left out. */
  #told: ReadonlySet<string> | undefined
  readonly #repeats: RepeatWatch
  /** The history was made shorter for the model call that is under way. */
  #overflowed = false

  constructor(work: ReplyWork) {
    this.#work = work
    this.#repeats = new RepeatWatch(work.settings.maxRepeats)
  }

  /** Reasons and acts until there is an answer, or a reason to end without one. */
  async run(): Promise<Msg> {
    const work = this.#work
    const repeated = work.goesOn ? await this.#recall() : undefined
    if (repeated) return repeated
    const { openRound } = work
    const gone = openRound && (await this.#act(turnGoneOn(openRound, new Acting(work))))
    if (gone) return gone
    for (;;) {
      if (work.run.stopped) return work.cut()
      await work.join()
      const limit = work.overBudget()
      if (limit) return work.say(limit, "budget_exceeded")
      if (++this.#iteration > work.settings.maxIterations) return this.#summarise()
      const hint = this.#hint
      this.#hint = undefined
      const turn = await this.#reason(hint, false)
      if (!isTurn(turn)) return turn
      const ending = hasBlocks(turn.message, "tool_use") ? await this.#act(turn) : await this.#answer(turn)
      if (ending) return ending
    }
  }

  // ---- reasoning

  /** One model call; a message instead of a turn ends the reply. `closing`: the model may not call tools. */
  async #reason(hint: Msg | undefined, closing: boolean): Promise<Turn | Msg> {
    const work = this.#work
    const { agent, run } = work
    const hooks = hooksOf(agent)
    if (work.settings.parts) await work.prepare()
    let request = await this.#request(hint, closing)
    if (work.settings.parts) {
      if (await work.fit(request)) request = await this.#request(hint, closing)
      // a part may have spent what was left
      const limit = run.stopped ? undefined : work.overBudget()
      if (limit) return work.say(limit, "budget_exceeded")
    }
    const pre = hooks?.preReasoning
    if (pre) {
      const changed = await runPre("preReasoning", pre, agent, request, requestCopies, run)
      // a hook that writes a request anew has no say in how it is stopped, and whose it is
      request = changed.signal ? changed : { ...changed, conversation: agent, signal: run.signal }
    }
    if (run.stopped) return work.cut()
    const acting = new Acting(work)
    const call = work.modelCall()
    if (call) {
      const admitted = await call.admit(request)
      if (run.stopped) call.cancel()
      if (run.stopped) return work.cut()
      if (typeof admitted === "string") return work.say(admitted, "budget_exceeded")
      request = admitted
    }
    const msgId = newId()
    run.emit({ type: "model_start", msgId, iteration: this.#iteration, model: agent.model.model })
    const onToolUse = closing ? undefined : this.#early(acting, hooks)
    const said = await say(agent.model, request, work.settings.streaming, run, msgId, onToolUse, call)
    if (call) await ("error" in said ? call.end(said.partial, said) : call.end(said.response))
    if ("error" in said) {
      const again = await this.#overflow(said, acting)
      if (!again) return this.#broken(said, msgId, acting)
      this.#count(msgId, { ...said.partial } as ChatResponse, "error")
      return this.#reason(hint, closing)
    }
    this.#overflowed = false
    const { stopReason } = said.response
    const content = contentOf(run, msgId, said.response)
    this.#count(msgId, said.response, stopReason)
    if (said.filtered && stopReason !== "content_filter") run.warn("content_filtered", said.filtered)
    let message = this.#message(msgId, content)
    if (hooks?.postReasoning) {
      try {
        message = await runPost("postReasoning", hooks.postReasoning, agent, request, message, reasoningCopies, run)
      } catch (error) {
        await this.#keep(message, acting)
        throw error
      }
    }
    message = await this.#settled(message, acting)
    const limited = stopReason === "length" ? call?.limitedTo : undefined
    return { message, stopReason, acting, why: said.filtered ?? said.response.refusal, limited }
  }

  async #request(hint: Msg | undefined, closing: boolean): Promise<ChatRequest> {
    const work = this.#work
    const { agent, run, settings, toolkit, structured } = work
    const changed = toolkit?.refresh()
    if (changed) await sourcesOf(run, changed)
    const got = agent.memory.get()
    const past = isThenable(got) ? await got : got
    // groups may have been switched, and folders changed, since the last step
    const skills = toolkit?.skillPrompt(work.toolState, (problem) => this.#tell(problem))
    const told = skills && (await run.whileRunning(skills))
    const system = work.conversation.withSkills(settings.system, told)
    const messages = [system, ...past]
    if (settings.parts) {
      work.show(messages)
      messages.push(...(await work.hints()))
    }
    if (hint) messages.push(hint)
    const shared = toolkit?.schemas(work.toolState)
    const own = settings.own ? settings.own.schemasWith(shared) : shared
    const tools: readonly ToolSchema[] | undefined = structured ? structured.toolsWith(own) : own
    const request = { messages, conversation: agent, signal: run.signal }
    if (tools === undefined || tools.length === 0) return request
    work.conversation.callIds ??= new CallIds(past)
    if (closing) return { ...request, tools, toolChoice: "none" }
    return structured ? { ...request, tools, toolChoice: "required" } : { ...request, tools }
  }

  /** A skill that is left out is told once a reply. */
  #tell({ code, message }: AgentScopeError): void {
    if (this.#told?.has(message)) return
    this.#told = new Set(this.#told).add(message)
    this.#work.run.warn(code, message)
  }

  /** The message as it enters memory: each call has an id of its own. */
  async #settled(message: Msg, acting: Acting): Promise<Msg> {
    if (!hasBlocks(message, "tool_use")) return message
    const { conversation, agent } = this.#work
    conversation.callIds ??= new CallIds(await agent.memory.get())
    return conversation.callIds.settle(message, (id) => acting.started(id))
  }

  #message(id: string, content: Msg["content"]): Msg {
    return { id, name: this.#work.agent.name, role: "assistant", content, timestamp: isoNow() }
  }

  #count(msgId: string, { usage }: ChatResponse, stopReason: StopReason): void {
    const { run } = this.#work
    if (usage) {
      this.#work.lastUsage = usage
      run.sumUsage(usage)
      run.emit({ type: "model_end", msgId, stopReason, usage })
    } else run.emit({ type: "model_end", msgId, stopReason })
  }

  /**
   * Starts a call as soon as it is complete, while the model still speaks: only where nobody may have a say in it first, no
   * hook and no person, and in order.
   */
  #early(acting: Acting, hooks: HookTable | undefined): Parameters<typeof say>[5] {
    const work = this.#work
    const { run, parallel, conversation } = work
    if ((!work.toolkit && !work.settings.own) || !parallel || hooks?.preActing || hooks?.postReasoning) return undefined
    let inOrder = true
    return (call) => {
      const isNew = !conversation.callIds?.has(call.id) && acting.started(call.id) === undefined
      inOrder &&= isNew && run.stopped === undefined && work.mayStartEarly(call.name)
      if (inOrder) acting.start(call)
    }
  }

  /** Whether a part has made the history shorter, for a model that it was too long for. Once for each call. */
  async #overflow({ error, partial }: Extract<Said, { error: unknown }>, acting: Acting): Promise<boolean> {
    const work = this.#work
    const tooLong = AgentScopeError.is(error, "context_overflow") && !this.#overflowed
    if (!tooLong || work.run.stopped || acting.hasCalls || (partial?.content.length ?? 0) > 0) return false
    this.#overflowed = await work.overflow(error)
    return this.#overflowed
  }

  /** A call that failed or was stopped: what was said stays, the tools that it started are ended. */
  async #broken(said: Extract<Said, { error: unknown }>, msgId: string, acting: Acting): Promise<Msg> {
    const { run } = this.#work
    const finishReason = run.stopped ? "interrupted" : "error"
    const partial = said.partial
    this.#count(msgId, { ...partial } as ChatResponse, finishReason)
    if (partial === undefined || partial.content.length === 0) {
      if (run.stopped) return this.#work.cut()
      acting.cancel()
      if (AgentScopeError.is(said.error, "budget_exceeded"))
        return this.#work.say(said.error.message, "budget_exceeded")
      throw said.error
    }
    const message = ended(this.#message(msgId, partial.content), finishReason)
    const closed = await this.#keep(message, acting)
    if (run.stopped) return this.#work.cut(message, closed)
    throw said.error
  }

  /** A message whose calls are not gone on with: those that ran keep their results, the others are closed. */
  async #keep(said: Msg, acting: Acting): Promise<ReturnType<typeof toolUsesOf>> {
    acting.cancel()
    const message = await this.#settled(said, acting)
    await this.#work.remember(message)
    const calls = toolUsesOf(message)
    return calls.length === 0 ? [] : this.#work.close(calls, await acting.finish(calls))
  }

  // ---- acting

  async #act({ message, acting }: Turn): Promise<Msg | undefined> {
    const work = this.#work
    this.#malformed = 0
    this.#unfit = 0
    this.#silent = false
    if (message !== work.openRound) await work.remember(message)
    const calls = toolUsesOf(message)
    let results = await acting.finish(calls)
    if (work.run.stopped) return work.cut(undefined, await work.close(calls, results))
    if (acting.structured && results.some(({ state }) => state === "suspended")) results = withdrawn(calls, results)
    const waiting = work.suspend(message, results)
    if (waiting) return work.waiting(waiting)
    await work.close(calls, results)
    if (acting.structured) return this.#structured(message, acting.structured.value)
    return acting.overBudget ? work.say(acting.overBudget, "budget_exceeded") : this.#repeated(calls, results)
  }

  /** A reply that waited in between repeats itself as one that did not. */
  async #recall(): Promise<Msg | undefined> {
    const { agent } = this.#work
    const rounds = pastRounds(await agent.memory.get(), agent.name)
    for (const { calls, results } of rounds.slice(0, -1)) this.#repeats.add(calls, results)
    const last = rounds.at(-1)
    return last && this.#repeated(last.calls, last.results)
  }

  /** A model that goes round in circles is told so, and then stopped. What is steered in may get it out of them. */
  #repeated(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): Promise<Msg> | undefined {
    const found = this.#repeats.add(calls, results)
    if (found === undefined || this.#work.run.hasSteered) return undefined
    const { tool, times, stops, sameResult } = found
    if (stops) {
      const text = `I have stopped: I called "${tool}" ${times} times with the same arguments${sameResult ? ", and the result was the same each time" : " in a row"}.`
      return this.#work.say(text, "repetition")
    }
    this.#work.run.warn(
      "repetition",
      `"${tool}" was called ${times} times with the same arguments${sameResult ? " and the same result" : " in a row"}.`,
    )
    this.#hint = repetitionHint(tool, times, sameResult)
    return undefined
  }

  /** The reply is what the model said beside the call of the finish tool, or the value as JSON. */
  async #structured(message: Msg, structured: unknown): Promise<Msg | undefined> {
    const { run, agent } = this.#work
    if (run.hasSteered) return undefined
    const said = message.content.filter((block) => block.type === "text" && block.text.trim() !== "")
    const content = said.length > 0 ? said : [{ type: "text", text: JSON.stringify(structured) } as const]
    const { name } = agent
    const reply = { id: newId(), name, role: "assistant", content, timestamp: isoNow() } as const
    return this.#work.finish({ ...reply, finishReason: "completed", structured })
  }

  // ---- answering

  /** A message without calls: the answer, unless there is something left to say to the model. */
  async #answer(turn: Turn): Promise<Msg | undefined> {
    const { message, stopReason, why } = turn
    const work = this.#work
    const { run, structured } = work
    if (run.stopped) {
      const partial = ended(message, "interrupted")
      await work.remember(partial)
      return work.cut(partial)
    }
    if (stopReason === "malformed_tool_call" && textOf(message).trim() === "") return this.#askAgain()
    if (!hasAnswer(message.content)) return this.#nothing(turn)
    this.#malformed = 0
    this.#silent = false
    if (run.hasSteered) {
      warnOfCut(turn, run)
      await work.remember(message)
      return undefined
    }
    if (structured === undefined) {
      warnOfCut(turn, run)
      return work.finish(ended(message, turn.limited === undefined ? "completed" : "budget_exceeded"))
    }
    const answer = structured.ofText(textOf(message))
    if (!answer.ok && isRefused(stopReason)) {
      await work.remember(ended(message, "error"))
      throw this.#noAnswer(stopReason, why ?? textOf(message))
    }
    warnOfCut(turn, run)
    if (answer.ok) return work.finish({ ...message, finishReason: "completed", structured: answer.value })
    if (++this.#unfit > mostUnfit) {
      await work.remember(ended(message, "error"))
      throw this.#gaveUp(`gave ${this.#unfit} answers in a row that do not fit the schema (${answer.problem})`)
    }
    this.#hint = structureHint(answer.problem)
    await work.remember(message)
    return undefined
  }

  /** No answer is never the reply: the model is asked once more where that may help. The message is not worth keeping. */
  #nothing(turn: Turn): undefined | Promise<Msg> {
    const { stopReason, why } = turn
    const { run, structured } = this.#work
    // what came meanwhile may change its mind
    if (run.hasSteered) return warnOfCut(turn, run)
    if (turn.limited !== undefined) {
      return this.#work.say(
        `The budget left room for ${turn.limited} tokens, in which the model said nothing.`,
        "budget_exceeded",
      )
    }
    if (this.#silent || isRefused(stopReason) || stopReason === "length") throw this.#noAnswer(stopReason, why)
    this.#silent = true
    this.#hint = structured ? structureHint("Your last answer was empty.") : silenceHint()
  }

  #noAnswer(stopReason: StopReason, why: string | undefined): Error {
    const { model, name } = this.#work.agent
    return noAnswer({ stopReason, why, model: `${model.provider}/${model.model}`, agent: name })
  }

  #askAgain(): undefined {
    if (++this.#malformed > mostMalformed) {
      throw this.#gaveUp(`sent ${this.#malformed} tool calls in a row that cannot be read`)
    }
    this.#hint = malformedCallHint()
  }

  #gaveUp(what: string): Error {
    const { model, name } = this.#work.agent
    const message = `${model.provider}/${model.model} ${what}, and agent "${name}" gave up. Simplify the schemas, or use another model.`
    return agentError("malformed_response", message, { retryable: true })
  }

  /** The iterations are used up: the model says what it has. */
  async #summarise(): Promise<Msg> {
    const work = this.#work
    const { maxIterations } = work.settings
    const turn = await this.#reason(summariseHint(maxIterations), true)
    if (!isTurn(turn)) return turn
    // what it still calls does not run
    const content = turn.message.content.filter((block) => block.type !== "tool_use")
    const message = ended({ ...turn.message, content }, "max_iterations")
    if (work.run.stopped) {
      const partial = ended(message, "interrupted")
      await work.remember(partial)
      return work.cut(partial)
    }
    if (textOf(message).trim() !== "") return work.finish(message)
    return work.say(`I have stopped after ${maxIterations} iterations without finishing.`, "max_iterations")
  }
}
