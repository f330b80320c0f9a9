import type { ChatParams, ChatRequest, ToolChoice } from "../chat-request.ts"
import type { CallSink } from "../stream/call-sink.ts"
import { type HeadRequest, RequestHeads } from "./request-heads.ts"
import { structuredSink } from "./structured-tool.ts"
import { unwrappedSink } from "./unwrapped-sink.ts"

/** What of a request stands around its messages, and what is to be known of it when the answer comes. */
export interface RequestPlan {
  /** The body up to the opening bracket of the messages. */
  readonly head: string
  /** The body from behind the last message; `]}` when absent. */
  readonly tail?: string | undefined
  /** The tool whose arguments are the answer (`structuredTool`). */
  readonly answerTool?: string | undefined
  /** Whether the answer is asked for as the property `value` of an object (`unwrappedSink`). */
  readonly wrapped?: boolean | undefined
  /** What could not be sent as it was asked for. */
  readonly warnings: readonly (readonly [code: string, message: string])[]
}

/** What a model is told that has other tools too, or cannot be made to call the one that gives the answer. */
export function answerToolHint(name: string): string {
  return `When you have the answer, give it by calling the tool "${name}", not as text.`
}

/** The choice that makes a model answer by this tool: by a call of it, or of one of the others first. */
export function answerToolChoice(choice: ChatRequest["toolChoice"], name: string, hasOthers: boolean): ToolChoice {
  if (typeof choice === "object") return choice
  return hasOthers && choice !== "none" ? "required" : { name }
}

/** Makes plans of requests, and keeps the last: a conversation mostly asks for the same from call to call. */
export class RequestPlans<P extends ChatParams, Plan extends RequestPlan> {
  readonly #heads: RequestHeads<P>
  /** That of the head that was made last. */
  #plan: Plan | undefined

  /** `extra`: what else a plan depends on, such as a system text. */
  constructor(make: (request: HeadRequest<P>, streaming: boolean, extra: string) => Plan) {
    this.#heads = new RequestHeads((request, streaming, extra) => {
      this.#plan = make(request, streaming, extra)
      return this.#plan.head
    })
  }

  /** The plan of a request, of which the sink is warned, and the sink that its answer is to go into. */
  of(request: HeadRequest<P>, sink: CallSink, extra = ""): { readonly plan: Plan; readonly sink: CallSink } {
    this.#heads.of(request, sink.streaming, extra)
    const plan = this.#plan as Plan
    for (const [code, message] of plan.warnings) sink.warn(code, message)
    const whole = plan.wrapped === true ? unwrappedSink(sink) : sink
    return { plan, sink: plan.answerTool === undefined ? whole : structuredSink(whole, plan.answerTool) }
  }
}
