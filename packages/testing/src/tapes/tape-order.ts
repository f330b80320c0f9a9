import type { TapeOrder } from "./tape-event.ts"

/** The places of deliveries as they come, written as runs of neighbours. */
export class OrderList {
  readonly #runs: [number, number][] = []

  add(place: number): void {
    const last = this.#runs.at(-1)
    if (last && last[0] + last[1] === place) last[1]++
    else this.#runs.push([place, 1])
  }

  toJSON(): TapeOrder {
    return this.#runs
  }
}

/** The single places of an order. */
export function placesOf(order: TapeOrder): number[] {
  return order.flatMap(([from, count]) => Array.from({ length: count }, (_, i) => from + i))
}
