import { userMsg } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled, multimodalError } from "../error.ts"
import { blockOf, checkedMedia } from "../media/checked-media.ts"
import { saidOf } from "../media/media-response.ts"
import { clientOptions, type OpenAIToolOptions } from "./tool-options.ts"

interface Input {
  image_urls: string | string[]
  prompt?: string
  model?: string
  max_tokens?: number
}

/** `openai_image_to_text`: what a model sees in pictures. */
export function openaiImageToText(options: OpenAIToolOptions = {}): Tool<Input, string> {
  const { model: usual = "gpt-4o" } = options
  const chat = new OpenAIChatModel(clientOptions(options, usual))
  return tool({
    name: "openai_image_to_text",
    description: "Describe pictures, or answer a question about them.",
    input: {
      type: "object",
      properties: {
        image_urls: {
          anyOf: [{ type: "array", items: { type: "string" } }, { type: "string" }],
          description: "The pictures: web URLs, paths of files or data: URLs, as a list or divided by commas.",
        },
        prompt: { type: "string", description: "What is asked.", default: "Describe the image" },
        model: { type: "string", description: "The model.", default: usual },
        max_tokens: { type: "integer", minimum: 1, description: "The most tokens of the answer.", default: 300 },
      },
      required: ["image_urls"],
    },
    effects: "none",
    execute: async (input, { signal }) => {
      const { image_urls, prompt = "Describe the image", model = usual, max_tokens = 300 } = input
      filled(prompt, "prompt")
      const urls = typeof image_urls === "string" ? dividedUrls(image_urls) : image_urls
      if (urls.length === 0)
        throw multimodalError("invalid_argument", "image_urls is empty: name at least one picture.")
      const sources = await Promise.all(urls.map((url, i) => checkedMedia(url, "image", `image_urls[${i}]`, options)))
      const content = [...sources.map((source) => blockOf("image", source)), { type: "text", text: prompt } as const]
      const client = model === usual ? chat : new OpenAIChatModel(clientOptions(options, model))
      const response = await client.generate({
        messages: [userMsg(content)],
        params: { maxTokens: max_tokens },
        signal,
      })
      return saidOf(response, model)
    },
  })
}

/** URLs that commas divide; a comma inside a URL (each `data:` URL has one) divides nothing, but where the next URL begins. */
export function dividedUrls(text: string): string[] {
  const begins = /,(?=\s*(?:https?:\/\/|data:|file:|oss:\/\/))/i
  return text
    .split(begins)
    .flatMap((part) => (/^\s*(?:https?:|data:|oss:)/i.test(part) ? [part] : part.split(",")))
    .map((part) => part.trim())
    .filter((part) => part !== "")
}
