import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import type { Msg } from "@agentscope-ts/message"
import { branch } from "./branch.ts"
import { check, checkFunction, checkNames, checkStep } from "./options.ts"
import { Pipeline } from "./pipeline.ts"
import type { AnyStep, StepOutputOf, Step } from "./step.ts"

/** Which of several is asked. `select` sees the last message of the input and names a case. */
export interface Switch<K extends string, S extends AnyStep = Step> {
  select: (msg: Msg | undefined) => K | Promise<K>
  cases: { readonly [P in K]?: S }
  /** Asked where no case has the name; without it the input goes on as it is. */
  otherwise?: S | undefined
}

/** Asks the one of several that `select` names. */
export class SwitchPipeline<K extends string, S extends AnyStep = Step> extends Pipeline<StepOutputOf<S>> {
  constructor(options: Switch<K, S>) {
    const where = "SwitchPipeline"
    checkNames(where, options, ["select", "cases", "otherwise"])
    const { select, cases, otherwise } = options
    checkFunction(where, "select", select)
    check(where, "cases", cases, typeof cases === "object" && cases !== null, "an object of agents and pipelines")
    const named = Object.entries<AnyStep | undefined>(cases).filter(([, step]) => step !== undefined)
    for (const [name, step] of named) checkStep(where, `cases.${name}`, step)
    if (otherwise !== undefined) checkStep(where, "otherwise", otherwise)
    super(where, branch(where, select, Object.fromEntries(named), otherwise))
  }
}

/** {@link SwitchPipeline} for one turn. */
export function switchPipeline<K extends string, S extends AnyStep = Step>(
  options: Switch<K, S>,
  input?: AgentInput,
  replyOptions?: ReplyOptions,
): Promise<StepOutputOf<S>> {
  return new SwitchPipeline(options).reply(input, replyOptions)
}
