import { isThenable } from "@agentscope-ts/message"
import type { ToolContext } from "../context.ts"
import { Collector } from "./collector.ts"
import { isError } from "./is-error.ts"
import { codeValueOf } from "./output.ts"

/** A generator, synchronous or not, that a tool returned. */
export type Yielding = Iterator<unknown> | AsyncIterator<unknown>

/** Whether a value is a generator: it can be iterated, and is its own iterator. */
export function isGenerator(value: unknown): value is Yielding {
  if (typeof value !== "object" || value === null || !("next" in value) || typeof value.next !== "function")
    return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}

/** Tells a generator that nobody asks it any more; what it throws on the way out has no reader. */
export function closeGenerator(generator: Yielding): void {
  try {
    const closed: unknown = generator.return?.()
    if (isThenable(closed)) closed.then(undefined, () => {})
  } catch {
    // its result was settled before
  }
}

/**
 * The value in code of whatever `execute` returned: generators are run to their end, responses give their `structured`,
 * errors are thrown.
 */
export async function drain(returned: unknown, ctx: ToolContext): Promise<unknown> {
  const value = await returned
  if (isError(value)) throw value
  if (!isGenerator(value)) return codeValueOf(value)
  const collector = new Collector(Number.POSITIVE_INFINITY)
  for (;;) {
    const step = await value.next()
    if (step.done) return step.value === undefined ? collector.value : drain(step.value, ctx)
    collector.add(await step.value)
    if (!ctx.signal.aborted) continue
    closeGenerator(value)
    throw ctx.signal.reason
  }
}
