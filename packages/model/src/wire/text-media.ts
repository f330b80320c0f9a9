import type { MediaSource } from "@agentscope-ts/message"
import { bytesOf, type LoadedMedia } from "./media.ts"
import { mediaTypeOfName } from "./sniff.ts"

/** All that is read as plain text. */
const textType = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|typescript|toml|sql)$/

/** Whether a file is read as plain text, by its type or, before it was loaded, by what is declared of it. */
export function isText(media: LoadedMedia | MediaSource): boolean {
  if (media.mediaType !== undefined) return textType.test(media.mediaType)
  return "url" in media && textType.test(mediaTypeOfName(media.url.replace(/[?#].*$/s, "")) ?? "")
}

/** The text of a file. */
export function textOfMedia({ data }: LoadedMedia): string {
  return new TextDecoder().decode(bytesOf(data))
}
