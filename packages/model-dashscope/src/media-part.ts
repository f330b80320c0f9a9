import type { BlockType, MediaBlock } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import {
  dataUrl,
  type LoadedMedia,
  type MediaForms,
  requireMediaType,
  usualMediaForms,
} from "@agentscope-ts/model/wire"
import type { DashScopeContentPart } from "./wire-message.ts"

/** The kinds of media that DashScope has a form for. */
export const mediaKinds: readonly BlockType[] = ["image", "audio", "video"]
const imageTypes = ["png", "jpeg", "webp", "gif", "bmp", "tiff", "heic"].map((type) => `image/${type}`)

/** How DashScope shows media; of tool results those of the `promoted` kinds. `oss:` is the service's own store. */
export const mediaForms = (promoted: readonly BlockType[] = []): MediaForms<DashScopeContentPart> =>
  usualMediaForms({
    kinds: mediaKinds,
    promoted,
    remote: (block) => {
      const { source } = block
      return source.type === "url" && /^(?:https?|oss):/i.test(source.url) ? namedPart(block, source.url) : undefined
    },
    sent,
  })

function sent(block: MediaBlock, media: LoadedMedia): DashScopeContentPart | undefined {
  if (block.type === "image") requireMediaType(media, imageTypes, "image", "DashScope")
  else if (!media.mediaType.startsWith(`${block.type}/`)) {
    const message = `DashScope takes no ${block.type} of type ${media.mediaType}: it must be of a type ${block.type}/….`
    throw modelError({ code: "unsupported", message })
  }
  return namedPart(block, dataUrl(media))
}

/** The part of a medium of this kind at a URL. */
export function namedPart({ type }: MediaBlock, url: string): DashScopeContentPart | undefined {
  if (type === "image") return { image: url }
  if (type === "audio") return { audio: url }
  return type === "video" ? { video: url } : undefined
}
