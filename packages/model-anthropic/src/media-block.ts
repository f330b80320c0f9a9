import type { BlockType, MediaBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  isText,
  isWebUrl,
  type LoadedMedia,
  type MediaForms,
  requireMediaSize,
  requireMediaType,
  textOfMedia,
  usualMediaForms,
} from "@agentscope-ts/model/wire"
import { type AnthropicBlock, ownBlock, ownData, textBlock } from "./wire-message.ts"

/** The kinds of media that the Messages API has a form for. */
export const mediaKinds: readonly BlockType[] = ["image", "file"]
const where = "The Messages API"
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** How the Messages API shows media. Sounds and films it cannot: in a tool's result a text names them. */
export const mediaForms = (saveMedia: FormatterOptions["saveMedia"]): MediaForms<AnthropicBlock> =>
  usualMediaForms({
    kinds: mediaKinds,
    inResults: true,
    named: textBlock,
    saveMedia,
    remote: (block) => ownBlock(block.opaque) ?? fetched(block),
    sent,
  })

/** What the API fetches: pictures and PDFs, by https only. */
function fetched(block: MediaBlock): AnthropicBlock | undefined {
  const { type, source } = block
  if (!isWebUrl(source) || !/^https:/i.test(source.url)) return undefined
  const from = { type: "url", url: source.url }
  if (type === "image") return withOwn(block, { type, source: from })
  return type === "file" && !isText(source) ? documentOf(block, from) : undefined
}

function sent(block: MediaBlock, media: LoadedMedia): AnthropicBlock {
  const { mediaType, data } = media
  const source = { type: "base64", media_type: mediaType, data }
  if (block.type === "image" || mediaType.startsWith("image/")) {
    requireMediaType(media, imageTypes, "image", where)
    requireMediaSize(media, 5, { kind: "image", where })
    return withOwn(block, { type: "image", source })
  }
  if (isText(media)) return documentOf(block, { type: "text", media_type: "text/plain", data: textOfMedia(media) })
  requireMediaType(media, ["application/pdf", "text/plain"], "file", where)
  return documentOf(block, source)
}

const documentOf = (block: MediaBlock, source: object): AnthropicBlock =>
  withOwn(block, { type: "document", source, ...(block.name !== undefined && { title: block.name }) })

/** With the fields that the caller gave as data of Anthropic's: `title`, `context`, `citations`. */
const withOwn = ({ opaque }: MediaBlock, block: AnthropicBlock): AnthropicBlock => ({ ...block, ...ownData(opaque) })
