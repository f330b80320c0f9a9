// as they are when the module loads: tests put fake ones in their place
const immediate = globalThis.setImmediate as ((work: () => void) => unknown) | undefined
const timer = globalThis.setTimeout
const clock = performance.now.bind(performance)

/** How long an answer waits for those that came before it in the recording, in milliseconds. */
const gapMs = 100

const turn = (): Promise<void> =>
  new Promise((resolve) => void (immediate ? immediate(() => resolve()) : timer(resolve, 0)))
const pause = (): Promise<void> => new Promise((resolve) => void timer(resolve, 1))

/**
 * Lets what comes from a tape come in the order in which it came when it was recorded, one at a time: between two of them the
 * program does all that it can do. What was recorded earlier and is not asked for now is waited for only a moment.
 */
export class Turns {
  /** The places still to come, the last first. */
  readonly #left: number[]
  readonly #given = new Set<number>()
  readonly #waiting = new Map<number, () => void>()
  #isGoing = false

  constructor(places: readonly number[]) {
    this.#left = [...places].toSorted((a, b) => b - a)
  }

  /** Resolves when it is this place's turn; without a place, after what runs now. */
  async wait(place: number | undefined): Promise<void> {
    if (place === undefined) return turn()
    return new Promise((resolve) => {
      // a place that two wait for is a tape that was changed by hand
      const other = this.#waiting.get(place)
      this.#waiting.set(place, other ? () => (other(), resolve()) : resolve)
      if (!this.#isGoing) void this.#go()
    })
  }

  /** Nobody will ask for these any more. */
  abandon(places: readonly number[]): void {
    for (const place of places) {
      this.#given.add(place)
      const resolve = this.#waiting.get(place)
      this.#waiting.delete(place)
      resolve?.()
    }
  }

  async #go(): Promise<void> {
    this.#isGoing = true
    let gapSince: number | undefined
    for (let looks = 0; ; looks++) {
      await (looks < 10 ? turn() : pause())
      if (this.#waiting.size === 0) break
      while (this.#left.length > 0 && this.#given.has(this.#left.at(-1) as number))
        this.#given.delete(this.#left.pop() as number)
      const first = Math.min(...this.#waiting.keys())
      const isNext = first <= (this.#left.at(-1) ?? first)
      gapSince ??= clock()
      if (!isNext && clock() - gapSince < gapMs) continue
      while ((this.#left.at(-1) ?? Infinity) <= first) this.#left.pop()
      gapSince = undefined
      looks = -1
      const resolve = this.#waiting.get(first)
      this.#waiting.delete(first)
      resolve?.()
    }
    this.#isGoing = false
  }
}
