import { AgentScopeError, describeValue, isThenable } from "@agentscope-ts/message"
import { agentError } from "../agent-error.ts"
import { PostCall, type PostCopies, PreCall } from "./hook-call.ts"
import type { HookType, TableHook } from "./hooks.ts"

/** Waits for a hook that takes its time, but no longer than the run goes on. */
interface Waits {
  whileRunning<T>(work: PromiseLike<T>): Promise<T>
}

/** What a hook returns, in words: it is mostly the input or output with something else in it. */
const answers: Readonly<Record<HookType, string>> = {
  preReply: "{ ...input, messages }",
  postReply: "{ ...output, content }",
  preObserve: "{ ...input, messages }",
  postObserve: "nothing",
  preReasoning: "the request, { ...input, messages }",
  postReasoning: "the message, { ...output, content }",
  preActing: "{ toolUse: { ...input.toolUse, input } }",
  postActing: "the result, { ...output, output }",
  prePrint: "{ event }, or null not to print it",
  postPrint: "nothing",
}

/** The error for an answer that cannot be used; `problem`: the answer where that says it all, or an error that says what is wrong. */
export function wrongAnswer(type: HookType, { name }: TableHook, agent: unknown, problem: unknown): AgentScopeError {
  const { constructor, name: agentName } = agent as { name: string }
  const isTold = problem instanceof Error
  const what = isTold ? `something that cannot be used: ${problem.message}` : `${describeValue(problem)}.`
  const wanted = answers[type] === "nothing" ? "nothing" : `${answers[type]}, or nothing to leave it as it is`
  const message = `${constructor.name} "${agentName}": the ${type} hook ${name} returned ${what} Return ${wanted}.`
  return agentError("invalid_argument", message, isTold ? { cause: problem } : {})
}

/** What the hooks of one point have in common. */
interface Point<T> {
  readonly type: HookType
  readonly agent: unknown
  readonly ask: (hook: TableHook, value: T) => unknown
  readonly run: Waits | undefined
  /** Takes what a hook returned; throws for what is none. */
  readonly take: (answer: T) => T
}

/**
 * Asks hooks in turn, each with what the one before made of the value; `undefined` leaves it. There is a promise only where
 * a hook returns one: this is part of every round.
 */
function inTurn<T>(hooks: readonly TableHook[], from: number, value: T, point: Point<T>): T | Promise<T> {
  const { type, agent, run } = point
  let current = value
  const taken = (hook: TableHook, answer: unknown): T => {
    if (answer === undefined) return current
    if (typeof answer !== "object" || answer === null) throw wrongAnswer(type, hook, agent, answer)
    try {
      return point.take(answer as T)
    } catch (error) {
      throw wrongAnswer(type, hook, agent, error)
    }
  }
  for (let i = from; i < hooks.length; i++) {
    const hook = hooks[i] as TableHook
    const answer = point.ask(hook, current)
    if (isThenable(answer)) {
      const settled = run ? run.whileRunning(answer) : Promise.resolve(answer)
      return settled.then((later) => {
        const next = taken(hook, later)
        return i + 1 < hooks.length ? inTurn(hooks, i + 1, next, point) : next
      })
    }
    current = taken(hook, answer)
  }
  return current
}

/** Runs what comes before a point. Each hook gets `copy(input)`; what it returns, as `take` takes it, is the next one's input. */
export function runPre<I>(
  type: HookType,
  hooks: readonly TableHook[],
  agent: unknown,
  input: I,
  copies: { readonly input: (input: I) => I; readonly take: (input: I) => I },
  run?: Waits,
): I | Promise<I> {
  const ask = ({ call }: TableHook, current: I) => call(new PreCall(agent, current, copies.input))
  return inTurn(hooks, 0, input, { type, agent, ask, run, take: copies.take })
}

/** Runs what comes after a point. Each hook gets copies; what it returns is the next one's output. */
export function runPost<I, O>(
  type: HookType,
  hooks: readonly TableHook[],
  agent: unknown,
  input: I,
  output: O,
  copies: PostCopies<I, O>,
  run?: Waits,
): O | Promise<O> {
  const ask = ({ call }: TableHook, current: O) => call(new PostCall(agent, input, current, copies))
  return inTurn(hooks, 0, output, { type, agent, ask, run, take: copies.take })
}
