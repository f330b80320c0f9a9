import type { Msg } from "@agentscope-ts/message"
import { lastOf, type Walk } from "./flow.ts"
import { changed, goOnAt } from "./place.ts"
import type { AnyStep } from "./step.ts"

/** Where the step for all other names stands. */
const other = 0

/** Asks the step that `select` names, or the one for all other names; without one the input goes on. */
export function branch(
  where: string,
  select: (msg: Msg | undefined) => string | Promise<string>,
  steps: Readonly<Record<string, AnyStep | undefined>>,
  otherwise?: AnyStep,
): Walk {
  const stepAt = (at: string | number) => (at === other ? otherwise : Object.hasOwn(steps, at) ? steps[at] : undefined)
  return async (flow, input, from) => {
    const place = from && goOnAt(where, from.place)
    const name = place ? place.at : await flow.decide(() => select(lastOf(input)))
    const at = place || stepAt(name) ? name : other
    const step = stepAt(at)
    if (step === undefined) {
      if (place) throw changed(where)
      return {}
    }
    const outcome = await flow.take(step, input, place && from && { ...from, place: place.inner })
    return { ...outcome, place: outcome.place && { at, inner: outcome.place } }
  }
}
