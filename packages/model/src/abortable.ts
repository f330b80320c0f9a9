import { onAbort } from "@agentscope-ts/message"

/** The work's promise, which rejects with `signal.reason` as soon as the signal aborts, even if the work does not hear it. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const off = onAbort(signal, () => reject(signal.reason))
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
