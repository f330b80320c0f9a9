import type { ContentBlock, MediaBlock } from "@agentscope-ts/message"
import type { Dialect } from "./dialect.ts"

/**
 * What a message says, or a text in its place where it holds nothing but media that the provider's messages have no form
 * for: without it the message would be gone, and with it perhaps all that was asked.
 */
export function shownAtLeast(content: readonly ContentBlock[], dialect: Dialect | undefined): readonly ContentBlock[] {
  const media = dialect?.media
  if (media === undefined || content.length === 0 || !content.every((block) => isLost(block, media))) return content
  const kinds = [...new Set(content.map(({ type }) => type))]
  const text = `[Not shown: ${kinds.join(", ")}. This model's provider takes no media of this kind.]`
  return [{ type: "text", text }]
}

/** What the provider made itself it also takes back. */
function isLost(block: ContentBlock, taken: NonNullable<Dialect["media"]>): boolean {
  return isMedia(block) && block.opaque === undefined && !taken.includes(block.type)
}

const isMedia = (block: ContentBlock): block is MediaBlock =>
  block.type === "image" || block.type === "audio" || block.type === "video" || block.type === "file"
