import { onAbort } from "@agentscope-ts/message"
import type { TapeResponseEvent } from "./tape-event.ts"
import { thrownAgain } from "./failure.ts"
import { bytesOfPiece } from "./tape-pieces.ts"

/** How much longer than in the recording a run may wait for what the recorded one gave up, in milliseconds. */
const patienceMs = 2000
const startTimer = globalThis.setTimeout
const stopTimer = globalThis.clearTimeout

/** What an answer from a tape needs of the replay. */
export interface Delivery {
  /** Resolves when it is the turn of the piece at this index: 0 is the head, then the pieces, then the end. */
  turn(index: number): Promise<void>
  /** Nobody wants the rest. */
  abandon(): void
  /** The program does not give up what it gave up in the recording: the error for it. */
  stalled(): Error
}

/** The body of a recorded answer, in its pieces, with its end. */
export function answerBody(
  event: TapeResponseEvent,
  delivery: Delivery,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let next = 0
  let off = (): void => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        off = onAbort(signal, () => {
          off()
          delivery.abandon()
          controller.error(signal?.reason)
        })
      },
      async pull(controller) {
        const piece = event.body[next]
        if (piece === undefined && event.end === "aborted") await untilGivenUp(event, delivery, signal)
        else if (piece !== undefined || event.end !== "left") await delivery.turn(next + 1)
        if (signal?.aborted) return
        if (piece !== undefined) {
          next++
          return controller.enqueue(bytesOfPiece(piece))
        }
        off()
        if (event.end === "error")
          controller.error(thrownAgain(event.error ?? { name: "Error", message: "terminated" }))
        else controller.close()
      },
      cancel() {
        off()
        delivery.abandon()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Waits for the signal, about as long as the recorded run took to give up. */
export function untilGivenUp(
  { afterMs }: { readonly afterMs: number },
  delivery: Pick<Delivery, "stalled">,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = startTimer(() => {
      off()
      reject(delivery.stalled())
    }, afterMs + patienceMs)
    const off = onAbort(signal, () => {
      off()
      stopTimer(timer)
      resolve()
    })
  })
}
