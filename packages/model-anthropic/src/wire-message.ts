import type { JsonObject, Opaque } from "@agentscope-ts/message"
import { ownData as dataOf } from "@agentscope-ts/model/wire"

/** A block of a message's content: `text`, `image`, `document`, `thinking`, `tool_use`, `tool_result`, … */
export interface AnthropicBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** A message as the Messages API takes it; `system` only at the head, which the model sends apart. */
export interface AnthropicWireMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: readonly AnthropicBlock[]
}

/** The data of Anthropic's own that a block carries. */
export const ownData = (opaque: Opaque | undefined): JsonObject | undefined => dataOf(opaque, "anthropic")

/** The whole wire block that a block stands for: redacted thinking, a server tool's call or result, an uploaded file. */
export function ownBlock(opaque: Opaque | undefined): AnthropicBlock | undefined {
  const data = ownData(opaque)
  return data && typeof data["type"] === "string" ? (data as unknown as AnthropicBlock) : undefined
}

export const textBlock = (text: string): AnthropicBlock => ({ type: "text", text })

/** The message with its documents open to citations, those of results too. */
export const cited = (message: AnthropicWireMessage): AnthropicWireMessage => ({
  ...message,
  content: citedBlocks(message.content),
})

const citedBlocks = (blocks: readonly AnthropicBlock[]): readonly AnthropicBlock[] =>
  blocks.map((block) => {
    if (block.type === "document") return { citations: { enabled: true }, ...block }
    const { content } = block
    return block.type === "tool_result" && Array.isArray(content) ? { ...block, content: citedBlocks(content) } : block
  })
