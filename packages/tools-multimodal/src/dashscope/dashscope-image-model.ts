import { ambient, type ImageBlock } from "@agentscope-ts/message"
import { type ImageModel, type ImageRequest, type ImageResponse, modelError } from "@agentscope-ts/model"
import { loadMedia, malformed, objectsIn, objectIn, textIn } from "@agentscope-ts/model/wire"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import { runTask, type TaskProgress } from "./run-task.ts"

/** Settings of pictures. */
export interface DashScopeImageParams {
  negativePrompt?: string | undefined
  /** Whether the blocks hold the bytes. Default: a URL, which ends after 24 hours. */
  useBase64?: boolean | undefined
  /** Hears of the task while it goes on. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
  /** Fields of the request's `parameters` as the API has them. */
  parameters?: Readonly<Record<string, unknown>> | undefined
}

/** Options of {@link DashScopeImageModel}. */
export interface DashScopeImageOptions extends DashScopeServiceOptions {
  model: string
}

/** The pictures, and of which task they are. */
export interface DashScopeImageResponse extends ImageResponse {
  readonly taskId?: string
}

type Fields = Readonly<Record<string, unknown>>

/** Models that answer at once, to a message; the older ones make a task. */
const answersAtOnce = /^(?:wan(?:2\.[6-9]|[3-9])|qwen-image|z-image)/
const timeoutMs = 10 * 60_000

/**
 * Pictures from Wan, Qwen-Image and others over DashScope's own API: a task of `text2image/image-synthesis`, or for newer
 * models one answer of `multimodal-generation/generation`. Source: Alibaba Cloud Model Studio, the API references of
 * text-to-image V1 (`wanx-v1`) and V2.
 */
export class DashScopeImageModel implements ImageModel<DashScopeImageParams> {
  readonly provider = "dashscope"
  readonly model: string
  readonly #service: DashScopeService

  constructor({ model, ...options }: DashScopeImageOptions) {
    this.model = model
    this.#service = new DashScopeService(options)
  }

  async generate(request: ImageRequest<DashScopeImageParams>): Promise<DashScopeImageResponse> {
    const startedAt = ambient().now()
    const { prompt, images, mask, count, size, params, signal } = request
    if (images?.length || mask) {
      throw modelError({
        code: "unsupported",
        message: `${this.model} makes pictures from words here, not from pictures.`,
      })
    }
    const parameters = {
      ...(size !== undefined && { size: size.replace(/x/i, "*") }),
      ...(count !== undefined && { n: count }),
      ...params?.parameters,
    }
    const told = { prompt, parameters, params, signal }
    const { urls, revisedPrompts, taskId } = answersAtOnce.test(this.model)
      ? await this.#ask(told)
      : await this.#task(told)
    if (urls.length === 0) throw malformed(`${this.provider}/${this.model} answered without a picture.`)
    const blocks = await Promise.all(urls.map((url) => this.#block(url, params?.useBase64 ?? false, signal)))
    return {
      images: blocks,
      ...(revisedPrompts.some((text) => text !== "") && { revisedPrompts }),
      ...(taskId !== undefined && { taskId }),
      usage: { timeMs: ambient().now() - startedAt },
    }
  }

  async #task({ prompt, parameters, params, signal }: Told): Promise<Found> {
    const negative = params?.negativePrompt
    const input = { prompt, ...(negative !== undefined && { negative_prompt: negative }) }
    const body = { model: this.model, input, parameters }
    const options = { signal, timeoutMs, onProgress: params?.onProgress }
    const { output, taskId } = await runTask(this.#service, "services/aigc/text2image/image-synthesis", body, options)
    // of several pictures some may have failed, and stand there with a code instead of a URL
    const results = objectsIn<Fields>(output["results"]).filter((result) => textIn(result["url"]) !== "")
    return {
      urls: results.map((result) => textIn(result["url"])),
      revisedPrompts: results.map((result) => textIn(result["actual_prompt"])),
      taskId,
    }
  }

  async #ask({ prompt, parameters, params, signal }: Told): Promise<Found> {
    const negative = params?.negativePrompt
    const body = {
      model: this.model,
      input: { messages: [{ role: "user", content: [{ text: prompt }] }] },
      parameters: { ...(negative !== undefined && { negative_prompt: negative }), ...parameters },
    }
    const answer = await this.#service.post("services/aigc/multimodal-generation/generation", body, { signal })
    const choices = objectsIn<Fields>(objectIn<Fields>(answer["output"])?.["choices"])
    const parts = choices.flatMap(({ message }) => objectsIn<Fields>(objectIn<Fields>(message)?.["content"]))
    return { urls: parts.map((part) => textIn(part["image"])).filter((url) => url !== ""), revisedPrompts: [] }
  }

  async #block(url: string, asBase64: boolean, signal: AbortSignal | undefined): Promise<ImageBlock> {
    if (!asBase64) return { type: "image", source: { type: "url", url } }
    const media = await loadMedia({ type: "url", url }, "image", { signal, fetch: this.#service.fetch })
    return { type: "image", source: { type: "base64", ...media } }
  }
}

interface Told extends Pick<ImageRequest<DashScopeImageParams>, "prompt" | "params" | "signal"> {
  readonly parameters: Fields
}

interface Found {
  readonly urls: readonly string[]
  readonly revisedPrompts: readonly string[]
  readonly taskId?: string
}
