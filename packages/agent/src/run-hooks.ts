import { isThenable } from "@agentscope-ts/message"
import type { AnyHook } from "./hooks.ts"
import type { Run } from "./agent-run.ts"

/** A hook's answer, not waited for once the run is stopped. */
const settled = (answer: unknown, run: Run | undefined): unknown =>
  run && isThenable(answer) ? run.whileRunning(answer) : answer

/** Runs what comes before a point. Each hook gets `copy(input)`; what it returns is the next one's input. */
export async function runPre<I>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  copy: (input: I) => I,
  run?: Run,
): Promise<I> {
  let current = input
  for (const hook of hooks) {
    const answer = await settled(hook({ agent, input: copy(current) }), run)
    if (answer !== undefined) current = answer as I
  }
  return current
}

/** Runs what comes after a point. Each hook gets copies; what it returns is the next one's output. */
export async function runPost<I, O>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  output: O,
  copy: { input(input: I): I; output(output: O): O },
  run?: Run,
): Promise<O> {
  let current = output
  for (const hook of hooks) {
    const answer = await settled(hook({ agent, input: copy.input(input), output: copy.output(current) }), run)
    if (answer !== undefined) current = answer as O
  }
  return current
}
