import { ambient, type ImageBlock } from "@agentscope-ts/message"
import type { ImageModel, ImageRequest, ImageResponse } from "@agentscope-ts/model"
import { figureIn, inlineMedia, loadMedia, malformed, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { fileOf } from "../media-file.ts"
import { OpenAIService, type OpenAIServiceOptions } from "../openai-service.ts"

/** Settings of pictures; which of them there are depends on the model. */
export interface OpenAIImageParams {
  quality?: "low" | "medium" | "high" | "auto" | "standard" | "hd" | undefined
  background?: "transparent" | "opaque" | "auto" | undefined
  outputFormat?: "png" | "jpeg" | "webp" | undefined
  style?: "vivid" | "natural" | undefined
  /** Fields of the request as the endpoint has them, over all others; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of {@link OpenAIImageModel}. */
export interface OpenAIImageOptions extends OpenAIServiceOptions {
  /** Settings of every request; its own come over them. */
  params?: OpenAIImageParams | undefined
}

type Request = ImageRequest<OpenAIImageParams>

/**
 * Pictures from OpenAI or a compatible endpoint. The blocks hold the bytes, or a URL where the endpoint gives only that;
 * such URLs end soon.
 */
export class OpenAIImageModel implements ImageModel<OpenAIImageParams> {
  readonly provider: string
  readonly model: string
  readonly #service: OpenAIService
  readonly #params: OpenAIImageParams

  constructor(options: OpenAIImageOptions) {
    this.#service = new OpenAIService(options, "images/generations", new.target.name)
    this.provider = this.#service.provider
    this.model = options.model
    this.#params = options.params ?? {}
  }

  /** Pictures from a prompt; with `images` they are worked on. */
  async generate(request: Request): Promise<ImageResponse> {
    const startedAt = ambient().now()
    const { prompt, images, mask, signal } = request
    const body: Record<string, unknown> = { ...this.#fields(request), prompt }
    const works = images !== undefined && images.length > 0
    if (works) {
      const files = await Promise.all(images.map(upload))
      body["image"] = files.length === 1 ? files[0] : files
      if (mask) body["mask"] = await upload(mask)
    }
    Object.assign(body, this.#extra(request))
    const answer = await this.#service.call(signal, (client, options) =>
      works ? client.images.edit(body as never, options) : client.images.generate(body as never, options),
    )
    return this.#read(answer, startedAt)
  }

  /** Other pictures like this one; of OpenAI's models dall-e-2 can do it. */
  async variations(
    image: ImageBlock,
    request: Omit<Request, "prompt" | "images" | "mask"> = {},
  ): Promise<ImageResponse> {
    const startedAt = ambient().now()
    const body = { ...this.#fields(request), image: await upload(image), ...this.#extra(request) }
    const answer = await this.#service.call(request.signal, (client, options) =>
      client.images.createVariation(body as never, options),
    )
    return this.#read(answer, startedAt)
  }

  #fields({ count, size, params }: Omit<Request, "prompt">): Record<string, unknown> {
    const { quality, background, outputFormat, style } = { ...this.#params, ...params }
    // the older models give URLs unless asked, the newer ones know no such field
    const asksBytes = this.model.startsWith("dall-e")
    const fields = {
      model: this.model,
      n: count,
      size,
      quality,
      background,
      output_format: outputFormat,
      style,
      response_format: asksBytes ? "b64_json" : undefined,
    }
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  }

  #extra({ params }: Omit<Request, "prompt">): object {
    return { ...this.#params.extraBody, ...params?.extraBody }
  }

  #read(answer: unknown, startedAt: number): ImageResponse {
    const { data, usage } = objectIn<{ data?: unknown; usage?: unknown }>(answer) ?? {}
    const items = objectsIn<Record<string, unknown>>(data)
    const images = items.flatMap((item): ImageBlock[] => {
      const bytes = textIn(item["b64_json"])
      const url = textIn(item["url"])
      if (bytes !== "") return [imageOf(bytes)]
      return url === "" ? [] : [{ type: "image", source: { type: "url", url } }]
    })
    if (images.length === 0) throw malformed(`${this.provider}/${this.model} answered without a picture.`)
    const revisedPrompts = items.map((item) => textIn(item["revised_prompt"]))
    const { input_tokens, output_tokens } = objectIn<Record<string, unknown>>(usage) ?? {}
    const [inputTokens, outputTokens] = [figureIn(input_tokens), figureIn(output_tokens)]
    return {
      images,
      ...(revisedPrompts.some((prompt) => prompt !== "") && { revisedPrompts }),
      usage: {
        ...(inputTokens !== undefined && { inputTokens }),
        ...(outputTokens !== undefined && { outputTokens }),
        timeMs: ambient().now() - startedAt,
      },
    }
  }
}

const upload = async (image: ImageBlock): Promise<File> => fileOf(await loadMedia(image.source, "image"), "image")

function imageOf(data: string): ImageBlock {
  const source = { type: "base64", mediaType: "image/png", data } as const
  // the bytes decide
  return { type: "image", source: { ...source, ...inlineMedia(source, "image") } }
}
