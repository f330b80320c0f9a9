import { AgentScopeError } from "@agentscope-ts/message"
import { captureContent } from "./capture.ts"
import type { TracingErrorCode } from "./error.ts"
import { agentScope } from "./gen-ai.ts"
import { loadTracing } from "./otel.ts"
import { openSpan, type Span } from "./span.ts"

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>

/** A value in an error message: a name as it is, of anything else only what it is. */
const kindOf = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 50)) : value === null ? "null" : typeof value

/** JSON of a value for an attribute; `undefined` when it has none. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function finish(span: Span, output: unknown): void {
  if (captureContent()) span.set({ [agentScope.functionOutput]: jsonOf(output) })
  span.end()
}

function abandon(span: Span, error: unknown): never {
  span.fail(error)
  span.end()
  throw error
}

const isGenerator = (value: unknown): value is AnyIterator => {
  const tag = Object.prototype.toString.call(value)
  return tag === "[object AsyncGenerator]" || tag === "[object Generator]"
}

/** Each step of a generator runs inside the span, whoever asks for it; the span ends with the generator. */
function follow(span: Span, generator: AnyIterator): AnyIterator {
  const settle = (result: IteratorResult<unknown>) => {
    if (result.done === true) finish(span, result.value)
    return result
  }
  const step = (method: "next" | "return" | "throw", args: readonly unknown[]) => {
    try {
      const result = span.run(() => (generator[method] as (...given: unknown[]) => unknown).apply(generator, [...args]))
      if (result instanceof Promise) {
        return result.then(settle as (value: unknown) => unknown, (error: unknown) => abandon(span, error))
      }
      return settle(result as IteratorResult<unknown>)
    } catch (error) {
      return abandon(span, error)
    }
  }
  const followed = Object.create(Object.getPrototypeOf(generator) as object) as Record<string, unknown>
  for (const method of ["next", "return", "throw"] as const) {
    followed[method] = (...args: readonly unknown[]) => step(method, args)
  }
  return followed as unknown as AnyIterator
}

/**
 * The function, with a span named `name` around each call; arguments and result are recorded as JSON where content is
 * captured. The span of a promise ends when it settles, that of a generator with its last item; what is opened inside
 * becomes a child. Without an OpenTelemetry SDK it is a plain call.
 * @throws AgentScopeError `invalid_argument` for anything but a name and a function.
 */
export function traced<This, Args extends unknown[], Result>(
  name: string,
  fn: (this: This, ...args: Args) => Result,
): (this: This, ...args: Args) => Result {
  if (typeof name !== "string" || typeof fn !== "function") {
    const given = `traced(${kindOf(name)}, ${kindOf(fn)})`
    throw new AgentScopeError<TracingErrorCode>({
      code: "invalid_argument",
      message: `traced takes the span's name, then the function: traced("load", (id) => …), not ${given}.`,
    })
  }
  return function (this: This, ...args: Args): Result {
    void loadTracing()
    const span = openSpan(name, { [agentScope.functionName]: name })
    if (span === undefined) return fn.apply(this, args)
    if (captureContent()) span.set({ [agentScope.functionInput]: jsonOf(args) })
    let result: Result
    try {
      result = span.run(() => fn.apply(this, args))
    } catch (error) {
      return abandon(span, error)
    }
    if (isGenerator(result)) return follow(span, result) as Result
    if (result instanceof Promise) {
      return result.then(
        (value: unknown) => {
          finish(span, value)
          return value
        },
        (error: unknown) => abandon(span, error),
      ) as Result
    }
    finish(span, result)
    return result
  }
}
