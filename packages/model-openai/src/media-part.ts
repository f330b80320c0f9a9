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
import type { OpenAIContentPart } from "./wire-message.ts"

const where = "Chat Completions"
/** The pictures that OpenAI's APIs take. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
/** The sounds that OpenAI's APIs take, with their names there. */
export const audioFormats: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" }

/** Whether a medium must be read from a file or the web before it can be shown. */
function needsLoading({ type, source }: MediaBlock): boolean {
  return type !== "video" && !isInMemory(source) && !(type === "image" && isWebUrl(source))
}

/** The part that shows a medium; undefined for what the wire has no form for (video). Not for what needs loading. */
function mediaPart(block: MediaBlock): OpenAIContentPart | undefined {
  const { source, type } = block
  if (type === "video") return undefined
  if (type === "image" && isWebUrl(source)) return { type: "image_url", image_url: { url: source.url } }
  const media = inlineMedia(source, type)
  return media && partOf(block, media)
}

/** How Chat Completions shows media; with `promoteImages` also those of tool results. */
export const mediaForms = (promoteImages: boolean | undefined): MediaForms<OpenAIContentPart> => ({
  needsLoading,
  part: mediaPart,
  load: async (block) => partOf(block, await loadMedia(block.source, block.type)),
  ofResult: (block) => promoteImages === true && block.type === "image",
})

function partOf(block: MediaBlock, media: LoadedMedia): OpenAIContentPart {
  switch (block.type) {
    case "image":
      requireMediaType(media, imageTypes, "image", where)
      return { type: "image_url", image_url: { url: dataUrl(media) } }
    case "audio":
      requireMediaType(media, Object.keys(audioFormats), "audio", where)
      return { type: "input_audio", input_audio: { data: media.data, format: audioFormats[media.mediaType] as string } }
    default:
      return { type: "file", file: { filename: fileName(block), file_data: dataUrl(media) } }
  }
}

/** A name for a file that has none. */
export function fileName({ name, source }: MediaBlock): string {
  const path = source.type === "url" && !isInMemory(source) ? source.url.replace(/[?#].*$/s, "") : ""
  return name ?? (path.split(/[\\/]/).at(-1) || "file.pdf")
}
