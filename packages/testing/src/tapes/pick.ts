/** Something recorded that is asked for once. */
interface Recorded {
  readonly at: number
  readonly call: number
}

/**
 * The one of what is left that is asked for now. What was begun only after another had ended is never taken before that one;
 * of those that were under way at once, whichever is asked for.
 */
export function pick<E extends Recorded>(
  left: readonly E[],
  isMeant: (event: E) => boolean,
  endOf: (call: number) => number,
): E | undefined {
  let barrier = Number.POSITIVE_INFINITY
  for (const event of left) {
    if (event.at > barrier) return undefined
    if (isMeant(event)) return event
    barrier = Math.min(barrier, endOf(event.call))
  }
  return undefined
}
