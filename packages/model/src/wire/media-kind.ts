import type { MediaBlock } from "@agentscope-ts/message"

/** What kind of block holds media of this type. */
export function mediaKind(mediaType: string): MediaBlock["type"] {
  const kind = mediaType.split("/")[0]
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file"
}
