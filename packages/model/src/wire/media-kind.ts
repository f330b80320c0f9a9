import type { MediaBlock } from "@agentscope-ts/message"

/** All kinds of media. */
export const mediaKinds: readonly MediaBlock["type"][] = ["image", "audio", "video", "file"]

/** What kind of block holds media of this type. */
export function mediaKind(mediaType: string): MediaBlock["type"] {
  const kind = mediaType.split("/")[0]
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file"
}
