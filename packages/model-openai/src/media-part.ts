import type { MediaBlock } from "@agentscope-ts/message"
import {
  dataUrl,
  fileNameOf,
  isWebUrl,
  type LoadedMedia,
  type MediaForms,
  requireMediaType,
  type UsualMedia,
  usualMediaForms,
} from "@agentscope-ts/model/wire"
import type { OpenAIContentPart } from "./wire-message.ts"

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const audioFormats: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" }

/** The parts that one of OpenAI's APIs has for media. Neither has one for video, which is left out. */
export interface MediaParts<Part> {
  /** The API, for messages. */
  readonly where: string
  /** A picture by its URL, `data:` or of the web. */
  image(url: string): Part
  audio(data: string, format: string): Part
  file(filename: string, url: string): Part
  /** A file of the web, where the API fetches it. */
  webFile?(url: string): Part
}

/** How an API shows media: which kinds of them, and which in tool results. */
export function formsOf<Part>(
  parts: MediaParts<Part>,
  wire: Pick<UsualMedia<Part>, "kinds" | "promoted" | "inResults">,
): MediaForms<Part> {
  return usualMediaForms({
    ...wire,
    remote: ({ type, source }) => {
      if (!wire.kinds.includes(type) || !isWebUrl(source)) return undefined
      return type === "image" ? parts.image(source.url) : type === "file" ? parts.webFile?.(source.url) : undefined
    },
    sent: (block, media) => partOf(block, media, parts),
  })
}

/** How Chat Completions shows media; with `promoteImages` also those of tool results. */
export const mediaForms = (
  kinds: readonly MediaBlock["type"][],
  promoteImages = false,
): MediaForms<OpenAIContentPart> => formsOf(chatParts, { kinds, promoted: promoteImages ? ["image"] : [] })

const chatParts: MediaParts<OpenAIContentPart> = {
  where: "Chat Completions",
  image: (url) => ({ type: "image_url", image_url: { url } }),
  audio: (data, format) => ({ type: "input_audio", input_audio: { data, format } }),
  file: (filename, url) => ({ type: "file", file: { filename, file_data: url } }),
}

function partOf<Part>(block: MediaBlock, media: LoadedMedia, parts: MediaParts<Part>): Part {
  switch (block.type) {
    case "image":
      requireMediaType(media, imageTypes, "image", parts.where)
      return parts.image(dataUrl(media))
    case "audio":
      requireMediaType(media, Object.keys(audioFormats), "audio", parts.where)
      return parts.audio(media.data, audioFormats[media.mediaType] as string)
    default:
      return parts.file(fileNameOf(block, "file.pdf"), dataUrl(media))
  }
}
