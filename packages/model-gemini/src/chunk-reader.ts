import type { StopReason } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  failureOf,
  Frames,
  malformed,
  objectIn,
  objectsIn,
  parseJson,
  type SaidString,
  singleEffect,
  textIn,
  toldError,
} from "@agentscope-ts/model/wire"
import { AnswerBlocks, type WirePart } from "./answer-blocks.ts"
import { finishWord, stopReasonOf } from "./stop-reason.ts"
import { Usage } from "./usage.ts"

/** A chunk of a stream, or a whole answer, as far as it is read. */
interface WireChunk {
  readonly candidates?: unknown
  readonly promptFeedback?: unknown
  readonly usageMetadata?: unknown
  readonly responseId?: unknown
  readonly error?: unknown
  readonly message?: unknown
}

/** One of a chunk's candidates; only the first is read. */
interface WireCandidate {
  readonly index?: unknown
  readonly content?: unknown
  readonly finishReason?: unknown
  readonly finishMessage?: unknown
  readonly [key: string]: unknown
}

/** What an answer says of its sources. */
const sources = ["groundingMetadata", "urlContextMetadata", "citationMetadata"]
/** How long a body may stay open after the finish reason. */
const graceMs = 2000

/** Reads the chunks of a stream, or a whole answer, into the sink. */
export class ChunkReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #blocks: AnswerBlocks
  readonly #frames: Frames<WireChunk>
  readonly #usage = new Usage()
  readonly #sources: Record<string, unknown> = {}
  /** The last event that was not parsed: it may have told figures that no later one tells. */
  #unread: { readonly text: string; readonly from: number; readonly to: number } | undefined
  #id = ""
  #stop: StopReason | undefined
  #finished = false

  /** `label`: provider and model, for messages; `patience`: see `Frames`. */
  constructor(sink: CallSink, label: string, patience?: number) {
    this.#sink = sink
    this.#label = label
    const blocks = new AnswerBlocks(sink)
    this.#blocks = blocks
    const varying = String.raw`"\w*[tT]okenCount": ?\d+`
    const sayings = {
      text: (text: string) => blocks.say("text", text),
      thinking: (text: string) => blocks.say("thinking", text),
      call: () => {},
    }
    this.#frames = new Frames((chunk) => singleEffect(chunk, sayings, saidIn), { patience, varying })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number): void => {
    const data = text.slice(from, to).trim()
    if (data === "" || data === "[DONE]") return
    const chunk = parseJson(data, `A chunk of ${this.#label}`) as WireChunk
    this.#chunk(chunk)
    this.#frames.learn(data, chunk)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => {
    const end = this.#frames.take(text, at)
    if (end > at) this.#unread = { text, from: at, to: end }
    return end
  }

  /** Takes a whole answer, or a stream that came as a list. */
  whole(text: string): void {
    const chunks = text.trimStart().startsWith("[") ? listItems(text) : [text]
    for (const chunk of chunks) this.#chunk(parseJson(chunk, `The answer of ${this.#label}`) as WireChunk)
    if (this.#stop === undefined) {
      throw malformed(`The answer of ${this.#label} does not say how it ended: it has no candidate, or was cut off.`)
    }
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    const stop = this.#stop
    if (this.#finished || stop === undefined) return
    this.#finished = true
    this.#blocks.end(stop === "length" || stop === "malformed_tool_call")
    if (Object.keys(this.#sources).length > 0) this.#blocks.opaque(this.#sources as never)
    const stopReason = this.#blocks.nameless ? "malformed_tool_call" : stop
    this.#sink.finish({ id: this.#id, usage: this.#usage.figures(), stopReason })
  }

  #chunk(value: WireChunk): void {
    const chunk = objectIn<WireChunk>(value)
    if (!chunk || chunk.error || (chunk.candidates === undefined && chunk.message !== undefined)) {
      throw toldError(this.#label, failureOf(value) ?? { message: "a chunk is no object" })
    }
    if (this.#id === "" && typeof chunk.responseId === "string") {
      this.#id = chunk.responseId
      this.#sink.begin({ id: this.#id })
    }
    this.#catchUp()
    this.#usage.add(chunk.usageMetadata)
    const blocked = objectIn<Record<string, unknown>>(chunk.promptFeedback)
    if (blocked?.["blockReason"]) {
      this.#stop = "content_filter"
      this.#warn(`The prompt was blocked (${textIn(blocked["blockReason"])}).`, blocked["blockReasonMessage"])
    }
    const candidate = objectsIn<WireCandidate>(chunk.candidates).find(({ index }) => !index)
    if (candidate) this.#candidate(candidate)
  }

  #candidate(candidate: WireCandidate): void {
    for (const part of partsOf(candidate)) this.#blocks.part(part)
    for (const key of sources) {
      const said = objectIn(candidate[key])
      if (said && Object.keys(said).length > 0) this.#sources[key] = said
    }
    const word = finishWord(candidate.finishReason)
    if (word === "") return
    const stop = stopReasonOf(word)
    if (stop === undefined && this.#blocks.empty) {
      const why = textIn(candidate.finishMessage)
      throw malformed(`${this.#label} ended with ${word} and said nothing${why === "" ? "" : `: ${why}`}.`)
    }
    if (stop === "content_filter") this.#warn(`The answer was stopped (${word}).`, candidate.finishMessage)
    this.#stop = stop ?? "stop"
    this.graceMs = graceMs
  }

  #warn(what: string, why: unknown): void {
    this.#sink.warn("content_filtered", textIn(why) === "" ? what : `${what} ${textIn(why)}`)
  }

  #catchUp(): void {
    if (this.#unread === undefined) return
    const { text, from, to } = this.#unread
    this.#unread = undefined
    const chunk = JSON.parse(text.slice(text.indexOf("{", from), to)) as WireChunk
    this.#usage.add(chunk.usageMetadata)
  }
}

/** What a chunk says that does nothing else; see `singleEffect`. */
function saidIn(chunk: WireChunk): readonly SaidString[] | undefined {
  const [candidate, ...others] = objectsIn<WireCandidate>(chunk.candidates)
  if (!candidate || others.length > 0 || chunk.error || chunk.promptFeedback) return undefined
  if (candidate.index || candidate.finishReason) return undefined
  const parts = partsOf(candidate)
  if (!parts.every((part) => Object.keys(part).every((key) => key === "text" || key === "thought"))) return undefined
  return parts.map(({ text, thought }) => {
    return { key: '"text":', text: textIn(text), as: thought === true ? "thinking" : "text" }
  })
}

const partsOf = ({ content }: WireCandidate): readonly WirePart[] =>
  objectsIn(objectIn<{ readonly parts?: unknown }>(content)?.parts)

/** The objects of a JSON list as texts, and what is left where the list breaks off. */
function listItems(text: string): readonly string[] {
  const items: string[] = []
  let [depth, start] = [0, 0]
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs)) {
    if (token === "{" && depth++ === 0) start = index
    if (token === "}" && --depth === 0) items.push(text.slice(start, index + 1))
  }
  return depth === 0 ? items : [...items, text.slice(start)]
}
