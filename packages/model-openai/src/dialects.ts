import type { MediaBlock } from "@agentscope-ts/message"
import type { Dialect } from "@agentscope-ts/model"

const toolName = /^[a-zA-Z0-9_-]{1,64}$/
const toolCallId = { pattern: /^\S+$/, maxLength: 64 }
const media = ["image", "audio", "file"] as const

/** What OpenAI takes in a history over Chat Completions. */
export const openAIDialect: Dialect = { provider: "openai", toolName, toolCallId, media }

/** What OpenAI takes in a history over the Responses API. */
export const openAIResponsesDialect: Dialect = { ...openAIDialect, media: ["image", "file"] }

/** What DeepSeek takes in a history. */
export const deepSeekDialect: Dialect = { ...openAIDialect, provider: "deepseek", media: [] }

const known: Readonly<Record<string, Partial<Dialect>>> = {
  deepseek: deepSeekDialect,
  mistral: { toolCallId: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 } },
}

/** The rules of an endpoint that keeps to OpenAI's but for what is known of it. */
export const dialectOf = (provider: string, base = openAIDialect): Dialect => ({
  ...base,
  ...known[provider],
  provider,
})

/** The kinds of media that an endpoint is shown over Chat Completions, in the order in which they follow a text. */
export const mediaOf = (provider: string): readonly MediaBlock["type"][] => (provider === "deepseek" ? [] : media)
