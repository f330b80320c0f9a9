import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import { asInput, ends, isWaiting, type Walk } from "./flow.ts"
import { checkSteps } from "./options.ts"
import { Pipeline } from "./pipeline.ts"
import { changed, goOnAt } from "./place.ts"
import type { AnyStep, LastStepOutputOf, Step, StepOutput } from "./step.ts"

/**
 * Asks one after the other, each with what the one before said. A reply whose calls wait, that was interrupted or that
 * exceeded its budget is the last. Without agents the input comes back.
 */
export class SequentialPipeline<const S extends readonly AnyStep[] = readonly Step[]> extends Pipeline<
  LastStepOutputOf<S>
> {
  constructor(agents: S) {
    super("SequentialPipeline", sequence(agents))
  }
}

/** {@link SequentialPipeline} for one turn. */
export function sequentialPipeline<const S extends readonly AnyStep[]>(
  agents: S,
  input?: AgentInput,
  options?: ReplyOptions,
): Promise<LastStepOutputOf<S>> {
  return new SequentialPipeline(agents).reply(input, options)
}

function sequence(given: readonly AnyStep[]): Walk {
  const where = "SequentialPipeline"
  checkSteps(where, given)
  const steps = [...given]
  return async (flow, input, from) => {
    let said: StepOutput | undefined
    const place = from && goOnAt(where, from.place)
    const first = place ? Number(place.at) : 0
    if (place && !(first in steps)) throw changed(where)
    for (const [i, step] of steps.entries()) {
      if (i < first) continue
      const resumption = i === first && place && from ? { ...from, place: place.inner } : undefined
      const outcome = await flow.take(step, said ? asInput(said) : input, resumption)
      said = outcome.said ?? said
      if (!ends(outcome)) continue
      // the steps after a fan-out would have made one message of it
      if (said && !("role" in said) && i < steps.length - 1) said = said.find(isWaiting) ?? said.at(-1)
      return { said, over: outcome.over, place: outcome.place && { at: i, inner: outcome.place } }
    }
    return { said }
  }
}
