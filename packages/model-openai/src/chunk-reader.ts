import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  AnswerMedia,
  callPieceOf,
  type ChunkEffect,
  failureAsFinish,
  objectIn,
  objectsIn,
  singleEffect,
  stopReasonOf,
  StreamParser,
  type StreamParserOptions,
  textIn,
  tracedAnswer,
  usageIn,
} from "@agentscope-ts/model/wire"
import { AnswerBlocks } from "./answer-blocks.ts"
import { callsIn, CustomCalls } from "./custom-calls.ts"
import { beyondSaid, saidIn } from "./said-in.ts"
import type { ReasoningDetail } from "./reasoning-details.ts"
import type { WireChoice, WireChunk, WireDelta, WirePart } from "./wire-chunk.ts"

/** What a {@link ChunkReader} is told. */
export interface ChunkReaderOptions extends StreamParserOptions {
  /** The provider whose opaque data the answer holds. */
  readonly provider: string
  /** The type of audio that was asked for. Default `audio/wav`. */
  readonly audioType?: string | undefined
}

/** OpenAI hides the length of a text by letters of any number. */
const varying = String.raw`"obfuscation":"[\w-]*"`
/** How long a body may stay open: after a finish reason usage may still come, after `[DONE]` nothing does. */
const graceAfterFinishMs = 5000
const graceAfterDoneMs = 250

/** Reads the chunks of a Chat Completions stream, or a whole completion, into the sink. */
export class ChunkReader extends StreamParser<WireChunk> {
  readonly #blocks: AnswerBlocks
  readonly #audioType: string
  readonly #provider: string
  #media: AnswerMedia | undefined
  readonly #custom = new CustomCalls()
  /** Whether the stream has told what is new: a message at its end is then all of it. */
  #inDeltas = false
  #refused = false
  /** The words of the refusal. */
  #refusal = ""

  constructor(sink: CallSink, { provider, audioType = "audio/wav", ...options }: ChunkReaderOptions) {
    super(sink, options, { varying })
    this.#blocks = new AnswerBlocks(sink, provider)
    this.#audioType = audioType
    this.#provider = provider
  }

  protected override read(chunk: WireChunk, _event: string, whole: boolean): void {
    if (chunk.error || chunk.object === "error" || (chunk.choices === undefined && (chunk.message ?? chunk.detail))) {
      throw this.failure(chunk)
    }
    this.told({ id: chunk.id, traced: this.isKnown ? undefined : tracedAnswer(chunk, this.#provider) })
    const choices = Array.isArray(chunk.choices) ? (chunk.choices as readonly (WireChoice | null)[]) : []
    const choice = choices.length === 1 ? choices[0] : choices.find((item) => (item?.index ?? 0) === 0)
    if (choice && !choice.index) this.#choice(choice, whole)
    if (chunk.usage || chunk.x_groq || choice?.usage) {
      const usage = usageIn(chunk.usage) ?? usageIn(chunk.x_groq?.usage) ?? usageIn(choice?.usage)
      if (usage) this.told({ usage })
    }
    if (whole && choice) this.stop ??= "stop"
  }

  protected override effectOf(chunk: WireChunk): ChunkEffect | undefined {
    return singleEffect(chunk, this.#blocks, saidIn)
  }

  protected override done(): void {
    this.graceMs = graceAfterDoneMs
    this.stop ??= "stop"
    this.complete()
  }

  protected override end(stop: StopReason): Partial<CallEnd> | undefined {
    for (const piece of this.#custom.ends()) this.#blocks.call(piece)
    const end = this.#blocks.ended(stop)
    this.#media?.end()
    const refusal = this.#refusal
    return this.#refused ? { stopReason: "refusal", ...(refusal !== "" && { refusal }) } : end
  }

  #choice(choice: WireChoice, whole: boolean): void {
    if (choice.error) throw this.failure(choice.error)
    this.#inDeltas ||= !whole && Boolean(choice.delta)
    const delta = whole ? (choice.message ?? choice.delta) : (choice.delta ?? choice.message)
    if (delta)
      this.#delta(this.#inDeltas && !choice.delta ? beyondSaid(delta, this.#blocks, this.#refusal) : delta, whole)
    const word = textIn(choice.finish_reason)
    if (word === "") return
    const failure = failureAsFinish(word)
    if (failure) throw this.failure(failure)
    this.stop = stopReasonOf(word)
    this.graceMs ??= graceAfterFinishMs
  }

  #delta(delta: WireDelta, whole: boolean): void {
    const blocks = this.#blocks
    const thinking = textIn(delta.reasoning_content) || textIn(delta.reasoning)
    if (thinking !== "") blocks.thinking(thinking)
    if (delta.reasoning_details) {
      const details = objectsIn<ReasoningDetail>(delta.reasoning_details)
      if (details.length > 0) blocks.reasoningDetails(details, thinking === "", whole)
    }
    if (typeof delta.content === "string") blocks.text(delta.content)
    else if (delta.content) this.#parts(objectsIn<WirePart>(delta.content))
    if (delta.refusal) this.#refuse(textIn(delta.refusal))
    if (delta.images) for (const image of objectsIn<WirePart>(delta.images)) this.#image(image)
    if (delta.tool_calls) this.#calls(callsIn(delta.tool_calls), whole)
    // what came before tool_calls, and still does from some servers: one call, without an id
    if (delta.function_call) blocks.call(callPieceOf({ index: 0, function: delta.function_call }), whole)
    if (delta.audio) this.#sound(delta.audio)
  }

  #calls(calls: ReturnType<typeof callsIn>, whole: boolean): void {
    // several without an index are told apart by their places
    calls.forEach((call, i) => {
      this.#blocks.call(this.#custom.piece(call, calls.length > 1 ? i : undefined, whole), whole)
    })
  }

  #image({ image_url: image }: WirePart): void {
    const { url } = objectIn<{ url?: unknown }>(image) ?? { url: image }
    this.#made.add({ type: "image", url: textIn(url), data: "" })
  }

  /** A spoken answer: the words as text, the sound as one block at the end. */
  #sound(audio: unknown): void {
    const { transcript, data } = objectIn<{ data?: unknown; transcript?: unknown }>(audio) ?? {}
    this.#blocks.text(textIn(transcript))
    this.#made.add({ type: "audio", url: "", data: textIn(data) })
  }

  get #made(): AnswerMedia {
    this.#media ??= new AnswerMedia(this.#blocks, this.#audioType)
    return this.#media
  }

  /** A content that is a list: Mistral's thinking, and text in parts. */
  #parts(parts: readonly WirePart[]): void {
    for (const part of parts) {
      if (part.type === "thinking") {
        const inner = objectsIn<WirePart>(part.thinking).map(({ text }) => textIn(text))
        this.#blocks.thinking(textIn(part.thinking) || inner.join(""))
      } else if (part.type === "image_url") this.#image(part)
      else if (part.type === "refusal") this.#refuse(textIn(part.refusal), true)
      else this.#blocks.text(textIn(part.text))
    }
  }

  #refuse(words: string, certainly = words !== ""): void {
    this.#refused ||= certainly
    this.#refusal += words
  }
}
