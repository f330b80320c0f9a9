import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import type { Msg } from "@agentscope-ts/message"
import { branch } from "./branch.ts"
import { checkFunction, checkNames, checkStep } from "./options.ts"
import { Pipeline } from "./pipeline.ts"
import type { AnyStep, StepOutputOf, Step } from "./step.ts"

/** Which of two is asked. `condition` sees the last message of the input. */
export interface IfElse<T extends AnyStep = Step, F extends AnyStep = Step> {
  condition: (msg: Msg | undefined) => boolean | Promise<boolean>
  whenTrue: T
  /** Without it the input goes on as it is. */
  whenFalse?: F | undefined
}

/** Asks one of two, as a condition on the input says. */
export class IfElsePipeline<T extends AnyStep = Step, F extends AnyStep = Step> extends Pipeline<StepOutputOf<T | F>> {
  constructor(options: IfElse<T, F>) {
    const where = "IfElsePipeline"
    checkNames(where, options, ["condition", "whenTrue", "whenFalse"])
    const { condition, whenTrue, whenFalse } = options
    checkFunction(where, "condition", condition)
    checkStep(where, "whenTrue", whenTrue)
    if (whenFalse !== undefined) checkStep(where, "whenFalse", whenFalse)
    const steps = { whenTrue, ...(whenFalse && { whenFalse }) }
    super(
      where,
      branch(where, async (msg) => ((await condition(msg)) ? "whenTrue" : "whenFalse"), steps),
    )
  }
}

/** {@link IfElsePipeline} for one turn. */
export function ifElsePipeline<T extends AnyStep, F extends AnyStep = Step>(
  options: IfElse<T, F>,
  input?: AgentInput,
  replyOptions?: ReplyOptions,
): Promise<StepOutputOf<T | F>> {
  return new IfElsePipeline(options).reply(input, replyOptions)
}
