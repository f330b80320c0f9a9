import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import type { Msg } from "@agentscope-ts/message"
import { loop } from "./loop.ts"
import { check, checkFunction, checkNames, checkStep } from "./options.ts"
import { Pipeline } from "./pipeline.ts"
import type { AnyStep, StepOutputOf, Step } from "./step.ts"

/** What is asked how often. `until` sees the last message after each round, and ends the loop early. */
export interface For<S extends AnyStep = Step> {
  times: number
  body: S
  until?: ((msg: Msg) => boolean | Promise<boolean>) | undefined
}

/** Asks a number of times, each time with what was said last; the input comes back for no times. */
export class ForPipeline<S extends AnyStep = Step> extends Pipeline<StepOutputOf<S>> {
  constructor(options: For<S>) {
    const where = "ForPipeline"
    checkNames(where, options, ["times", "body", "until"])
    const { times, body, until } = options
    check(where, "times", times, Number.isInteger(times) && times >= 0, "a whole number of at least 0")
    checkStep(where, "body", body)
    if (until !== undefined) checkFunction(where, "until", until)
    super(
      where,
      loop(where, body, {
        before: (_flow, _msg, round) => round < times,
        after: (flow, msg) => msg !== undefined && until !== undefined && flow.decide(() => until(msg)),
      }),
    )
  }
}

/** {@link ForPipeline} for one turn. */
export function forPipeline<S extends AnyStep>(
  options: For<S>,
  input?: AgentInput,
  replyOptions?: ReplyOptions,
): Promise<StepOutputOf<S>> {
  return new ForPipeline(options).reply(input, replyOptions)
}
