import type { VideoBlock } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { checkedMedia } from "../media/checked-media.ts"
import { videoTimeoutMs } from "./dashscope-video-model.ts"
import { makeVideo } from "./make-video.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"
import { resolutionParameter, type ShotInput, shotParameters, videoParameters } from "./video-parameters.ts"

interface Input extends ShotInput {
  image_url: string
  prompt?: string
  model?: string
  template?: string
  resolution?: string
  audio?: boolean
}

/** `dashscope_image_to_video`: a film that begins with a picture, as a URL that ends after 24 hours. It takes minutes. */
export function dashscopeImageToVideo(options: DashScopeToolOptions = {}): Tool<Input, readonly VideoBlock[]> {
  const { model: usual = "wan2.6-i2v-flash" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_image_to_video",
    description: "Make a video that begins with a picture. It takes some minutes.",
    input: {
      type: "object",
      properties: {
        image_url: {
          type: "string",
          minLength: 1,
          description: "The picture: a web URL, a path of a file or a data: URL.",
        },
        prompt: { type: "string", description: "What happens in the video." },
        model: { type: "string", description: "The model.", default: usual },
        template: { type: "string", description: "The name of an effect, in whose place no prompt counts." },
        resolution: resolutionParameter,
        audio: { type: "boolean", description: "Whether the video has sound.", default: true },
        ...shotParameters,
        ...videoParameters,
      },
      required: ["image_url"],
    },
    // the task ends first, and says which it was
    timeoutMs: videoTimeoutMs + 60_000,
    execute: async (input, ctx) => {
      const { image_url, prompt, model = usual, template, negative_prompt: negativePrompt, audio_url } = input
      const { resolution = "720P", audio: sounds = true, duration, shot_type } = input
      const { prompt_extend = true, watermark = false, seed } = input
      const firstFrame = await checkedMedia(image_url, "image", "image_url", options)
      const audio = audio_url ? await checkedMedia(audio_url, "audio", "audio_url", options) : undefined
      const own = { resolution: resolution.toUpperCase(), duration, shot_type, prompt_extend, watermark, seed }
      // a sound that was given is heard whatever stands here
      const parameters = { ...own, ...(audio === undefined && { audio: sounds }) }
      return makeVideo(service, model, { prompt, negativePrompt, template, firstFrame, audio, parameters }, ctx)
    },
  })
}
