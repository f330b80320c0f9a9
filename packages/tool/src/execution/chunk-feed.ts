import type { MediaBlock, TextBlock } from "@agentscope-ts/message"
import { ChunkQueue } from "./chunk-queue.ts"
import type { ToolChunk } from "./tool-run.ts"

type Listener = (chunk: ToolChunk) => void
const mostEarly = 1024

/**
 * Brings the chunks of one run to whoever listens. A tool's first chunks come while the run is being made, before anybody
 * can listen: up to 1,024 of them wait for the first listener.
 */
export class ChunkFeed {
  #early: ToolChunk[] = []
  #listeners: Listener[] = []
  #queues: ChunkQueue[] = []

  deliver(chunk: ToolChunk): void {
    if (this.#listeners.length > 0) for (const listener of this.#listeners) call(listener, chunk)
    else if (this.#early.length < mostEarly) this.#early.push(chunk)
  }

  listen(listener: Listener): void {
    for (const chunk of this.#early) call(listener, chunk)
    this.#early = []
    this.#listeners.push(listener)
  }

  /** An iterator over the chunks; `onReturn` runs when its consumer leaves early. */
  iterate(onReturn: () => void): ChunkQueue {
    const queue = new ChunkQueue(onReturn)
    this.listen((chunk) => queue.push(chunk))
    this.#queues.push(queue)
    return queue
  }

  /** Ends the iterators: see {@link ChunkQueue.finish}. */
  finish(output: readonly (TextBlock | MediaBlock)[], tail: readonly (TextBlock | MediaBlock)[]): void {
    for (const queue of this.#queues) queue.finish(output, tail)
  }
}

/** A listener's own failure is no failure of the tool that reports: it surfaces as an uncaught error. */
function call(listener: Listener, chunk: ToolChunk): void {
  try {
    listener(chunk)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
