import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { checkedMedia } from "../media/checked-media.ts"
import { seeMedia } from "./see-media.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"

interface Input {
  image_urls: string[]
  prompt?: string
  model?: string
}

/** `dashscope_image_to_text`: what a model sees in pictures. */
export function dashscopeImageToText(options: DashScopeToolOptions = {}): Tool<Input, string> {
  const { model: usual = "qwen3-vl-plus" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_image_to_text",
    description: "Describe pictures, or answer a question about them.",
    input: {
      type: "object",
      properties: {
        image_urls: {
          type: "array",
          items: { type: "string", minLength: 1 },
          minItems: 1,
          maxItems: 50,
          description: "The pictures: web URLs, paths of files or data: URLs.",
        },
        prompt: { type: "string", description: "What is asked.", default: "Describe the image" },
        model: { type: "string", description: "The model.", default: usual },
      },
      required: ["image_urls"],
    },
    effects: "none",
    execute: async ({ image_urls, prompt = "Describe the image", model = usual }, { signal }) => {
      filled(prompt, "prompt")
      const sources = await Promise.all(
        image_urls.map((url, i) => checkedMedia(url, "image", `image_urls[${i}]`, options)),
      )
      return seeMedia(service, { model, kind: "image", sources, prompt, signal })
    },
  })
}
