import { isThenable } from "@agentscope-ts/message"
import { agentError } from "../agent-error.ts"
import { PostCall, type PostCopies, PreCall } from "./hook-call.ts"
import type { AnyHook } from "./hooks.ts"
import { describe } from "../options.ts"

/** Waits for a hook that takes its time, but no longer than the run goes on. */
interface Waits {
  whileRunning<T>(work: PromiseLike<T>): Promise<T>
}

function checkAnswer(answer: unknown): void {
  if (typeof answer === "object" && answer !== null) return
  const what = describe(answer)
  throw agentError("invalid_argument", `A hook returned ${what}: return a new input or output, or nothing.`)
}

/**
 * Asks hooks in turn, each with what the one before made of the value; `undefined` leaves it. There is a promise only where
 * a hook returns one: this is part of every round.
 */
function inTurn<T>(
  hooks: readonly AnyHook[],
  from: number,
  value: T,
  ask: (hook: AnyHook, value: T) => unknown,
  run: Waits | undefined,
  take: ((answer: T) => T) | undefined,
): T | Promise<T> {
  let current = value
  const taken = (answer: unknown): T => {
    if (answer === undefined) return current
    checkAnswer(answer)
    return take ? take(answer as T) : (answer as T)
  }
  for (let i = from; i < hooks.length; i++) {
    const answer = ask(hooks[i] as AnyHook, current)
    if (isThenable(answer)) {
      const settled = run ? run.whileRunning(answer) : Promise.resolve(answer)
      return settled.then((later) => {
        const next = taken(later)
        return i + 1 < hooks.length ? inTurn(hooks, i + 1, next, ask, run, take) : next
      })
    }
    current = taken(answer)
  }
  return current
}

/** Runs what comes before a point. Each hook gets `copy(input)`; what it returns, as `take` takes it, is the next one's input. */
export function runPre<I>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  copy: (input: I) => I,
  run?: Waits,
  take?: (input: I) => I,
): I | Promise<I> {
  return inTurn(hooks, 0, input, (hook, current) => hook(new PreCall(agent, current, copy)), run, take)
}

/** Runs what comes after a point. Each hook gets copies; what it returns is the next one's output. */
export function runPost<I, O>(
  hooks: readonly AnyHook[],
  agent: unknown,
  input: I,
  output: O,
  copies: PostCopies<I, O>,
  run?: Waits,
): O | Promise<O> {
  return inTurn(
    hooks,
    0,
    output,
    (hook, current) => hook(new PostCall(agent, input, current, copies)),
    run,
    copies.take,
  )
}
