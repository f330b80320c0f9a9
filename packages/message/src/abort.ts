const noop = (): void => {}

/** The listeners of each signal: one registration on the signal serves them all, so that no count of calls in flight
 * passes the runtime's limit of listeners on one target. */
const fans = new WeakMap<AbortSignal, Set<() => void>>()

function fire(this: AbortSignal): void {
  const fan = fans.get(this)
  fans.delete(this)
  if (fan) for (const listener of fan) listener()
}

/**
 * Runs `listener` once when the signal aborts (at once if it has) and returns the function that takes the listener away:
 * call it in `finally`. Any number of listeners take one place on the signal, and none when all are gone.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return noop
  if (signal.aborted) {
    listener()
    return noop
  }
  // wrapped, so that the same function given twice counts twice
  const entry = () => listener()
  const fan = fans.get(signal)
  if (fan) fan.add(entry)
  else {
    fans.set(signal, new Set([entry]))
    signal.addEventListener("abort", fire, { once: true })
  }
  return () => {
    const left = fans.get(signal)
    if (left?.delete(entry) && left.size === 0) {
      fans.delete(signal)
      signal.removeEventListener("abort", fire)
    }
  }
}
