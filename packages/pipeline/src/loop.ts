import type { Msg } from "@agentscope-ts/message"
import { asInput, ends, type Flow, lastOf, type Walk } from "./flow.ts"
import { changed, goOnAt } from "./place.ts"
import type { AnyStep, StepOutput } from "./step.ts"

/** Whether a round begins (`before`) or was the last (`after`), from what was said last. */
export interface Rounds {
  before(flow: Flow, msg: Msg | undefined, round: number): boolean | Promise<boolean>
  after(flow: Flow, msg: Msg | undefined): boolean | Promise<boolean>
}

/** Asks the same step again and again, each time with what it said before. */
export function loop(where: string, body: AnyStep, rounds: Rounds): Walk {
  return async (flow, input, from) => {
    let said: StepOutput | undefined
    let place = from && goOnAt(where, from.place)
    let round = place ? Number(place.at) : 0
    if (!Number.isInteger(round)) throw changed(where)
    const current = () => (said ? asInput(said) : input)
    for (; place || (await rounds.before(flow, lastOf(current()), round)); round++) {
      const resumption = place && from && { ...from, place: place.inner }
      place = undefined
      const outcome = await flow.take(body, current(), resumption)
      said = outcome.said ?? said
      if (ends(outcome)) {
        return { said, over: outcome.over, place: outcome.place && { at: round, inner: outcome.place } }
      }
      if (await rounds.after(flow, lastOf(current()))) break
    }
    return { said }
  }
}
