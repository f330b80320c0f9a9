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
  textIn,
  type ToldFailure,
  toldError,
} from "@agentscope-ts/model/wire"
import { AnswerBlocks } from "./answer-blocks.ts"
import { effectOf, pieceOf } from "./chunk-effect.ts"
import { failureAsFinish, stopReasonOf } from "./stop-reason.ts"
import { type CallUsage, usageOf } from "./usage.ts"
import type { WireChoice, WireChunk, WireDelta, WirePart } from "./wire-chunk.ts"

/** What a {@link ChunkReader} is told. */
export interface ChunkReaderOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** The provider whose opaque data the answer holds. */
  readonly provider: string
  /** The type of audio that was asked for. */
  readonly audioType?: string | undefined
  /** After how many chunks those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** OpenAI hides the length of a text by letters of any number. */
const varying = String.raw`"obfuscation":"[\w-]*"`
/** How long a body may stay open: after a finish reason usage may still come, after `[DONE]` nothing does. */
const graceAfterFinishMs = 5000
const graceAfterDoneMs = 250

/** Reads the chunks of a Chat Completions stream, or a whole completion, into the sink. */
export class ChunkReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #blocks: AnswerBlocks
  readonly #frames: Frames<WireChunk> | undefined
  #id = ""
  #usage: CallUsage | undefined
  #stop: StopReason | undefined
  #refused = false
  /** The words of the refusal. */
  #refusal = ""
  #done = false
  #finished = false

  constructor(sink: CallSink, options: ChunkReaderOptions) {
    this.#sink = sink
    this.#label = options.label
    this.#blocks = new AnswerBlocks(sink, options.provider, options.audioType)
    const { frames: patience } = options
    if (patience !== false) this.#frames = new Frames((chunk) => effectOf(chunk, this.#blocks), { patience, varying })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, event: string): void => {
    const data = text.slice(from, to).trim()
    if (data.charCodeAt(0) !== 123 || event === "error") return this.#oddEvent(data, event)
    const chunk = parseJson(data, `A chunk of ${this.#label}`) as WireChunk
    this.#chunk(chunk, false)
    this.#frames?.learn(data, chunk)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole completion. */
  whole(text: string): void {
    const body = parseJson(text, `The answer of ${this.#label}`)
    const completion = objectIn<WireChunk>(body)
    if (!completion) throw this.#failure(failureOf(body) ?? {})
    this.#chunk(completion, true)
    if (this.#stop === undefined && objectsIn(completion.choices).length === 0) {
      throw malformed(`The answer of ${this.#label} has no choice in it.`)
    }
    this.#done = true
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished || (this.#stop === undefined && !this.#done)) return
    this.#finished = true
    const named = this.#blocks.end()
    const stopReason = this.#refused ? "refusal" : named ? (this.#stop ?? "stop") : "malformed_tool_call"
    this.#sink.finish({
      id: this.#id,
      usage: this.#usage,
      stopReason: this.#checked(stopReason),
      ...(this.#refusal !== "" && { refusal: this.#refusal }),
    })
  }

  /** `tool_calls` without any call is an end like any other. */
  #checked(stopReason: StopReason): StopReason {
    return stopReason === "tool_use" && this.#blocks.calls.empty ? "stop" : stopReason
  }

  #oddEvent(data: string, event: string): void {
    if (data === "") return
    if (data === "[DONE]") {
      this.#done = true
      this.graceMs = graceAfterDoneMs
      return this.complete()
    }
    if (event === "error") throw this.#failure(parsedFailure(data))
    const value = parseJson(data, `A chunk of ${this.#label}`)
    throw this.#failure(failureOf(value) ?? { message: `a chunk is no object: ${data.slice(0, 100)}` })
  }

  #chunk(chunk: WireChunk, whole: boolean): void {
    if (chunk.error || chunk.object === "error" || (chunk.choices === undefined && (chunk.message ?? chunk.detail))) {
      throw this.#failure(failureOf(chunk) ?? {})
    }
    if (this.#id === "" && typeof chunk.id === "string" && chunk.id !== "") {
      this.#id = chunk.id
      this.#sink.begin({ id: chunk.id })
    }
    const choices = Array.isArray(chunk.choices) ? (chunk.choices as readonly (WireChoice | null)[]) : []
    const choice = choices.length === 1 ? choices[0] : choices.find((item) => (item?.index ?? 0) === 0)
    if (choice && !choice.index) this.#choice(choice, whole)
    const usage = usageOf(chunk.usage) ?? usageOf(chunk.x_groq?.usage) ?? usageOf(choice?.usage)
    if (usage) {
      this.#usage = usage
      // after the end: an event after [DONE] or a second telling
      if (this.#finished) this.#sink.finish({ usage, stopReason: this.#stop ?? "stop" })
    }
  }

  #choice(choice: WireChoice, whole: boolean): void {
    if (choice.error) throw this.#failure(failureOf(choice.error) ?? {})
    const delta = whole ? (choice.message ?? choice.delta) : (choice.delta ?? choice.message)
    if (delta) this.#delta(delta, whole)
    const word = textIn(choice.finish_reason)
    if (word === "") return
    const failure = failureAsFinish(word)
    if (failure) throw this.#failure(failure)
    this.#stop = stopReasonOf(word)
    this.graceMs ??= graceAfterFinishMs
  }

  #delta(delta: WireDelta, whole: boolean): void {
    const blocks = this.#blocks
    const thinking = textIn(delta.reasoning_content) || textIn(delta.reasoning)
    if (thinking !== "") blocks.thinking(thinking)
    if (delta.reasoning_details) blocks.reasoningDetails(objectsIn(delta.reasoning_details), thinking === "", whole)
    if (typeof delta.content === "string") blocks.text(delta.content)
    else if (delta.content) this.#parts(objectsIn<WirePart>(delta.content))
    if (delta.refusal) this.#refuse(textIn(delta.refusal))
    for (const call of objectsIn<object>(delta.tool_calls)) {
      const piece = pieceOf(call)
      if (piece) blocks.call(piece, whole)
    }
    // what came before tool_calls, and still does from some servers: one call, without an id
    const legacy = delta.function_call ? pieceOf({ index: 0, function: delta.function_call }) : undefined
    if (legacy) blocks.call(legacy, whole)
    if (delta.audio) blocks.audio(delta.audio)
  }

  /** A content that is a list: Mistral's thinking, and text in parts. */
  #parts(parts: readonly WirePart[]): void {
    for (const part of parts) {
      if (part.type === "thinking") {
        const inner = objectsIn<WirePart>(part.thinking).map(({ text }) => textIn(text))
        this.#blocks.thinking(textIn(part.thinking) || inner.join(""))
      } else if (part.type === "refusal") this.#refuse(textIn(part.refusal), true)
      else this.#blocks.text(textIn(part.text))
    }
  }

  #refuse(words: string, certainly = words !== ""): void {
    this.#refused ||= certainly
    this.#refusal += words
  }

  #failure(told: ToldFailure): Error {
    return toldError(this.#label, told)
  }
}

function parsedFailure(data: string): ToldFailure {
  try {
    return failureOf(JSON.parse(data)) ?? { message: data }
  } catch {
    return { message: data }
  }
}
