import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  AnswerMedia,
  type ChunkEffect,
  singleEffect,
  stopReasonOf,
  StreamBlocks,
  StreamParser,
  type StreamParserOptions,
  textIn,
  usageIn,
} from "@agentscope-ts/model/wire"
import { type Said, saidBy, saidIn, type WireChunk } from "./wire-chunk.ts"

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
  readonly #media: AnswerMedia

  constructor(sink: CallSink, options: GenerationReaderOptions) {
    super(sink, options, shape)
    this.#blocks = new StreamBlocks(sink, options.totals ? "totals" : undefined)
    this.#media = new AnswerMedia(this.#blocks.blocks)
  }

  protected override read(chunk: WireChunk, _event: string, whole: boolean): void {
    const said = saidBy(chunk)
    // some answers have an empty code beside their output
    if (chunk.error || (!said && (textIn(chunk.code) !== "" || textIn(chunk.message) !== ""))) {
      throw this.failure(chunk)
    }
    this.told({ id: chunk.request_id, usage: usageIn(chunk.usage) })
    if (!said) return
    if (whole) this.#whole(said)
    else {
      const media = said.parts.filter((part) => typeof part !== "string")
      const { thinking, text, calls } = said
      this.#blocks.said(
        thinking,
        text,
        calls,
        false,
        media.some((medium) => this.#media.isNew(medium)),
      )
      for (const medium of media) this.#media.add(medium)
    }
    if (said.finish === "" && !whole) return
    this.stop = stopReasonOf(said.finish)
    this.graceMs ??= graceAfterFinishMs
  }

  /** A whole answer has its media where they stand in the text. */
  #whole({ thinking, parts, calls }: Said): void {
    this.#blocks.said(thinking, "", [], true)
    for (const part of parts) {
      if (typeof part === "string") this.#blocks.said("", part, [], true)
      else this.#media.add(part)
    }
    this.#blocks.said("", "", calls, true)
  }

  protected override end(stop: StopReason): Partial<CallEnd> | undefined {
    const end = this.#blocks.ended(stop)
    this.#media.end()
    return end
  }

  protected override effectOf(chunk: WireChunk): ChunkEffect | undefined {
    return this.#blocks.inPieces ? singleEffect(chunk, this.#blocks.blocks, saidIn) : undefined
  }

  protected override usageIn(chunk: WireChunk): CallEnd["usage"] {
    return usageIn(chunk.usage)
  }
}
