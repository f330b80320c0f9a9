import { ambient, type ImageBlock } from "@agentscope-ts/message"
import type { ImageModel, ImageRequest, ImageResponse } from "@agentscope-ts/model"
import { inlineMedia, loadMedia, malformed, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { fileOf } from "../media-file.ts"
import type { OpenAIServiceModelOptions, OpenAIServiceParams } from "../openai-service.ts"
import { OpenAIServiceModel } from "../openai-service-model.ts"

/** Settings of pictures; which of them there are depends on the model. */
export interface OpenAIImageParams extends OpenAIServiceParams {
  quality?: "low" | "medium" | "high" | "auto" | "standard" | "hd" | undefined
  background?: "transparent" | "opaque" | "auto" | undefined
  outputFormat?: "png" | "jpeg" | "webp" | undefined
  style?: "vivid" | "natural" | undefined
}

/** Options of {@link OpenAIImageModel}. */
export type OpenAIImageOptions = OpenAIServiceModelOptions<OpenAIImageParams>

type Request = ImageRequest<OpenAIImageParams>

/**
 * Pictures from OpenAI or a compatible endpoint. The blocks hold the bytes, or a URL where the endpoint gives only that;
 * such URLs end soon.
 */
export class OpenAIImageModel extends OpenAIServiceModel<OpenAIImageParams> implements ImageModel<OpenAIImageParams> {
  constructor(options: OpenAIImageOptions) {
    super(options, "images/generations")
  }

  /** Pictures from a prompt; with `images` they are worked on. */
  async generate(request: Request): Promise<ImageResponse> {
    const startedAt = ambient().now()
    const { prompt, images = [], mask, signal } = request
    const works = images.length > 0
    const files = await Promise.all(images.map(upload))
    const image = files.length > 1 ? files : files[0]
    const body = this.#body(request, { prompt, image, mask: works && mask ? await upload(mask) : undefined })
    const answer = await this.service.call(signal, (client, options) =>
      works ? client.images.edit(body, options) : client.images.generate(body, options),
    )
    return this.#read(answer, startedAt)
  }

  /** Other pictures like this one; of OpenAI's models dall-e-2 can do it. */
  async variations(
    image: ImageBlock,
    request: Omit<Request, "prompt" | "images" | "mask"> = {},
  ): Promise<ImageResponse> {
    const startedAt = ambient().now()
    const body = this.#body(request, { image: await upload(image) })
    const answer = await this.service.call(request.signal, ({ images }, options) =>
      images.createVariation(body, options),
    )
    return this.#read(answer, startedAt)
  }

  #body({ count, size, params }: Omit<Request, "prompt">, fields: object): never {
    const { quality, background, outputFormat, style } = this.settings(params)
    // the older models give URLs unless asked, the newer ones know no such field
    const response_format = this.model.startsWith("dall-e") ? "b64_json" : undefined
    const own = { n: count, size, quality, background, output_format: outputFormat, style, response_format }
    return this.body({ ...own, ...fields }, params)
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
    return {
      images,
      ...(revisedPrompts.some((prompt) => prompt !== "") && { revisedPrompts }),
      usage: this.usage(usage, startedAt),
    }
  }
}

const upload = async (image: ImageBlock): Promise<File> => fileOf(await loadMedia(image.source, "image"), "image")

function imageOf(data: string): ImageBlock {
  const source = { type: "base64", mediaType: "image/png", data } as const
  // the bytes decide
  return { type: "image", source: { ...source, ...inlineMedia(source, "image") } }
}
