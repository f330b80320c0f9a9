import { isThenable } from "@agentscope-ts/message"
import { PostCall, type PostCopies, PreCall } from "./hook-call.ts"
import type { AnyHook } from "./hooks.ts"

/** Waits for a hook that takes its time, but no longer than the run goes on. */
interface Waits {
  whileRunning<T>(work: PromiseLike<T>): Promise<T>
}

/** Runs what comes before a point. Each hook gets `copy(input)`; what it returns, as `take` takes it, is the next one's input. */
export async function runPre<I>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  copy: (input: I) => I,
  run?: Waits,
  take?: (input: I) => I,
): Promise<I> {
  let current = input
  for (const hook of hooks) {
    let answer = hook(new PreCall(agent, current, copy))
    if (isThenable(answer)) answer = await (run ? run.whileRunning(answer) : answer)
    if (answer !== undefined) current = take ? take(answer as I) : (answer as I)
  }
  return current
}

/** Runs what comes after a point. Each hook gets copies; what it returns is the next one's output. */
export async function runPost<I, O>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  output: O,
  copies: PostCopies<I, O>,
  run?: Waits,
): Promise<O> {
  let current = output
  for (const hook of hooks) {
    let answer = hook(new PostCall(agent, input, current, copies))
    if (isThenable(answer)) answer = await (run ? run.whileRunning(answer) : answer)
    if (answer !== undefined) current = answer as O
  }
  return current
}
