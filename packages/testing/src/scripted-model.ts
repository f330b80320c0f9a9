import { ambient, type Msg, textOf, toolResultsOf } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, Formatter } from "@agentscope-ts/model"
import { callsTools, deltasOf } from "./scripted-deltas.ts"
import { answerOf, describeStep, quote, type ScriptedStep, stepsOf } from "./scripted-step.ts"
import { testingError } from "./testing-error.ts"

class AsTheyAre extends Formatter<Msg> {
  protected override formatAll(messages: readonly Msg[]): Msg[] {
    return [...messages]
  }
}

/**
 * A model that answers by a script, one step a call, in the order of the calls; it streams each part in a few deltas, always
 * the same, and lets its consumer react between two of them. It never retries or asks again: a step is one call.
 * With `using`, or by `assertDone()`, steps that were never asked for are an error.
 */
export class ScriptedModel extends ChatModel implements Disposable {
  readonly #steps: readonly ScriptedStep[]
  readonly #requests: ChatRequest[] = []
  readonly #callIds = new Set<string>()
  #lastCallNumber = 0

  /** @throws AgentScopeError `invalid_step` for what is no list of steps. */
  constructor(steps: readonly ScriptedStep[]) {
    super({
      provider: "scripted",
      model: "scripted",
      formatters: { chat: new AsTheyAre() },
      maxRetries: 0,
      maxReasks: 0,
    })
    this.#steps = stepsOf(steps)
  }

  /** Every request so far, as a provider would have got it: history guarded, parameters merged. */
  get requests(): readonly ChatRequest[] {
    return this.#requests
  }

  /** @throws AgentScopeError `unused_steps` when the script is not at its end. */
  assertDone(): void {
    const calls = this.#requests.length
    const left = this.#steps.slice(calls)
    if (left.length === 0) return
    const list = left.slice(0, 5).map((step, i) => `step ${calls + i + 1} is ${describeStep(step)}`)
    if (left.length > list.length) list.push("…")
    throw testingError(
      "unused_steps",
      `ScriptedModel was called ${calls} times and has ${left.length} of its ${this.#steps.length} steps left: ${list.join("; ")}. Take them out, or find out why the model was not asked again.`,
      { details: { calls, steps: this.#steps.length } },
    )
  }

  /** The same as {@link ScriptedModel.assertDone}. */
  [Symbol.dispose](): void {
    this.assertDone()
  }

  protected override async send(request: ChatRequest, sink: CallSink): Promise<void> {
    // the caller's list grows with the conversation; what was sent does not
    const sent: ChatRequest = { ...request, messages: [...request.messages] }
    const step = this.#steps[this.#requests.length]
    const number = this.#requests.push(sent)
    if (step === undefined) throw this.#unexpected(sent)
    const answer = answerOf(step, sent, number)
    const deltas = deltasOf(answer, sent, sink.streaming, this.#newCallId)
    if (answer.delayMs) await ambient().sleep(answer.delayMs, request.signal)
    for (const delta of deltas) {
      request.signal?.throwIfAborted()
      sink.emit(delta)
      if (sink.streaming) await consumersTurn()
    }
    request.signal?.throwIfAborted()
    if (answer.error) throw answer.error
    const stopReason = answer.stopReason ?? (callsTools(answer, sent) ? "tool_use" : "stop")
    sink.finish({ stopReason, usage: answer.usage })
  }

  readonly #newCallId = (given: string | undefined): string => {
    let id = given
    while (id === undefined) {
      const next = `call_${++this.#lastCallNumber}`
      if (!this.#callIds.has(next)) id = next
    }
    this.#callIds.add(id)
    return id
  }

  #unexpected(request: ChatRequest) {
    const steps = this.#steps.length
    const last = request.messages.at(-1)
    return testingError(
      "unexpected_call",
      `ScriptedModel got call ${this.#requests.length}, but its script has ${steps} ${steps === 1 ? "step" : "steps"}. ${last ? `The last message is ${describeMsg(last)}. ` : ""}Add a step for this call, or find out why it was made.`,
      { details: { calls: this.#requests.length, steps } },
    )
  }
}

function describeMsg(msg: Msg): string {
  const results = toolResultsOf(msg).map((result) => `${result.name} (${result.state}): ${quote(textOf(result))}`)
  if (results.length > 0) return `the result of ${results.join("; ")}`
  return `from ${msg.role} ${msg.name}: ${quote(textOf(msg))}`
}

/** Microtasks, not a timer, so that fake clocks do not stop it: enough for an iterator over an iterator to see the delta. */
async function consumersTurn(): Promise<void> {
  for (let i = 0; i < 8; i++) await Promise.resolve()
}
