import type { TapeEvent, TapeRequestEvent, TapeSleepEvent, TapeToolCallEvent, TapeValuesEvent } from "./tape-event.ts"
import { randomOf } from "../seeded-random.ts"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Values between two deliveries, and how far they were read. */
class Segment {
  readonly #event: TapeValuesEvent | undefined
  #ids = 0
  #random = 0
  #run = 0
  #times = 0

  constructor(event: TapeValuesEvent | undefined) {
    this.#event = event
  }

  id(): string | undefined {
    return this.#event?.ids?.[this.#ids++]
  }

  number(): number | undefined {
    return this.#event?.random?.[this.#random++]
  }

  time(): number | undefined {
    const run = this.#event?.clock?.[this.#run]
    if (run === undefined) return undefined
    if (++this.#times >= run[1]) {
      this.#run++
      this.#times = 0
    }
    return run[0]
  }
}

/** What a tape has of one lane, and how far a replay has used it. */
export class LaneTape {
  readonly path: string
  readonly requests: TapeRequestEvent[] = []
  readonly calls: TapeToolCallEvent[] = []
  readonly sleeps: TapeSleepEvent[] = []
  readonly #segments = new Map<number, Segment>()
  readonly #more: () => number
  #segment: Segment
  #lastMs: number | undefined
  #extra = 0
  /** Nothing of it was asked for yet. */
  isFresh = true

  constructor(path: string, events: readonly TapeEvent[]) {
    this.path = path
    for (const event of events) {
      if (event.type === "request") this.requests.push(event)
      else if (event.type === "tool_call") this.calls.push(event)
      else if (event.type === "sleep") this.sleeps.push(event)
      else if (event.type === "values") this.#segments.set(event.after, new Segment(event))
    }
    this.#segment = this.#segments.get(0) ?? new Segment(undefined)
    let seed = 0
    for (const char of path) seed = (Math.imul(seed, 31) + char.charCodeAt(0)) | 0
    this.#more = randomOf(seed)
  }

  /** Something came to the lane: what was read after it is read from here on. */
  delivered(place: number | undefined): void {
    if (place !== undefined) this.#segment = this.#segments.get(place) ?? new Segment(undefined)
  }

  /** The recorded time; where more is asked for, the last one, which creeps on so that whoever waits for it to pass ends. */
  now(before: number): number {
    const ms = this.#segment.time()
    if (ms !== undefined) {
      this.#extra = 0
      return (this.#lastMs = ms)
    }
    return (this.#lastMs ?? before) + Math.floor(++this.#extra / 1000)
  }

  /** The recorded id; where more are asked for, one that is the same each time. */
  id(): string {
    return this.#segment.id() ?? Array.from({ length: 16 }, () => alphabet[Math.floor(this.#more() * 64)]).join("")
  }

  random(): number {
    return this.#segment.number() ?? this.#more()
  }
}

/** The tapes of all lanes by their path; `whole`: one for all of them, where lanes cannot be told apart. */
export function laneTapes(events: readonly TapeEvent[], whole: boolean): Map<string, LaneTape> {
  const byLane = new Map<string, TapeEvent[]>()
  for (const event of events) {
    const path = whole ? "" : event.lane
    const list = byLane.get(path)
    if (list) list.push(event)
    else byLane.set(path, [event])
  }
  return new Map([...byLane].map(([path, list]) => [path, new LaneTape(path, list)]))
}
