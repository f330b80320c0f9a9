import { ambient, type MediaSource, textOf, userMsg } from "@agentscope-ts/message"
import {
  classifyError,
  modelError,
  type TranscriptionModel,
  type TranscriptionRequest,
  type TranscriptionResponse,
  type TranscriptionSegment,
} from "@agentscope-ts/model"
import { DashScopeChatModel } from "@agentscope-ts/model-dashscope"
import { figureIn, loadMedia, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import { runTask, type TaskProgress } from "./run-task.ts"
import { sentMedia } from "./sent-media.ts"
import { runSocketTask } from "./socket-task.ts"
import { wavRate } from "./wav-rate.ts"

/** Settings of transcription. */
export interface DashScopeTranscriptionParams {
  /** In hertz, for what does not say it itself; of a WAV its own counts. Default 16,000. */
  sampleRate?: number | undefined
  /** Hears of the task while it goes on; of models for recorded files only. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

/** Options of {@link DashScopeTranscriptionModel}. */
export interface DashScopeTranscriptionOptions extends DashScopeServiceOptions {
  model: string
}

type Request = TranscriptionRequest<DashScopeTranscriptionParams>
type Written = Omit<TranscriptionResponse, "usage">
type Fields = Readonly<Record<string, unknown>>

/** What the service calls the types it hears. */
const formats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "opus",
  "audio/opus": "opus",
  "audio/speex": "speex",
  "audio/aac": "aac",
  "audio/amr": "amr",
  "audio/pcm": "pcm",
  "audio/l16": "pcm",
}
const timeoutMs = 30 * 60_000

/**
 * What was said, by the name of the model: `…realtime…` (Paraformer, Fun-ASR) over a websocket, which wants the sound itself;
 * other `paraformer`, `fun-asr` and `sensevoice` as a task over a recorded file (`audio/asr/transcription`); the rest
 * (`qwen3-asr-flash`, `qwen-audio`) by chat. Source: Alibaba Cloud Model Studio, "WebSocket API for Paraformer real-time",
 * "RESTful API for Paraformer recorded speech".
 */
export class DashScopeTranscriptionModel implements TranscriptionModel<DashScopeTranscriptionParams> {
  readonly provider = "dashscope"
  readonly model: string
  readonly #options: DashScopeServiceOptions
  readonly #service: DashScopeService

  constructor({ model, ...options }: DashScopeTranscriptionOptions) {
    this.model = model
    this.#options = options
    this.#service = new DashScopeService(options)
  }

  async transcribe(request: Request): Promise<TranscriptionResponse> {
    const startedAt = ambient().now()
    const { audio } = request
    const source: MediaSource = typeof audio === "string" ? { type: "url", url: audio } : audio.source
    const written = await this.#way()(request, source)
    return { ...written, usage: { timeMs: ambient().now() - startedAt } }
  }

  #way(): (request: Request, source: MediaSource) => Promise<Written> {
    if (this.model.includes("realtime")) return (request, source) => this.#live(request, source)
    if (/^(?:paraformer|fun-asr|sensevoice)/.test(this.model))
      return (request, source) => this.#recorded(request, source)
    return (request, source) => this.#chat(request, source)
  }

  async #live({ language, params, signal }: Request, source: MediaSource): Promise<Written> {
    if (source.type === "url" && /^oss:/i.test(source.url)) {
      const message = `${this.model} wants the sound itself, which cannot be had from an oss: URL: give a file or a web URL.`
      throw modelError({ code: "unsupported", message })
    }
    const { mediaType, data } = await loadMedia(source, "audio", { signal, fetch: this.#service.fetch })
    const format = formats[mediaType]
    if (format === undefined) {
      const message = `${this.model} hears no ${mediaType}, only ${[...new Set(Object.values(formats))].join(", ")}: convert it first.`
      throw modelError({ code: "unsupported", message })
    }
    const sound = new Uint8Array(Buffer.from(data, "base64"))
    const rate = (format === "wav" ? wavRate(sound) : undefined) ?? params?.sampleRate ?? 16_000
    const segments: TranscriptionSegment[] = []
    let seconds: number | undefined
    await runSocketTask(this.#service, {
      model: this.model,
      task: "asr",
      function: "recognition",
      streaming: "duplex",
      parameters: { format, sample_rate: rate, ...(language !== undefined && { language_hints: [language] }) },
      sound,
      signal,
      onResult: ({ output, usage }) => {
        const sentence = objectIn<Fields>(objectIn<Fields>(output)?.["sentence"]) ?? {}
        seconds = figureIn(objectIn<Fields>(usage)?.["duration"]) ?? seconds
        // what is not ended comes again, longer
        const isEnd = sentence["sentence_end"] ?? figureIn(sentence["end_time"]) !== undefined
        if (isEnd === true && sentence["heartbeat"] !== true) segments.push(segmentOf(sentence))
      },
    })
    return { text: joined(segments), segments, ...(seconds !== undefined && { durationSeconds: seconds }) }
  }

  async #recorded({ language, params, signal }: Request, source: MediaSource): Promise<Written> {
    const { url, resolvesOss } = await sentMedia(this.#service, this.model, source, { inline: false, signal })
    const body = {
      model: this.model,
      input: { file_urls: [url] },
      parameters: { ...(language !== undefined && { language_hints: [language] }) },
    }
    const options = { signal, resolvesOss, timeoutMs, onProgress: params?.onProgress }
    const { output, taskId } = await runTask(this.#service, "services/audio/asr/transcription", body, options)
    const [result = {}] = objectsIn<Fields>(output["results"])
    const at = textIn(result["transcription_url"])
    if (at === "") {
      const [code, why] = [textIn(result["code"]), textIn(result["message"])]
      const message = `The task ${taskId} of ${this.model} gave no text: ${why || code || "no reason given"}`
      throw modelError({ code: classifyError({ code, message: why }).code, message, details: { taskId } })
    }
    // it lies in a store that needs no key, and gets none
    const answer = await this.#service.getJson(at, {}, signal)
    const transcripts = objectsIn<Fields>(answer["transcripts"])
    const ms = figureIn(objectIn<Fields>(answer["properties"])?.["original_duration_in_milliseconds"])
    return {
      text: transcripts.map((transcript) => textIn(transcript["text"])).join("\n"),
      segments: transcripts.flatMap((transcript) => objectsIn<Fields>(transcript["sentences"]).map(segmentOf)),
      ...(ms !== undefined && { durationSeconds: ms / 1000 }),
    }
  }

  async #chat({ signal }: Request, source: MediaSource): Promise<Written> {
    const { url, resolvesOss } = await sentMedia(this.#service, this.model, source, { signal })
    const headers = { ...this.#options.headers, ...(resolvesOss && { "x-dashscope-ossresourceresolve": "enable" }) }
    const model = new DashScopeChatModel({ ...this.#options, model: this.model, headers, multimodal: true })
    const audio = { type: "audio", source: { type: "url", url } } as const
    return { text: textOf(await model.generate({ messages: [userMsg([audio])], signal })) }
  }
}

function segmentOf({ text, begin_time, end_time }: Fields): TranscriptionSegment {
  return { text: textIn(text), start: (figureIn(begin_time) ?? 0) / 1000, end: (figureIn(end_time) ?? 0) / 1000 }
}

/** Sentences as one text: with a blank where letters or their punctuation meet, none between Chinese ones. */
function joined(segments: readonly TranscriptionSegment[]): string {
  return segments.reduce((before, { text }) => {
    const needsBlank = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Nd}.,!?;:]$/u.test(before) && !/^\s/.test(text)
    return before + (before !== "" && needsBlank ? " " : "") + text
  }, "")
}
