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

/** A message or block with its documents open to citations, those of results too. */
export function cited<T extends { readonly type?: string; readonly content?: unknown }>(item: T): T {
  if (item.type === "document") return { citations: { enabled: true }, ...item }
  return Array.isArray(item.content) ? { ...item, content: (item.content as AnthropicBlock[]).map(cited) } : item
}
