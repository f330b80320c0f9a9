import { ambient, type JsonObject, type MediaSource, type VideoBlock } from "@agentscope-ts/message"
import { malformed, textIn } from "@agentscope-ts/model/wire"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import { runTask, type TaskProgress } from "./run-task.ts"
import { sentMedia } from "./sent-media.ts"

/** One request for a film. Sizes, lengths and effects depend on the model. */
export interface VideoRequest {
  readonly prompt?: string | undefined
  readonly negativePrompt?: string | undefined
  /** The first picture; with `lastFrame` the film goes from one to the other. */
  readonly firstFrame?: MediaSource | undefined
  readonly lastFrame?: MediaSource | undefined
  /** The sound that the film goes with. */
  readonly audio?: MediaSource | undefined
  /** The name of an effect, in whose place no prompt counts. */
  readonly template?: string | undefined
  /** Fields of the request's `parameters` as the API has them: `size`, `resolution`, `duration`, `shot_type`, `seed`, … */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A film, and of which task it is. Its URL ends after 24 hours. */
export interface VideoResponse {
  readonly video: VideoBlock
  readonly taskId: string
  /** The prompt as the service changed it, where it did. */
  readonly revisedPrompt?: string
  /** What the service counts: `duration`, `video_count`, `SR`, … */
  readonly usage: JsonObject & { readonly timeMs: number }
}

/** Options of {@link DashScopeVideoModel}. */
export interface DashScopeVideoOptions extends DashScopeServiceOptions {
  model: string
}

/** How long a film may take: one to five minutes are usual, and queues come before that. */
export const videoTimeoutMs = 30 * 60_000

/**
 * Films from Wan over DashScope: a task of `video-generation/video-synthesis`, of `image2video/video-synthesis` for models
 * between two pictures (`kf2v`). Pictures go as `data:` URLs; sounds, which have to be at a URL, are uploaded. Source: Alibaba
 * Cloud Model Studio, the API references of Wan text-to-video, image-to-video and first-and-last-frame (up to wan2.6).
 */
export class DashScopeVideoModel {
  readonly provider = "dashscope"
  readonly model: string
  readonly #service: DashScopeService

  constructor({ model, ...options }: DashScopeVideoOptions) {
    this.model = model
    this.#service = new DashScopeService(options)
  }

  async generate(request: VideoRequest): Promise<VideoResponse> {
    const startedAt = ambient().now()
    const { prompt, negativePrompt, template, parameters = {}, onProgress, signal } = request
    const isBetween = this.model.includes("kf2v")
    const { urls, resolvesOss } = await this.#media(request, isBetween)
    const input = given({ prompt, negative_prompt: negativePrompt, template, ...urls })
    const body = { model: this.model, input, parameters: given(parameters) }
    const path = `services/aigc/${isBetween ? "image2video" : "video-generation"}/video-synthesis`
    const options = { signal, onProgress, resolvesOss, timeoutMs: videoTimeoutMs }
    const { taskId, output, usage } = await runTask(this.#service, path, body, options)
    const url = textIn(output["video_url"])
    if (url === "") throw malformed(`The task ${taskId} of ${this.model} has succeeded without a video_url.`)
    const revisedPrompt = textIn(output["actual_prompt"])
    return {
      video: { type: "video", source: { type: "url", url, mediaType: "video/mp4" } },
      taskId,
      ...(revisedPrompt !== "" && { revisedPrompt }),
      usage: { ...usage, timeMs: ambient().now() - startedAt },
    }
  }

  async #media({ firstFrame, lastFrame, audio, signal }: VideoRequest, isBetween: boolean) {
    const urls: Record<string, string> = {}
    let resolvesOss = false
    const sources = [
      [isBetween ? "first_frame_url" : "img_url", firstFrame, true],
      ["last_frame_url", lastFrame, true],
      ["audio_url", audio, false],
    ] as const
    for (const [field, source, inline] of sources) {
      if (source === undefined) continue
      const sent = await sentMedia(this.#service, this.model, source, { inline, signal })
      urls[field] = sent.url
      resolvesOss ||= sent.resolvesOss
    }
    return { urls, resolvesOss }
  }
}

/** The fields that are there. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))
