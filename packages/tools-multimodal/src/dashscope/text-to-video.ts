import type { VideoBlock } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { checkedMedia } from "../media/checked-media.ts"
import { videoTimeoutMs } from "./dashscope-video-model.ts"
import { makeVideo } from "./make-video.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"
import { type ShotInput, shotParameters, videoParameters } from "./video-parameters.ts"

interface Input extends ShotInput {
  prompt: string
  model?: string
  size?: string
}

/** `dashscope_text_to_video`: a film, as a URL that ends after 24 hours. It takes minutes. */
export function dashscopeTextToVideo(options: DashScopeToolOptions = {}): Tool<Input, readonly VideoBlock[]> {
  const { model: usual = "wan2.6-t2v" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_text_to_video",
    description: "Make a video from a description. It takes some minutes.",
    input: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What happens in the video." },
        model: { type: "string", description: "The model.", default: usual },
        size: {
          type: "string",
          pattern: "^[0-9]{3,4}[*x][0-9]{3,4}$",
          description: "Width and height in pixels.",
          default: "1920*1080",
        },
        ...shotParameters,
        ...videoParameters,
      },
      required: ["prompt"],
    },
    // the task ends first, and says which it was
    timeoutMs: videoTimeoutMs + 60_000,
    execute: async (input, ctx) => {
      const { prompt, model = usual, size = "1920*1080", negative_prompt, audio_url, duration, shot_type } = input
      const { prompt_extend = true, watermark = false, seed } = input
      filled(prompt, "prompt")
      const audio = audio_url ? await checkedMedia(audio_url, "audio", "audio_url", options) : undefined
      const parameters = { size: size.replace("x", "*"), duration, shot_type, prompt_extend, watermark, seed }
      return makeVideo(service, model, { prompt, negativePrompt: negative_prompt, audio, parameters }, ctx)
    },
  })
}
