import { type AudioBlock, ambient } from "@agentscope-ts/message"
import { modelError, type SpeechModel, type SpeechRequest, type SpeechResponse } from "@agentscope-ts/model"
import { base64Of, malformed, objectIn, textIn } from "@agentscope-ts/model/wire"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import { runSocketTask } from "./socket-task.ts"

/** Settings of speech. */
export interface DashScopeSpeechParams {
  /** The language of the text, in English (`Chinese`, `English`, `Auto`): Qwen-TTS only. */
  language?: string | undefined
  /** In hertz: Sambert only; Qwen-TTS has 24,000. */
  sampleRate?: number | undefined
}

/** Options of {@link DashScopeSpeechModel}. */
export interface DashScopeSpeechOptions extends DashScopeServiceOptions {
  model: string
}

/**
 * Speech from Qwen-TTS (an answer of `multimodal-generation/generation`: a WAV at a URL that ends after 24 hours) or Sambert
 * (over a websocket: the bytes; its voice is in the name of the model). Source: Alibaba Cloud Model Studio, "Speech synthesis
 * (Qwen-TTS)" and "WebSocket API for Sambert".
 */
export class DashScopeSpeechModel implements Omit<SpeechModel<DashScopeSpeechParams>, "stream"> {
  readonly provider = "dashscope"
  readonly model: string
  readonly #service: DashScopeService

  constructor({ model, ...options }: DashScopeSpeechOptions) {
    this.model = model
    this.#service = new DashScopeService(options)
  }

  async synthesize(request: SpeechRequest<DashScopeSpeechParams>): Promise<SpeechResponse> {
    if (/^cosyvoice|realtime/.test(this.model)) {
      const message = `${this.model} speaks in a way of its own: take a model of Qwen-TTS or Sambert.`
      throw modelError({ code: "unsupported", message })
    }
    const startedAt = ambient().now()
    const audio = this.model.startsWith("sambert") ? await this.#sambert(request) : await this.#qwen(request)
    return { audio, usage: { timeMs: ambient().now() - startedAt } }
  }

  async #qwen({ text, voice, params, signal }: SpeechRequest<DashScopeSpeechParams>): Promise<AudioBlock> {
    const language = params?.language
    const input = {
      text,
      ...(voice !== undefined && { voice }),
      ...(language !== undefined && { language_type: language }),
    }
    const body = { model: this.model, input }
    const answer = await this.#service.post("services/aigc/multimodal-generation/generation", body, { signal })
    const audio =
      objectIn<Record<string, unknown>>(objectIn<Record<string, unknown>>(answer["output"])?.["audio"]) ?? {}
    const mediaType = "audio/wav"
    const url = textIn(audio["url"])
    if (/^https?:\/\//.test(url)) return { type: "audio", source: { type: "url", url, mediaType } }
    const data = textIn(audio["data"])
    if (data !== "") return { type: "audio", source: { type: "base64", mediaType, data } }
    throw malformed(`${this.provider}/${this.model} answered without a sound.`)
  }

  async #sambert({
    text,
    format = "wav",
    speed,
    params,
    signal,
  }: SpeechRequest<DashScopeSpeechParams>): Promise<AudioBlock> {
    const sampleRate = params?.sampleRate
    const sound = await runSocketTask(this.#service, {
      model: this.model,
      task: "tts",
      function: "SpeechSynthesizer",
      streaming: "out",
      parameters: {
        text_type: "PlainText",
        format,
        ...(sampleRate !== undefined && { sample_rate: sampleRate }),
        ...(speed !== undefined && { rate: speed }),
      },
      input: { text },
      signal,
    })
    if (sound.length === 0) throw malformed(`${this.provider}/${this.model} answered without a sound.`)
    const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`
    return { type: "audio", source: { type: "base64", mediaType, data: base64Of(sound) } }
  }
}
