import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type ChunkEffect,
  singleEffect,
  stopReasonOf,
  StreamBlocks,
  StreamParser,
  type StreamParserOptions,
  textIn,
} from "@agentscope-ts/model/wire"
import { saidBy, saidIn, usageOf, type WireChunk } from "./wire-chunk.ts"

/** What a {@link GenerationReader} is told. */
export interface GenerationReaderOptions extends StreamParserOptions {
  /** Whether totals were asked for: each event of the stream then has all there is so far. */
  readonly totals?: boolean | undefined
}

/** How long a body may stay open after the finish reason. */
const graceAfterFinishMs = 2000
const shape = {
  what: "An event",
  before: "(?:id: ?\\d+\\n)?(?:event: ?result\\n)?(?::HTTP_STATUS/200\\n)?data: ?",
  varying: '"\\w+_tokens": ?(?:0|[1-9]\\d*)',
}

/** Reads the events of a generation, or a whole one, into the sink. */
export class GenerationReader extends StreamParser<WireChunk> {
  readonly #blocks: StreamBlocks

  constructor(sink: CallSink, options: GenerationReaderOptions) {
    super(sink, options, shape)
    this.#blocks = new StreamBlocks(sink, options.totals ? "totals" : undefined)
  }

  protected override read(chunk: WireChunk, _event: string, whole: boolean): void {
    const said = saidBy(chunk)
    // some answers have an empty code beside their output
    if (chunk.error || (!said && (textIn(chunk.code) !== "" || textIn(chunk.message) !== ""))) {
      throw this.failure(chunk)
    }
    this.told({ id: chunk.request_id, usage: usageOf(chunk.usage) })
    if (!said) return
    this.#blocks.said(said.thinking, said.text, said.calls, whole)
    if (said.finish === "" && !whole) return
    this.stop = stopReasonOf(said.finish)
    this.graceMs ??= graceAfterFinishMs
  }

  protected override end(stop: StopReason): Partial<CallEnd> | undefined {
    if (!this.#blocks.end()) return { stopReason: "malformed_tool_call" }
    return stop === "tool_use" && this.#blocks.blocks.calls.empty ? { stopReason: "stop" } : undefined
  }

  protected override effectOf(chunk: WireChunk): ChunkEffect | undefined {
    return this.#blocks.inPieces ? singleEffect(chunk, this.#blocks.blocks, saidIn) : undefined
  }

  protected override usageIn(chunk: WireChunk): CallEnd["usage"] {
    return usageOf(chunk.usage)
  }
}
