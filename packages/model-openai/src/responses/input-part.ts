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
import { audioFormats, fileName, imageTypes } from "../media-part.ts"
import type { OpenAIInputPart } from "./wire-input.ts"

const where = "The Responses API"

/** How the Responses API shows media; `inResults`: pictures and files of tool results too, and `promote`: pictures again. */
export const inputForms = (inResults: boolean, promote: boolean): MediaForms<OpenAIInputPart> => ({
  needsLoading: ({ type, source }) =>
    type !== "video" && !isInMemory(source) && !(type !== "audio" && isWebUrl(source)),
  part: inputPart,
  load: async (block) => partOf(block, await loadMedia(block.source, block.type)),
  ofResult: ({ type }) => (inResults && (type === "image" || type === "file")) || (promote && type === "image"),
})

/** The part that shows a medium; undefined for what the wire has no form for (video). Not for what needs loading. */
function inputPart(block: MediaBlock): OpenAIInputPart | undefined {
  const { source, type } = block
  if (type === "video") return undefined
  if (isWebUrl(source) && type === "image") return { type: "input_image", image_url: source.url }
  if (isWebUrl(source) && type === "file") return { type: "input_file", file_url: source.url }
  const media = inlineMedia(source, type)
  return media && partOf(block, media)
}

function partOf(block: MediaBlock, media: LoadedMedia): OpenAIInputPart {
  switch (block.type) {
    case "image":
      requireMediaType(media, imageTypes, "image", where)
      return { type: "input_image", image_url: dataUrl(media) }
    case "audio":
      requireMediaType(media, Object.keys(audioFormats), "audio", where)
      return { type: "input_audio", input_audio: { data: media.data, format: audioFormats[media.mediaType] as string } }
    default:
      return { type: "input_file", filename: fileName(block), file_data: dataUrl(media) }
  }
}
