import type { TapedCall, TapedListener, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { untilGivenUp } from "./answer-body.ts"
import type { TapeToolResultEvent } from "./tape-event.ts"
import { placesOf } from "./tape-order.ts"

/** What an answered call needs of the replay. */
export interface CallAnswer {
  /** Absent where the recorded run ended before the call did. */
  readonly event: TapeToolResultEvent | undefined
  readonly wait: (place: number | undefined) => Promise<void>
  readonly delivered: (place: number | undefined) => void
  readonly abandon: (places: readonly number[]) => void
}

/** Answers a call from the tape, without running the tool. */
export function answerCall(
  toolUse: ToolUseBlock,
  { event, wait, delivered, abandon }: CallAnswer,
): Pick<TapedCall, "answer" | "givenUp"> {
  const places = event ? placesOf(event.order) : []
  const gone = new AbortController()
  const result = event && ({ ...event.result, id: toolUse.id, name: toolUse.name } as ToolResultBlock)
  let heard: TapedListener | undefined
  const isGivenUp = result?.state === "interrupted"
  const { chunks = [], tail, sync = 0 } = event ?? {}
  return {
    answer(listener: TapedListener) {
      heard = listener
      // the recorded run did not wait for it either
      if (event === undefined || result === undefined) return
      for (const chunk of chunks.slice(0, sync)) listener.onChunk(chunk)
      if (sync > chunks.length) listener.onResult(result, tail)
      else void play(listener, result, event)
    },
    givenUp() {
      gone.abort()
      abandon(places)
      if (!isGivenUp) return undefined
      delivered(places.at(-1))
      void ended(event?.late)
      return result
    },
  }

  async function ended(late: TapeToolResultEvent["late"]): Promise<void> {
    if (late === undefined) return
    if (late.place === undefined) for (let step = 0; step <= (late.steps ?? 0); step++) await Promise.resolve()
    else await wait(late.place)
    delivered(late.place)
    heard?.onLate(late.outcome)
  }

  async function play(listener: TapedListener, told: ToolResultBlock, { afterMs }: TapeToolResultEvent): Promise<void> {
    const later = chunks.slice(sync)
    for (const [i, chunk] of later.entries()) {
      await wait(places[i])
      if (gone.signal.aborted) return
      delivered(places[i])
      listener.onChunk(chunk)
    }
    const last = places[later.length]
    // somebody interrupts it, as in the recording; if nobody does, it ends as it did then
    if (isGivenUp) await untilGivenUp({ afterMs }, { stalled: () => new Error("") }, gone.signal).catch(() => {})
    else await wait(last)
    if (gone.signal.aborted) return
    delivered(last)
    listener.onResult(told, tail)
  }
}
