import type { BlockOf, BlockType, ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "./blocks.ts"

/** A message, a model's response, a snapshot: whatever carries blocks. */
export interface HasContent {
  readonly content: readonly ContentBlock[]
}

/** All visible text, the blocks joined by `separator` (a newline). Empty when there is none. */
export function textOf(value: HasContent | ToolResultBlock, separator = "\n"): string {
  const content: readonly ContentBlock[] = "output" in value ? value.output : value.content
  const only = content[0]
  if (content.length === 1 && only?.type === "text") return only.text
  return content
    .filter((block): block is TextBlock => block.type === "text")
    .map((block) => block.text)
    .join(separator)
}

/** The blocks of a message, all or those of one type. */
export function blocksOf(msg: HasContent): readonly ContentBlock[]
export function blocksOf<T extends BlockType>(msg: HasContent, type: T): readonly BlockOf<T>[]
export function blocksOf(msg: HasContent, type?: BlockType): readonly ContentBlock[] {
  return type === undefined ? msg.content : msg.content.filter((block) => block.type === type)
}

/** Whether a message has a block of this type. */
export function hasBlocks(msg: HasContent, type: BlockType): boolean {
  return msg.content.some((block) => block.type === type)
}

/** The tool calls of a message, in order. */
export function toolUsesOf(msg: HasContent): readonly ToolUseBlock[] {
  return blocksOf(msg, "tool_use")
}

/** The tool results of a message, in order. */
export function toolResultsOf(msg: HasContent): readonly ToolResultBlock[] {
  return blocksOf(msg, "tool_result")
}
