import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import type { Msg } from "@agentscope-ts/message"
import { loop } from "./loop.ts"
import { check, checkFunction, checkNames, checkStep } from "./options.ts"
import { Pipeline } from "./pipeline.ts"
import type { AnyStep, StepOutputOf, Step } from "./step.ts"

/** What is asked for how long. `condition` sees the last message and the number of the round, from 0, before each round. */
export interface While<S extends AnyStep = Step> {
  condition: (msg: Msg | undefined, iteration: number) => boolean | Promise<boolean>
  body: S
  /** At most so many rounds, whatever the condition says. No limit unless given. */
  maxIterations?: number | undefined
}

/** Asks as long as a condition holds, each time with what was said last; the input comes back when it never holds. */
export class WhilePipeline<S extends AnyStep = Step> extends Pipeline<StepOutputOf<S>> {
  constructor(options: While<S>) {
    const where = "WhilePipeline"
    checkNames(where, options, ["condition", "body", "maxIterations"])
    const { condition, body, maxIterations = Infinity } = options
    checkFunction(where, "condition", condition)
    checkStep(where, "body", body)
    const isCount = maxIterations === Infinity || (Number.isInteger(maxIterations) && maxIterations >= 0)
    check(where, "maxIterations", maxIterations, isCount, "a whole number of at least 0, or Infinity")
    super(
      where,
      loop(where, body, {
        before: (flow, msg, round) => round < maxIterations && flow.decide(() => condition(msg, round)),
        after: () => false,
      }),
    )
  }
}

/** {@link WhilePipeline} for one turn. */
export function whilePipeline<S extends AnyStep>(
  options: While<S>,
  input?: AgentInput,
  replyOptions?: ReplyOptions,
): Promise<StepOutputOf<S>> {
  return new WhilePipeline(options).reply(input, replyOptions)
}
