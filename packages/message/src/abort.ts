const noop = (): void => {}

/** The listeners of each signal: one registration on the signal serves them all, so that no count of calls in flight
 * passes the runtime's limit of listeners on one target. */
const fans = new WeakMap<AbortSignal, Set<() => void>>()

function fire(this: AbortSignal): void {
  const fan = fans.get(this)
  fans.delete(this)
  // a listener that is taken away by one before it is not called, as on an EventTarget
  if (fan) for (const listener of fan) tell(listener)
}

/** None keeps the others from being told. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
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
  const fan = fans.get(signal) ?? listen(signal)
  // the same function given twice counts twice
  const entry = fan.has(listener) ? () => listener() : listener
  fan.add(entry)
  return () => {
    if (fan.delete(entry) && fan.size === 0 && fans.get(signal) === fan) {
      fans.delete(signal)
      signal.removeEventListener("abort", fire)
    }
  }
}

function listen(signal: AbortSignal): Set<() => void> {
  const fan = new Set<() => void>()
  fans.set(signal, fan)
  signal.addEventListener("abort", fire, { once: true })
  return fan
}

/**
 * `work`, or a rejection with `reason()` (`signal.reason`) as soon as the signal aborts, even where the work does not hear
 * it; what the work does later is ignored.
 */
export function untilAbort<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    const off = onAbort(signal, () => reject(reason()))
    work.then(
      (value) => {
        off()
        resolve(value)
      },
      (error: unknown) => {
        off()
        reject(error)
      },
    )
  })
}
