import { ambient } from "@agentscope-ts/message"
import type { SpeechModel, SpeechRequest, SpeechResponse } from "@agentscope-ts/model"
import { base64Of } from "@agentscope-ts/model/wire"
import { OpenAIService, type OpenAIServiceOptions } from "../openai-service.ts"

/** Settings of speech. */
export interface OpenAISpeechParams {
  /** How to speak: the tone, the mood. */
  instructions?: string | undefined
  /** Fields of the request as the endpoint has them, over all others; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of {@link OpenAISpeechModel}. */
export interface OpenAISpeechOptions extends OpenAIServiceOptions {
  /** Default `alloy`. */
  voice?: string | undefined
  /** Settings of every request; its own come over them. */
  params?: OpenAISpeechParams | undefined
}

type Request = SpeechRequest<OpenAISpeechParams>

const mediaTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  // 24 kHz, 16 bit, little-endian, one channel
  pcm: "audio/pcm",
}

/** Speech from OpenAI or a compatible endpoint; `format` is `mp3` unless given. */
export class OpenAISpeechModel implements SpeechModel<OpenAISpeechParams> {
  readonly provider: string
  readonly model: string
  readonly #service: OpenAIService
  readonly #options: OpenAISpeechOptions

  constructor(options: OpenAISpeechOptions) {
    this.#service = new OpenAIService(options, "audio/speech", new.target.name, ["voice"])
    this.provider = this.#service.provider
    this.model = options.model
    this.#options = options
  }

  async synthesize(request: Request): Promise<SpeechResponse> {
    const startedAt = ambient().now()
    const { format = "mp3", signal } = request
    const data = await this.#service.call(signal, async (client, options) => {
      const response = (await client.audio.speech.create(this.#body(request), options)) as Response
      return base64Of(new Uint8Array(await response.arrayBuffer()))
    })
    const mediaType = mediaTypes[format] ?? `audio/${format}`
    return {
      audio: { type: "audio", source: { type: "base64", mediaType, data } },
      usage: { timeMs: ambient().now() - startedAt },
    }
  }

  async *stream(request: Request): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal } = request
    const response = await this.#service.call(signal, (client, options) =>
      client.audio.speech.create(this.#body(request), options),
    )
    try {
      yield* (response as Response).body ?? []
    } catch (error) {
      throw this.#service.failure(error, signal)
    }
  }

  #body({ text, voice, format = "mp3", speed, params }: Request): never {
    const { instructions, extraBody } = { ...this.#options.params, ...params }
    return {
      model: this.model,
      input: text,
      voice: voice ?? this.#options.voice ?? "alloy",
      response_format: format,
      ...(speed !== undefined && { speed }),
      ...(instructions !== undefined && { instructions }),
      ...extraBody,
    } as never
  }
}
