import type { BlockType, MediaBlock } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import {
  dataUrl,
  inlineMedia,
  isInMemory,
  type LoadedMedia,
  loadMedia,
  type MediaForms,
  requireMediaType,
} from "@agentscope-ts/model/wire"
import type { DashScopeContentPart } from "./wire-message.ts"

const where = "DashScope"
/** The kinds of media that DashScope has a form for. */
export const mediaKinds: readonly MediaBlock["type"][] = ["image", "audio", "video"]
/** Whether it is one of {@link mediaKinds}. */
export const isMediaKind = (type: BlockType): boolean => mediaKinds.some((kind) => kind === type)
const imageTypes = ["png", "jpeg", "webp", "gif", "bmp", "tiff", "heic"].map((type) => `image/${type}`)

/** The service fetches these by itself; `oss:` is its own store. */
const isRemote = ({ source }: MediaBlock): boolean => source.type === "url" && /^(?:https?|oss):/i.test(source.url)

/** How DashScope shows media; of tool results those of the `promoted` kinds. */
export const mediaForms = (promoted: readonly BlockType[]): MediaForms<DashScopeContentPart> => ({
  needsLoading: (block) => mediaKinds.includes(block.type) && !isInMemory(block.source) && !isRemote(block),
  part,
  load: async (block) => partOf(block, await loadMedia(block.source, block.type)),
  ofResult: ({ type }) => promoted.includes(type),
})

function part(block: MediaBlock): DashScopeContentPart | undefined {
  if (!mediaKinds.includes(block.type)) return undefined
  if (block.source.type === "url" && isRemote(block)) return named(block, block.source.url)
  const media = inlineMedia(block.source, block.type)
  return media && partOf(block, media)
}

function partOf(block: MediaBlock, media: LoadedMedia): DashScopeContentPart | undefined {
  if (block.type === "image") requireMediaType(media, imageTypes, "image", where)
  else if (!media.mediaType.startsWith(`${block.type}/`)) {
    const message = `${where} takes no ${block.type} of type ${media.mediaType}: it must be a medium of type ${block.type}/….`
    throw modelError({ code: "unsupported", message })
  }
  return named(block, dataUrl(media))
}

/** The part of a medium of this kind at a URL. */
export function named({ type }: MediaBlock, url: string): DashScopeContentPart | undefined {
  if (type === "image") return { image: url }
  if (type === "audio") return { audio: url }
  return type === "video" ? { video: url } : undefined
}
