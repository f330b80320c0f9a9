import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { checkedMedia } from "../media/checked-media.ts"
import { seeMedia } from "./see-media.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"

interface Input {
  video_url: string
  prompt?: string
  model?: string
  fps?: number
}

/** `dashscope_video_to_text`: what a model sees in a film. */
export function dashscopeVideoToText(options: DashScopeToolOptions = {}): Tool<Input, string> {
  const { model: usual = "qwen3.5-plus" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_video_to_text",
    description: "Describe a video, or answer a question about it.",
    input: {
      type: "object",
      properties: {
        video_url: {
          type: "string",
          minLength: 1,
          description: "The video: a web URL, a path of a file or a data: URL.",
        },
        prompt: { type: "string", description: "What is asked.", default: "Describe the video" },
        model: { type: "string", description: "The model.", default: usual },
        fps: {
          type: "number",
          minimum: 0.1,
          maximum: 10,
          description: "How many pictures of each second are looked at.",
          default: 2,
        },
      },
      required: ["video_url"],
    },
    effects: "none",
    timeoutMs: 10 * 60_000,
    execute: async ({ video_url, prompt = "Describe the video", model = usual, fps = 2 }, { signal }) => {
      filled(prompt, "prompt")
      const source = await checkedMedia(video_url, "video", "video_url", options)
      return seeMedia(service, { model, kind: "video", sources: [source], prompt, fps, signal })
    },
  })
}
