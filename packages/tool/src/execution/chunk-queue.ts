import { EventQueue, type MediaBlock, type TextBlock } from "@agentscope-ts/message"
import type { ToolChunk } from "./tool-run.ts"

const mostWaiting = 4096

/**
 * The iterator over a run. Progress beyond 4,096 waiting chunks is dropped: it says where a call stands, and a consumer that
 * far behind is not helped by it. Output is never dropped: the run bounds it.
 */
export class ChunkQueue extends EventQueue<ToolChunk> {
  #waiting = 0
  #hasOutput = false

  override push(chunk: ToolChunk): void {
    if (chunk.type === "output") this.#hasOutput = true
    else if (this.#waiting >= mostWaiting) return
    this.#waiting++
    super.push(chunk)
  }

  override next(): Promise<IteratorResult<ToolChunk>> {
    if (this.#waiting > 0) this.#waiting--
    return super.next()
  }

  /** Ends with what the result has beyond the chunks: everything when nothing was yielded, else the `tail`. */
  finish(output: readonly (TextBlock | MediaBlock)[], tail: readonly (TextBlock | MediaBlock)[]): void {
    for (const data of this.#hasOutput ? tail : output) super.push({ type: "output", data })
    this.end()
  }
}
