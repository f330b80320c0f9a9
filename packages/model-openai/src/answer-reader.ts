import { SseReader, TextCollector, type TextReader } from "@agentscope-ts/model/wire"
import type { ChunkReader } from "./chunk-reader.ts"

/**
 * Reads the body of an answer as what it is, an event stream or one JSON value: some endpoints answer a request for a
 * stream with JSON (an error, mostly), or the other way round.
 */
export class AnswerReader implements TextReader {
  readonly #chunks: ChunkReader
  #start = ""
  #reader: TextReader | undefined

  constructor(chunks: ChunkReader) {
    this.#chunks = chunks
  }

  get graceMs(): number | undefined {
    return this.#chunks.graceMs
  }

  push(piece: string): void {
    if (this.#reader) return this.#reader.push(piece)
    this.#start += piece
    const begun = this.#start.trimStart()
    // gateways send blank lines while the model thinks
    if (begun === "") return
    this.#begin(/^[[{<]/.test(begun))
  }

  end(): void {
    if (!this.#reader) this.#begin(true)
    this.#reader?.end()
    this.#chunks.complete()
  }

  /** The connection broke: what came is read to its end as far as that goes, for an event may lack nothing but its blank line. */
  salvage(): void {
    try {
      this.end()
    } catch {
      // what was cut off says nothing; the failure of the connection is the one to tell
    }
  }

  #begin(json: boolean): void {
    this.#reader = json
      ? new WholeReader(this.#chunks)
      : new SseReader(this.#chunks.onEvent, undefined, this.#chunks.shortcut)
    this.#reader.push(this.#start)
    this.#start = ""
  }
}

class WholeReader extends TextCollector {
  readonly #chunks: ChunkReader

  constructor(chunks: ChunkReader) {
    super()
    this.#chunks = chunks
  }

  override end(): void {
    super.end()
    this.#chunks.whole(this.text)
  }
}
