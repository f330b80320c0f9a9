import type { ChatParams, ChatRequest } from "../chat-request.ts"
import type { CallSink } from "../stream/call-sink.ts"
import { structuredSink } from "./structured-tool.ts"
import { unwrappedSink } from "./unwrapped-sink.ts"

/** What of a request stands outside its messages. */
export type HeadRequest<P extends ChatParams> = Pick<ChatRequest<P>, "tools" | "toolChoice" | "schema" | "params">

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

/** What a plan was made for. The number of tools counts too: a list may have grown where it stands. */
interface Planned<P extends ChatParams, Plan> extends HeadRequest<P> {
  readonly toolCount: number | undefined
  readonly streaming: boolean
  readonly extra: string
  readonly plan: Plan
}

/** Makes plans of requests, and keeps the last: a conversation mostly asks for the same, by the same objects, from call to call. */
export class RequestPlans<P extends ChatParams, Plan extends RequestPlan> {
  readonly #make: (request: HeadRequest<P>, streaming: boolean, extra: string) => Plan
  #last: Planned<P, Plan> | undefined

  /** `extra`: what else a plan depends on, such as a system text. */
  constructor(make: (request: HeadRequest<P>, streaming: boolean, extra: string) => Plan) {
    this.#make = make
  }

  /** The plan of a request, of which the sink is warned, and the sink that its answer is to go into. */
  of(request: HeadRequest<P>, sink: CallSink, extra = ""): { readonly plan: Plan; readonly sink: CallSink } {
    const plan = this.#planOf(request, sink.streaming, extra)
    for (const [code, message] of plan.warnings) sink.warn(code, message)
    const whole = plan.wrapped === true ? unwrappedSink(sink) : sink
    return { plan, sink: plan.answerTool === undefined ? whole : structuredSink(whole, plan.answerTool) }
  }

  /** The plan, made anew only where something is another object than before. */
  #planOf(request: HeadRequest<P>, streaming: boolean, extra: string): Plan {
    const last = this.#last
    const { tools, toolChoice, schema, params } = request
    if (
      last !== undefined &&
      last.tools === tools &&
      last.toolCount === tools?.length &&
      last.toolChoice === toolChoice &&
      last.schema === schema &&
      last.params === params &&
      last.streaming === streaming &&
      last.extra === extra
    ) {
      return last.plan
    }
    const plan = this.#make(request, streaming, extra)
    this.#last = { tools, toolChoice, schema, params, toolCount: tools?.length, streaming, extra, plan }
    return plan
  }
}
