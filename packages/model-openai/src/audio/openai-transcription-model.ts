import { ambient } from "@agentscope-ts/message"
import type {
  TranscriptionModel,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSegment,
} from "@agentscope-ts/model"
import { figureIn, loadMedia, malformed, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { fileOf } from "../media-file.ts"
import { OpenAIService, type OpenAIServiceClient, type OpenAIServiceOptions } from "../openai-service.ts"

/** Settings of transcription. */
export interface OpenAITranscriptionParams {
  temperature?: number | undefined
  /** Fields of the request as the endpoint has them, over all others; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of {@link OpenAITranscriptionModel}. */
export interface OpenAITranscriptionOptions extends OpenAIServiceOptions {
  /** Settings of every request; its own come over them. */
  params?: OpenAITranscriptionParams | undefined
}

type Request = TranscriptionRequest<OpenAITranscriptionParams>

/** What was said, from OpenAI or a compatible endpoint. `timestamps` need a model that tells them (whisper-1). */
export class OpenAITranscriptionModel implements TranscriptionModel<OpenAITranscriptionParams> {
  readonly provider: string
  readonly model: string
  readonly #service: OpenAIService
  readonly #params: OpenAITranscriptionParams

  constructor(options: OpenAITranscriptionOptions) {
    this.#service = new OpenAIService(options, "audio/transcriptions", new.target.name)
    this.provider = this.#service.provider
    this.model = options.model
    this.#params = options.params ?? {}
  }

  transcribe(request: Request): Promise<TranscriptionResponse> {
    const { language, timestamps } = request
    return this.#write(request, ({ audio }) => audio.transcriptions, {
      ...(language !== undefined && { language }),
      ...(timestamps !== undefined && { timestamp_granularities: [timestamps] }),
    })
  }

  /** What was said, in English; of OpenAI's models whisper-1 can do it. */
  translate(request: Omit<Request, "language">): Promise<TranscriptionResponse> {
    return this.#write(request, ({ audio }) => audio.translations, {})
  }

  async #write(
    { audio, prompt, timestamps, params, signal }: Request,
    service: (client: OpenAIServiceClient) => OpenAIServiceClient["audio"]["transcriptions"],
    fields: object,
  ): Promise<TranscriptionResponse> {
    const startedAt = ambient().now()
    const source = typeof audio === "string" ? ({ type: "url", url: audio } as const) : audio.source
    const { temperature, extraBody } = { ...this.#params, ...params }
    const body = {
      model: this.model,
      file: fileOf(await loadMedia(source, "audio"), "audio"),
      response_format: timestamps === undefined ? "json" : "verbose_json",
      ...fields,
      ...(prompt !== undefined && { prompt }),
      ...(temperature !== undefined && { temperature }),
      ...extraBody,
    }
    const answer = await this.#service.call(signal, (client, options) => service(client).create(body as never, options))
    return this.#read(answer, startedAt)
  }

  #read(answer: unknown, startedAt: number): TranscriptionResponse {
    // formats asked for with extraBody come as plain text
    const said: Readonly<Record<string, unknown>> | undefined =
      typeof answer === "string" ? { text: answer } : objectIn<Record<string, unknown>>(answer)
    const text = said?.["text"]
    if (said === undefined || typeof text !== "string")
      throw malformed(`${this.provider}/${this.model} answered without a text.`)
    const { language, duration, words, segments, usage } = said
    const pieces = objectsIn<Record<string, unknown>>(words).length > 0 ? words : segments
    const { input_tokens, output_tokens, seconds } = objectIn<Record<string, unknown>>(usage) ?? {}
    const [inputTokens, outputTokens] = [figureIn(input_tokens), figureIn(output_tokens)]
    const durationSeconds = figureIn(duration) ?? figureIn(seconds)
    return {
      text,
      ...(typeof language === "string" && { language }),
      ...(durationSeconds !== undefined && { durationSeconds }),
      ...(Array.isArray(pieces) && { segments: objectsIn<Record<string, unknown>>(pieces).map(segmentOf) }),
      usage: {
        ...(inputTokens !== undefined && { inputTokens }),
        ...(outputTokens !== undefined && { outputTokens }),
        timeMs: ambient().now() - startedAt,
      },
    }
  }
}

function segmentOf({ text, word, start, end }: Readonly<Record<string, unknown>>): TranscriptionSegment {
  return { text: (textIn(text) || textIn(word)).trim(), start: figureIn(start) ?? 0, end: figureIn(end) ?? 0 }
}
