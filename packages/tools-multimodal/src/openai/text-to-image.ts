import type { ImageBlock } from "@agentscope-ts/message"
import { OpenAIImageModel, type OpenAIImageParams } from "@agentscope-ts/model-openai"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { known, mediaResponse } from "../media/media-response.ts"
import { clientOptions, type OpenAIToolOptions } from "./tool-options.ts"

interface Input {
  prompt: string
  model?: string
  n?: number
  size?: string
  quality?: string
  response_format?: "url" | "b64_json"
}

/**
 * `openai_text_to_image`: pictures, as URLs that end after an hour or with `b64_json` as bytes; models after DALL-E give bytes
 * always.
 */
export function openaiTextToImage(options: OpenAIToolOptions = {}): Tool<Input, readonly ImageBlock[]> {
  const { model: usual = "dall-e-3" } = options
  // a missing key is told at once
  const image = new OpenAIImageModel(clientOptions(options, usual))
  return tool({
    name: "openai_text_to_image",
    description: "Make one or more pictures from a description.",
    input: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What the picture shows." },
        model: { type: "string", description: "The model.", default: usual },
        n: { type: "integer", minimum: 1, maximum: 10, description: "How many pictures; of dall-e-3 one.", default: 1 },
        size: {
          type: "string",
          pattern: "^(?:auto|[0-9]{2,4}x[0-9]{2,4})$",
          description: "Width and height in pixels.",
          default: "1024x1024",
        },
        quality: {
          type: "string",
          description: "standard or hd; of newer models low, medium or high.",
          default: "standard",
        },
        response_format: {
          type: "string",
          enum: ["url", "b64_json"],
          description: "Whether a URL is given or the bytes.",
          default: "url",
        },
      },
      required: ["prompt"],
    },
    timeoutMs: 10 * 60_000,
    execute: async (
      { prompt, model = usual, n = 1, size = "1024x1024", quality, response_format = "url" },
      { signal },
    ) => {
      const client = model === usual ? image : new OpenAIImageModel(clientOptions(options, model))
      const { images, revisedPrompts, usage } = await client.generate({
        prompt: filled(prompt, "prompt"),
        count: n,
        size,
        params: paramsOf(model, quality, response_format),
        signal,
      })
      return mediaResponse(images, known({ model, revisedPrompts, usage }))
    },
  })
}

/** Only dall-e-3 knows `standard`, and only DALL-E a `response_format`. */
function paramsOf(model: string, quality: string | undefined, format: string): OpenAIImageParams {
  const isDallE = model.startsWith("dall-e")
  const given = quality ?? (model.startsWith("dall-e-3") ? "standard" : undefined)
  return {
    quality: given as OpenAIImageParams["quality"],
    ...(isDallE && { extraBody: { response_format: format } }),
  }
}
