import { onAbort, untilAbort } from "@agentscope-ts/message"

/** One piece of work at a time, shared by all who ask while it runs; it is aborted when nobody waits for it any more. */
export class SharedWork<T> {
  #running: { readonly result: Promise<T>; readonly abort: AbortController; waiting: number } | undefined

  /** The work under way: settles with it, never rejects. */
  pending(): Promise<void> | undefined {
    return this.#running?.result.then(
      () => {},
      () => {},
    )
  }

  /** Joins the work under way, or starts `work`. Rejects with the signal's reason when it aborts. */
  async join(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    const running = (this.#running ??= this.#start(work))
    running.waiting++
    const leave = () => {
      if (--running.waiting > 0) return
      if (this.#running === running) this.#running = undefined
      running.abort.abort(signal?.reason)
    }
    const off = onAbort(signal, leave)
    try {
      return await untilAbort(running.result, signal)
    } finally {
      off()
    }
  }

  #start(work: (signal: AbortSignal) => Promise<T>) {
    const abort = new AbortController()
    const result = work(abort.signal).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    // everybody may have left before it fails
    result.catch(() => {})
    const running = { result, abort, waiting: 0 }
    return running
  }
}
