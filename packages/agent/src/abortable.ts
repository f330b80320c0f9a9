import { onAbort } from "@agentscope-ts/message"

/** Whether a value has to be awaited: a promise of any make. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** `work`, or a rejection with `reason()` as soon as the signal aborts; what `work` does later is ignored. */
export function untilAbort<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown,
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
