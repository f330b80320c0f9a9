import { onAbort } from "@agentscope-ts/message"

/** `work`, or a rejection with `reason()` as soon as the signal aborts; what `work` does later is ignored. */
export function untilAbort<T>(work: Promise<T>, signal: AbortSignal | undefined, reason: () => unknown): Promise<T> {
  if (signal === undefined) return work
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
