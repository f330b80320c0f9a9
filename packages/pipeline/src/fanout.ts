import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import { type Msg, onAbort } from "@agentscope-ts/message"
import { asInput, type Flow, lastOf, type Walk } from "./flow.ts"
import { check, checkNames, checkSteps } from "./options.ts"
import { Pipeline, replyOptionNames } from "./pipeline.ts"
import { pipelineError } from "./pipeline-error.ts"
import { answersFor, type Branch, changed, type Place } from "./place.ts"
import type { AnyStep } from "./step.ts"

/** Options of a fan-out. */
export interface FanoutOptions {
  /** All at the same time (the default), or one after the other. */
  concurrent?: boolean | undefined
}

/**
 * Asks all with the same input, each with a copy of its own; the answers come in the order of the agents, those of a fan-out
 * in it among them. The first that fails aborts the others, and its error is told once they have ended. Where calls of some
 * wait, the others finish, and the list holds the replies that wait.
 */
export class FanoutPipeline extends Pipeline<readonly Msg[]> {
  constructor(agents: readonly AnyStep[], options: FanoutOptions = {}) {
    super("FanoutPipeline", fanout(agents, options))
  }
}

/** {@link FanoutPipeline} for one turn. */
export function fanoutPipeline(
  agents: readonly AnyStep[],
  input?: AgentInput,
  both: ReplyOptions & FanoutOptions = {},
): Promise<readonly Msg[]> {
  checkNames("fanoutPipeline", both, ["concurrent", ...replyOptionNames])
  const { concurrent, ...options } = both
  return new FanoutPipeline(agents, { concurrent }).reply(input, options)
}

const where = "FanoutPipeline"

type BranchOutcome = Branch & { readonly over?: boolean | undefined }
type Ask = (under: Flow, step: AnyStep, i: number) => Promise<BranchOutcome>

function fanout(given: readonly AnyStep[], options: FanoutOptions): Walk {
  checkSteps(where, given)
  checkNames(where, options, ["concurrent"])
  const { concurrent = true } = options
  check(where, "concurrent", concurrent, typeof concurrent === "boolean", "true or false")
  const steps = [...given]
  return async (flow, input, from) => {
    const before = from && branchesAt(from.place, steps.length)
    const ask: Ask = async (under, step, i) => {
      const branch = before?.[i]
      const answers = from && branch?.place && answersFor(branch.place, from.answers)
      // a branch that is done, or whose calls nobody answered yet
      if (branch && !(branch.place && answers)) return { said: branch.said, place: branch.place }
      const resumption = branch?.place && answers ? { place: branch.place, answers } : undefined
      const { said, place, over } = await under.take(step, input, resumption)
      return { said: said ?? (over ? null : (lastOf(input) ?? null)), place: place ?? null, over }
    }
    const branches = concurrent ? await together(flow, steps, ask) : await inTurn(flow, steps, ask)
    return {
      said: branches.flatMap(({ said }) => (said ? asInput(said) : [])),
      place: branches.some(({ place }) => place)
        ? { branches: branches.map(({ said, place }) => ({ said, place })) }
        : undefined,
      over: branches.length > 0 && branches.every(({ over }) => over),
    }
  }
}

async function inTurn(flow: Flow, steps: readonly AnyStep[], ask: Ask): Promise<readonly BranchOutcome[]> {
  const branches: BranchOutcome[] = []
  for (const [i, step] of steps.entries()) branches.push(await ask(flow, step, i))
  return branches
}

/** All at once. Nothing of a fan-out that failed goes on behind the back of the one who is told of it. */
async function together(flow: Flow, steps: readonly AnyStep[], ask: Ask): Promise<readonly BranchOutcome[]> {
  const { signal } = flow.options
  const giveUp = new AbortController()
  const off = onAbort(signal, () => giveUp.abort(signal?.reason))
  const under = flow.under(giveUp.signal)
  let failure: { readonly error: unknown } | undefined
  try {
    const branches = await Promise.all(
      steps.map((step, i) =>
        ask(under, step, i).catch((error: unknown) => {
          failure ??= { error }
          giveUp.abort(pipelineError("aborted", `${where}: another branch failed.`, { cause: error }))
          return { said: null, place: null }
        }),
      ),
    )
    if (failure) throw failure.error
    return branches
  } finally {
    off()
  }
}

function branchesAt(place: Place, count: number): readonly Branch[] {
  if ("branches" in place && place.branches.length === count) return place.branches
  throw changed(where)
}
