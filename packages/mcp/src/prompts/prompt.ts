import { assistantMsg, type JsonObject, type JsonValue, type Msg, userMsg } from "@agentscope-ts/message"
import { asObject, asString } from "../sdk/session.ts"
import { contentBlock } from "../tools/content-blocks.ts"

/** A prompt that a server offers, as `prompts/list` tells of it. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
}

/** The messages of a prompt as ours; `metadata.mcp` says where they come from. */
export function promptMessages(answer: JsonObject, server: string, prompt: string): readonly Msg[] {
  const messages = Array.isArray(answer["messages"]) ? (answer["messages"] as readonly JsonValue[]) : []
  const options = { metadata: { mcp: { server, prompt }, untrusted: true } }
  return messages.map((message) => {
    const { role, content } = asObject(message)
    const blocks = (Array.isArray(content) ? (content as readonly JsonValue[]) : [content ?? null]).map(contentBlock)
    return asString(role) === "assistant" ? assistantMsg(blocks, options) : userMsg(blocks, options)
  })
}
