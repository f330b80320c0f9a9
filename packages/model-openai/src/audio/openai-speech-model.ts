import { ambient } from "@agentscope-ts/message"
import type { SpeechModel, SpeechRequest, SpeechResponse } from "@agentscope-ts/model"
import { base64Of, malformed } from "@agentscope-ts/model/wire"
import { isPage } from "../guarded-fetch.ts"
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
      return this.#sound(new Uint8Array(await response.arrayBuffer()), format)
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

  /** The bytes as base64; throws `malformed_response` for what is no sound, since the endpoint says `200` to anything. */
  #sound(bytes: Uint8Array, format: string): string {
    const head = new TextDecoder("latin1").decode(bytes.subarray(0, 300))
    if (head === "") throw malformed(`${this.provider}/${this.model} answered without a sound.`)
    // bare samples may begin with anything, and no other sound with one of these
    if (format === "pcm" ? isPage(head) : /^\s*(?:[<{[]|null\s*$)/.test(head)) {
      throw malformed(
        `${this.provider}/${this.model} answered with a page or an error in the place of a sound: check baseURL.`,
      )
    }
    return base64Of(bytes)
  }

  #body({ text, voice = this.#voice, format = "mp3", speed, params }: Request): never {
    const { instructions } = this.settings(params)
    return this.body({ input: text, voice, response_format: format, speed, instructions }, params)
  }
}
