import type { VideoBlock } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { checkedMedia } from "../media/checked-media.ts"
import { videoTimeoutMs } from "./dashscope-video-model.ts"
import { makeVideo } from "./make-video.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"
import { resolutionParameter, type VideoInput, videoParameters } from "./video-parameters.ts"

interface Input extends VideoInput {
  first_frame_url: string
  last_frame_url?: string
  prompt?: string
  model?: string
  template?: string
  resolution?: string
}

/**
 * `dashscope_first_and_last_frame_image_to_video`: a film from one picture to another, as a URL that ends after 24 hours. It
 * takes minutes.
 */
export function dashscopeFirstAndLastFrameImageToVideo(
  options: DashScopeToolOptions = {},
): Tool<Input, readonly VideoBlock[]> {
  const { model: usual = "wan2.2-kf2v-flash" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_first_and_last_frame_image_to_video",
    description: "Make a video that goes from one picture to another. It takes some minutes.",
    input: {
      type: "object",
      properties: {
        first_frame_url: {
          type: "string",
          minLength: 1,
          description: "The first picture: a web URL, a path of a file or a data: URL.",
        },
        last_frame_url: { type: "string", description: "The last picture; only with a template there may be none." },
        prompt: { type: "string", description: "What happens in between." },
        model: { type: "string", description: "The model.", default: usual },
        template: { type: "string", description: "The name of an effect, in whose place no prompt counts." },
        resolution: resolutionParameter,
        ...videoParameters,
      },
      required: ["first_frame_url"],
    },
    // the task ends first, and says which it was
    timeoutMs: videoTimeoutMs + 60_000,
    execute: async (input, ctx) => {
      const {
        first_frame_url,
        last_frame_url,
        prompt,
        model = usual,
        template,
        negative_prompt: negativePrompt,
      } = input
      const { resolution = "720P", prompt_extend = true, watermark = false, seed } = input
      const firstFrame = await checkedMedia(first_frame_url, "image", "first_frame_url", options)
      const lastFrame = last_frame_url
        ? await checkedMedia(last_frame_url, "image", "last_frame_url", options)
        : undefined
      const parameters = { resolution: resolution.toUpperCase(), prompt_extend, watermark, seed }
      return makeVideo(service, model, { prompt, negativePrompt, template, firstFrame, lastFrame, parameters }, ctx)
    },
  })
}
