import { differences } from "./compare.ts"
import type { LaneTape } from "./lane-tape.ts"
import { pick } from "./pick.ts"
import type {
  TapeEvent,
  TapeRequest,
  TapeRequestEvent,
  TapeResponseEvent,
  TapeToolCallEvent,
  TapeToolResultEvent,
} from "./tape-event.ts"
import { pathOf } from "./tape-request.ts"

/** What a run asks for. */
export type Asked = TapeRequestEvent | TapeToolCallEvent

/** The requests and tool calls of a tape that were not asked for yet, with what answers them. */
export class Unasked {
  readonly responses = new Map<number, TapeResponseEvent>()
  readonly results = new Map<number, TapeToolResultEvent>()
  /** How many there were. */
  readonly recorded: number
  readonly #left = new Set<Asked>()

  constructor(events: readonly TapeEvent[]) {
    for (const event of events) {
      if (event.type === "request" || event.type === "tool_call") this.#left.add(event)
      else if (event.type === "response") this.responses.set(event.call, event)
      else if (event.type === "tool_result") this.results.set(event.call, event)
    }
    this.recorded = this.#left.size
  }

  /** All that is left, in order. */
  get left(): readonly Asked[] {
    return [...this.#left]
  }

  /** Those of a list that are left. */
  of<E extends Asked>(events: readonly E[]): E[] {
    return events.filter((event) => this.#left.has(event))
  }

  /** The one of a list that is meant and may come now: see {@link pick}. */
  pick<E extends Asked>(events: readonly E[], isMeant: (event: E) => boolean): E | undefined {
    const endOf = (call: number): number => (this.responses.get(call) ?? this.results.get(call))?.at ?? Infinity
    return pick(this.of(events), isMeant, endOf)
  }

  /** It is asked for now, and no more. */
  take<E extends Asked>(lane: LaneTape, event: E): E {
    lane.isFresh = false
    this.#left.delete(event)
    return event
  }

  /** The request left for the same endpoint that differs least, of the same lane if there is one. */
  nearest(lane: LaneTape, { method, url, body }: TapeRequest): TapeRequestEvent | undefined {
    const path = pathOf(url)
    const fits = (event: Asked): event is TapeRequestEvent =>
      event.type === "request" && event.method === method && pathOf(event.url) === path
    const own = this.of(lane.requests).filter(fits)
    const rated = (own.length > 0 ? own : this.left.filter(fits)).map((event) => ({
      event,
      count: differences(event.body, body, 1000).length,
    }))
    return rated.toSorted((a, b) => a.count - b.count || a.event.at - b.event.at)[0]?.event
  }
}
