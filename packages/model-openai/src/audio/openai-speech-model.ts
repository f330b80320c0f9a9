import { ambient } from "@agentscope-ts/message"
import type { SpeechModel, SpeechRequest, SpeechResponse } from "@agentscope-ts/model"
import { base64Of } from "@agentscope-ts/model/wire"
import type { OpenAIServiceModelOptions, OpenAIServiceParams } from "../openai-service.ts"
import { OpenAIServiceModel } from "../openai-service-model.ts"

/** Settings of speech. */
export interface OpenAISpeechParams extends OpenAIServiceParams {
  /** How to speak: the tone, the mood. */
  instructions?: string | undefined
}

/** Options of {@link OpenAISpeechModel}. */
export interface OpenAISpeechOptions extends OpenAIServiceModelOptions<OpenAISpeechParams> {
  /** Default `alloy`. */
  voice?: string | undefined
}

type Request = SpeechRequest<OpenAISpeechParams>

const mediaTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  // 24 kHz, 16 bit, little-endian, one channel
  pcm: "audio/pcm",
}

/** Speech from OpenAI or a compatible endpoint; `format` is `mp3` unless given. */
export class OpenAISpeechModel
  extends OpenAIServiceModel<OpenAISpeechParams>
  implements SpeechModel<OpenAISpeechParams>
{
  readonly #voice: string

  constructor(options: OpenAISpeechOptions) {
    super(options, "audio/speech", ["voice"])
    this.#voice = options.voice ?? "alloy"
  }

  async synthesize(request: Request): Promise<SpeechResponse> {
    const startedAt = ambient().now()
    const { format = "mp3", signal } = request
    const data = await this.service.call(signal, async (client, options) => {
      const response = (await client.audio.speech.create(this.#body(request), options)) as Response
      return base64Of(new Uint8Array(await response.arrayBuffer()))
    })
    const mediaType = mediaTypes[format] ?? `audio/${format}`
    return {
      audio: { type: "audio", source: { type: "base64", mediaType, data } },
      usage: this.usage(undefined, startedAt),
    }
  }

  async *stream(request: Request): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal } = request
    const response = await this.service.call(signal, (client, options) =>
      client.audio.speech.create(this.#body(request), options),
    )
    try {
      yield* (response as Response).body ?? []
    } catch (error) {
      throw this.service.failure(error, signal)
    }
  }

  #body({ text, voice = this.#voice, format = "mp3", speed, params }: Request): never {
    const { instructions } = this.settings(params)
    return this.body({ input: text, voice, response_format: format, speed, instructions }, params)
  }
}
