import type { MediaBlock } from "@agentscope-ts/message"
import {
  inlineMedia,
  isInMemory,
  type LoadedMedia,
  loadMedia,
  type MediaForms,
  requireMediaType,
} from "@agentscope-ts/model/wire"

/** A picture as base64, which is all that Ollama takes. */
export interface OllamaImage {
  readonly base64: string
}

const imageTypes = ["image/png", "image/jpeg", "image/webp"]

/** How Ollama shows media: pictures, those of the web too, in the message itself. */
export const mediaForms = (promoteImages: boolean | undefined): MediaForms<OllamaImage> => ({
  needsLoading: ({ type, source }) => type === "image" && !isInMemory(source),
  part: (block) => {
    const media = block.type === "image" ? inlineMedia(block.source, "image") : undefined
    return media && imageOf(media)
  },
  load: async ({ source }: MediaBlock) => imageOf(await loadMedia(source, "image")),
  ofResult: ({ type }) => promoteImages === true && type === "image",
})

function imageOf(media: LoadedMedia): OllamaImage {
  requireMediaType(media, imageTypes, "image", "Ollama")
  return { base64: media.data }
}
