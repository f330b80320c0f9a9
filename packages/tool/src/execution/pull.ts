import { isThenable, ambient } from "@agentscope-ts/message"
import { closeGenerator, type Yielding } from "./drain.ts"

/** Who asks a generator for its steps. Only `next` may throw. */
export interface Puller {
  /** Asks for one step. */
  next(generator: Yielding): IteratorResult<unknown> | Promise<IteratorResult<unknown>>
  /** Whether the steps are still of interest; if not, the generator is closed. */
  isOpen(): boolean
  /** Called before anything is awaited. */
  wait(): void
  onYield(value: unknown): void
  onReturn(value: unknown): void
  onError: (error: unknown) => void
}

/** A synchronous generator gives the event loop a turn after so many milliseconds. */
const slice = 10

/** Asks a generator for its steps to the end: on end, as long as it answers synchronously. */
export function pull(generator: Yielding, puller: Puller): void {
  const until = ambient().now() + slice
  const onward = (): void => pull(generator, puller)
  try {
    while (puller.isOpen()) {
      const step = puller.next(generator)
      if (isThenable(step)) {
        puller.wait()
        step.then((later) => take(later, puller, onward) && onward(), puller.onError)
        return
      }
      if (!take(step, puller, onward)) return
      if (ambient().now() < until) continue
      puller.wait()
      setTimeout(onward)
      return
    }
    closeGenerator(generator)
    puller.onReturn(undefined)
  } catch (error) {
    puller.onError(error)
  }
}

/** Takes one step; false when it was the last, or goes on by itself once its value has come. */
function take({ done, value }: IteratorResult<unknown>, puller: Puller, onward: () => void): boolean {
  if (done) puller.onReturn(value)
  else if (isThenable(value)) {
    puller.wait()
    value.then((later) => {
      puller.onYield(later)
      onward()
    }, puller.onError)
  } else {
    puller.onYield(value)
    return true
  }
  return false
}
