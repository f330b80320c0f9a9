import type { MediaBlock } from "@agentscope-ts/message"
import {
  dataUrl,
  inlineMedia,
  isInMemory,
  isWebUrl,
  type LoadedMedia,
  loadMedia,
  type MediaForms,
  requireMediaType,
} from "@agentscope-ts/model/wire"
import type { OpenAIInputPart } from "./responses/wire-input.ts"
import type { OpenAIContentPart } from "./wire-message.ts"

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const audioFormats: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" }

/** The parts that one of OpenAI's APIs has for media. Neither has one for video, which is left out. */
interface MediaParts<Part> {
  /** The API, for messages. */
  readonly where: string
  /** A picture by its URL, `data:` or of the web. */
  image(url: string): Part
  audio(data: string, format: string): Part
  file(filename: string, url: string): Part
  /** A file of the web, where the API fetches it. */
  webFile?(url: string): Part
}

/** How an API shows media, and with `ofResult` which of those in tool results. */
function formsOf<Part>(
  parts: MediaParts<Part>,
  ofResult: (block: MediaBlock) => boolean,
  inResults = false,
  audio = true,
): MediaForms<Part> {
  const isShown = ({ type }: MediaBlock): boolean => type !== "video" && (audio || type !== "audio")
  const web = ({ type, source }: MediaBlock): Part | undefined => {
    if (!isWebUrl(source)) return undefined
    return type === "image" ? parts.image(source.url) : type === "file" ? parts.webFile?.(source.url) : undefined
  }
  const inline = (block: MediaBlock): Part | undefined => {
    const media = inlineMedia(block.source, block.type)
    return media && partOf(block, media, parts)
  }
  return {
    inResults,
    ofResult,
    needsLoading: (block) => isShown(block) && !isInMemory(block.source) && web(block) === undefined,
    part: (block) => (isShown(block) ? (web(block) ?? inline(block)) : undefined),
    load: async (block) => partOf(block, await loadMedia(block.source, block.type), parts),
  }
}

/** How Chat Completions shows media; with `promoteImages` also those of tool results. */
export const mediaForms = (promoteImages: boolean | undefined): MediaForms<OpenAIContentPart> =>
  formsOf(chatParts, ({ type }) => promoteImages === true && type === "image")

/** What the Responses API is shown: pictures and files of tool results too, pictures again, sounds. */
export interface InputMedia {
  readonly mediaInResults?: boolean | undefined
  readonly promoteToolResultImages?: boolean | undefined
  readonly audio?: boolean | undefined
}

/** How the Responses API shows media. */
export function inputForms({
  mediaInResults,
  promoteToolResultImages,
  audio,
}: InputMedia): MediaForms<OpenAIInputPart> {
  const images = mediaInResults === true || promoteToolResultImages === true
  const ofResult = ({ type }: MediaBlock) => (type === "image" ? images : mediaInResults === true && type === "file")
  return formsOf(inputParts, ofResult, mediaInResults, audio)
}

const chatParts: MediaParts<OpenAIContentPart> = {
  where: "Chat Completions",
  image: (url) => ({ type: "image_url", image_url: { url } }),
  audio: (data, format) => ({ type: "input_audio", input_audio: { data, format } }),
  file: (filename, url) => ({ type: "file", file: { filename, file_data: url } }),
}

const inputParts: MediaParts<OpenAIInputPart> = {
  where: "The Responses API",
  image: (image_url) => ({ type: "input_image", image_url }),
  audio: (data, format) => ({ type: "input_audio", input_audio: { data, format } }),
  file: (filename, file_data) => ({ type: "input_file", filename, file_data }),
  webFile: (file_url) => ({ type: "input_file", file_url }),
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
      return parts.file(fileName(block), dataUrl(media))
  }
}

function fileName({ name, source }: MediaBlock): string {
  const path = source.type === "url" && !isInMemory(source) ? source.url.replace(/[?#].*$/s, "") : ""
  return name ?? (path.split(/[\\/]/).at(-1) || "file.pdf")
}
