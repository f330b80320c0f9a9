import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  figuresIn,
  laterFields,
  malformed,
  objectIn,
  objectsIn,
  type SaidString,
  singleEffect,
  stopReasonOf,
  StreamParser,
  type StreamParserOptions,
  textIn,
  tracedAnswer,
} from "@agentscope-ts/model/wire"
import { AnswerBlocks } from "./answer-blocks.ts"

type Wire = Readonly<Record<string, unknown>>

/** What an answer says of its sources. */
const sources = ["groundingMetadata", "urlContextMetadata", "citationMetadata"]
/** Some of Vertex AI's answers have the numbers of its protocol for words. */
const numbered =
  "UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL"

/** Reads the chunks of a stream, or a whole answer, into the sink. */
export class ChunkReader extends StreamParser<Wire> {
  readonly streamsLists = true
  readonly #blocks: AnswerBlocks
  /** Each chunk tells figures so far, and not each tells them all: the last word counts. */
  #figures: Wire = {}
  readonly #sources: Record<string, unknown> = {}

  constructor(sink: CallSink, options: StreamParserOptions) {
    super(sink, options, { varying: String.raw`"\w*[tT]okenCount": ?\d+` })
    this.#blocks = new AnswerBlocks(sink)
  }

  protected override read(chunk: Wire, _event: string, whole: boolean): void {
    if (chunk["error"] || (chunk["candidates"] === undefined && chunk["message"] !== undefined))
      throw this.failure(chunk)
    const traced = this.isKnown ? undefined : tracedAnswer({ model: chunk["modelVersion"] })
    this.told({ id: chunk["responseId"], usage: this.usageIn(chunk), traced })
    const blocked = objectIn<Wire>(chunk["promptFeedback"])
    if (blocked?.["blockReason"]) {
      this.stop = "content_filter"
      this.#warn(`The prompt was blocked (${textIn(blocked["blockReason"])}).`, blocked["blockReasonMessage"])
    }
    const first = objectsIn<Wire>(chunk["candidates"]).find(({ index }) => !index)
    if (first) this.#candidate(first)
    // a whole answer is complete even where it does not say why it ended
    if (whole && !this.#blocks.empty) this.stop ??= "stop"
  }

  protected override end(stop: StopReason): Partial<CallEnd> | undefined {
    this.#blocks.end(stop === "length" || stop === "malformed_tool_call")
    if (Object.keys(this.#sources).length > 0) this.#blocks.own(this.#sources as never)
    return this.#blocks.nameless ? { stopReason: "malformed_tool_call" } : undefined
  }

  protected override effectOf(chunk: Wire) {
    return singleEffect(chunk, this.#blocks, saidIn)
  }

  /** In our terms: what tools of Google's put before the model is input, thoughts are output. */
  protected override usageIn({ usageMetadata }: Wire): CallEnd["usage"] {
    this.#figures = laterFields(this.#figures, usageMetadata)
    const sum = (...fields: readonly string[]) => figuresIn(this.#figures, ...fields)
    const inputTokens = sum("promptTokenCount", "toolUsePromptTokenCount")
    const outputTokens = sum("candidatesTokenCount", "thoughtsTokenCount")
    if (inputTokens === undefined && outputTokens === undefined) return undefined
    const [cachedInputTokens, reasoningTokens] = [sum("cachedContentTokenCount"), sum("thoughtsTokenCount")]
    return { inputTokens, outputTokens, cachedInputTokens, reasoningTokens }
  }

  #candidate(candidate: Wire): void {
    for (const part of partsOf(candidate)) this.#blocks.part(part)
    for (const key of sources) {
      const said = objectIn(candidate[key])
      if (said && Object.keys(said).length > 0) this.#sources[key] = said
    }
    const word = finishWord(candidate["finishReason"])
    if (word === "") return
    this.stop = stopReasonOf(word)
    const why = candidate["finishMessage"]
    if (this.stop === "stop" && word !== "STOP" && this.#blocks.empty) {
      throw malformed(`${this.label} ended with ${word} and said nothing${textIn(why) && `: ${textIn(why)}`}.`)
    }
    if (this.stop === "content_filter") this.#warn(`The answer was stopped (${word}).`, why)
    // figures may still come
    this.graceMs = 2000
  }

  #warn(what: string, why: unknown): void {
    this.sink.warn("content_filtered", `${what} ${textIn(why)}`.trimEnd())
  }
}

/** The word of a `finishReason`, empty where none was told. */
function finishWord(value: unknown): string {
  const word = typeof value === "number" ? (numbered.split(" ")[value] ?? "OTHER") : textIn(value)
  return word.endsWith("UNSPECIFIED") ? "" : word.toUpperCase()
}

/** What a chunk says that does nothing else; see `singleEffect`. */
function saidIn(chunk: Wire): readonly SaidString[] | undefined {
  const [candidate, ...others] = objectsIn<Wire>(chunk["candidates"])
  if (!candidate || others.length > 0 || chunk["error"] || chunk["promptFeedback"]) return undefined
  if (candidate["index"] || candidate["finishReason"]) return undefined
  const parts = partsOf(candidate)
  if (!parts.every((part) => Object.keys(part).every((key) => key === "text" || key === "thought"))) return undefined
  return parts.map(({ text, thought }) => {
    return { key: '"text":', text: textIn(text), as: thought === true ? "thinking" : "text" }
  })
}

const partsOf = ({ content }: Wire): readonly Wire[] => objectsIn(objectIn<Wire>(content)?.["parts"])
