import type { ImageBlock } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { known, mediaResponse } from "../media/media-response.ts"
import { DashScopeImageModel } from "./dashscope-image-model.ts"
import { type DashScopeToolOptions, progressOf, serviceOptions } from "./tool-options.ts"

interface Input {
  prompt: string
  model?: string
  n?: number
  size?: string
  use_base64?: boolean
}

/** `dashscope_text_to_image`: pictures, as URLs that end after 24 hours or with `use_base64` as bytes. */
export function dashscopeTextToImage(options: DashScopeToolOptions = {}): Tool<Input, readonly ImageBlock[]> {
  const { model: usual = "wanx-v1" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_text_to_image",
    description: "Make one or more pictures from a description.",
    input: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What the picture shows." },
        model: { type: "string", description: "The model.", default: usual },
        n: { type: "integer", minimum: 1, maximum: 4, description: "How many pictures.", default: 1 },
        size: {
          type: "string",
          pattern: "^[0-9]{2,4}[*x][0-9]{2,4}$",
          description: "Width and height in pixels.",
          default: "1024*1024",
        },
        use_base64: {
          type: "boolean",
          description: "Whether the bytes are given instead of a URL.",
          default: false,
        },
      },
      required: ["prompt"],
    },
    timeoutMs: 12 * 60_000,
    execute: async ({ prompt, model = usual, n = 1, size = "1024*1024", use_base64 = false }, ctx) => {
      const { images, taskId, revisedPrompts } = await new DashScopeImageModel({ ...service, model }).generate({
        prompt: filled(prompt, "prompt"),
        count: n,
        size,
        params: { useBase64: use_base64, onProgress: progressOf(ctx) },
        signal: ctx.signal,
      })
      return mediaResponse(images, known({ model, taskId, revisedPrompts }))
    },
  })
}
