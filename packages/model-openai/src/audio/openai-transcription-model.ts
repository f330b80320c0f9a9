import { ambient } from "@agentscope-ts/message"
import type {
  TranscriptionModel,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSegment,
} from "@agentscope-ts/model"
import { figureIn, loadMedia, malformed, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { isPage } from "../guarded-fetch.ts"
import { fileOf } from "../media-file.ts"
import type { OpenAIServiceClient, OpenAIServiceModelOptions, OpenAIServiceParams } from "../openai-service.ts"
import { OpenAIServiceModel } from "../openai-service-model.ts"

/** Settings of transcription. */
export interface OpenAITranscriptionParams extends OpenAIServiceParams {
  temperature?: number | undefined
}

/** Options of {@link OpenAITranscriptionModel}. */
export type OpenAITranscriptionOptions = OpenAIServiceModelOptions<OpenAITranscriptionParams>

type Request = TranscriptionRequest<OpenAITranscriptionParams>

/** What was said, from OpenAI or a compatible endpoint. `timestamps` need a model that tells them (whisper-1). */
export class OpenAITranscriptionModel
  extends OpenAIServiceModel<OpenAITranscriptionParams>
  implements TranscriptionModel<OpenAITranscriptionParams>
{
  constructor(options: OpenAITranscriptionOptions) {
    super(options, "audio/transcriptions")
  }

  transcribe(request: Request): Promise<TranscriptionResponse> {
    const { language, timestamps } = request
    const timestamp_granularities = timestamps && [timestamps]
    return this.#write(request, ({ transcriptions }) => transcriptions, { language, timestamp_granularities })
  }

  /** What was said, in English; of OpenAI's models whisper-1 can do it. */
  translate(request: Omit<Request, "language">): Promise<TranscriptionResponse> {
    return this.#write(request, ({ translations }) => translations, {})
  }

  async #write(
    { audio, prompt, timestamps, params, signal }: Request,
    service: (audio: OpenAIServiceClient["audio"]) => OpenAIServiceClient["audio"]["transcriptions"],
    own: object,
  ): Promise<TranscriptionResponse> {
    const startedAt = ambient().now()
    const source = typeof audio === "string" ? ({ type: "url", url: audio } as const) : audio.source
    const file = fileOf(await loadMedia(source, "audio", { signal }), "audio")
    const response_format = timestamps === undefined ? "json" : "verbose_json"
    const { temperature } = this.settings(params)
    const body = this.body({ file, response_format, ...own, prompt, temperature }, params)
    const answer = await this.service.call(signal, (client, options) => service(client.audio).create(body, options))
    return this.#read(answer, startedAt)
  }

  #read(answer: unknown, startedAt: number): TranscriptionResponse {
    // formats asked for with extraBody come as plain text
    const said: Readonly<Record<string, unknown>> | undefined =
      typeof answer === "string" ? { text: answer } : objectIn<Record<string, unknown>>(answer)
    const text = said?.["text"]
    if (said === undefined || typeof text !== "string")
      throw malformed(`${this.provider}/${this.model} answered without a text.`)
    if (isPage(text)) {
      throw malformed(`${this.provider}/${this.model} answered with a page in the place of a text: check baseURL.`)
    }
    const { language, duration, words, segments, usage } = said
    const pieces = objectsIn<Record<string, unknown>>(words).length > 0 ? words : segments
    const durationSeconds = figureIn(duration) ?? figureIn(objectIn<{ seconds?: unknown }>(usage)?.seconds)
    return {
      text,
      ...(typeof language === "string" && { language }),
      ...(durationSeconds !== undefined && { durationSeconds }),
      ...(Array.isArray(pieces) && { segments: objectsIn<Record<string, unknown>>(pieces).map(segmentOf) }),
      usage: this.usage(usage, startedAt),
    }
  }
}

function segmentOf({ text, word, start, end }: Readonly<Record<string, unknown>>): TranscriptionSegment {
  return { text: (textIn(text) || textIn(word)).trim(), start: figureIn(start) ?? 0, end: figureIn(end) ?? 0 }
}
