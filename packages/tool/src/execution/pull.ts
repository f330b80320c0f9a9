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

/** A generator gives the event loop a turn after so many milliseconds, or timers and signals would never be heard. */
const slice = 10
/** So many steps that promises bring are not worth a look at the clock. */
const steps = 256

/** Asks a generator for its steps to the end: on end, as long as it answers without waiting. */
export function pull(generator: Yielding, puller: Puller): void {
  new Pulling(generator, puller).go()
}

class Pulling {
  readonly #generator: Yielding
  readonly #puller: Puller
  #until = 0
  #promised = 0

  constructor(generator: Yielding, puller: Puller) {
    this.#generator = generator
    this.#puller = puller
  }

  readonly go = (): void => {
    this.#until = ambient().now() + slice
    this.#onward()
  }

  #onward(): void {
    const { onError } = this.#puller
    try {
      while (this.#puller.isOpen()) {
        const step = this.#puller.next(this.#generator)
        if (isThenable(step)) {
          this.#puller.wait()
          step.then((later) => this.#take(later) && this.#afterPromise(), onError)
          return
        }
        if (!this.#take(step)) return
        if (ambient().now() < this.#until) continue
        return this.#giveTurn()
      }
      closeGenerator(this.#generator)
      this.#puller.onReturn(undefined)
    } catch (error) {
      onError(error)
    }
  }

  /** Takes one step; false when it was the last, or goes on by itself once its value has come. */
  #take({ done, value }: IteratorResult<unknown>): boolean {
    if (done) this.#puller.onReturn(value)
    else if (isThenable(value)) {
      this.#puller.wait()
      value.then((later) => {
        this.#puller.onYield(later)
        this.#afterPromise()
      }, this.#puller.onError)
    } else {
      this.#puller.onYield(value)
      return true
    }
    return false
  }

  /** Promises that are settled already let no timer in between. */
  #afterPromise(): void {
    if (++this.#promised % steps === 0 && ambient().now() >= this.#until) this.#giveTurn()
    else this.#onward()
  }

  #giveTurn(): void {
    this.#puller.wait()
    setTimeout(this.go)
  }
}
