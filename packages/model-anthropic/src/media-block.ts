import type { MediaBlock, ToolResultBlock } from "@agentscope-ts/message"
import { type FormatterOptions, modelError } from "@agentscope-ts/model"
import {
  inlineMedia,
  isInMemory,
  isWebUrl,
  type LoadedMedia,
  loadMedia,
  type MediaForms,
  mediaTypeOfName,
  requireMediaType,
  savedToolResultText,
  toolResultText,
} from "@agentscope-ts/model/wire"
import { type AnthropicBlock, ownBlock, ownData, textBlock } from "./wire-message.ts"

const where = "The Messages API"
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const maxImageBytes = 5 * 1024 * 1024
/** All that is read as plain text. */
const textType = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|typescript|toml|sql)$/

/** How the Messages API shows media. Sounds and films it cannot: in a tool's result a text names them. */
export const mediaForms = (
  citations: boolean | undefined,
  saveMedia: FormatterOptions["saveMedia"],
): MediaForms<AnthropicBlock> => ({
  needsLoading: ({ type, source, opaque }) => {
    if (ownBlock(opaque)) return false
    if (type === "audio" || type === "video") return isInMemory(source)
    if (isInMemory(source)) return false
    // the API fetches pictures and PDFs by https only
    return !isWebUrl(source) || !/^https:/i.test(source.url) || (type === "file" && textType.test(declared(source)))
  },
  part: (block) => {
    const { type, source, opaque } = block
    const own = ownBlock(opaque)
    if (own) return own
    if (type === "audio" || type === "video") return textBlock(toolResultText(resultOf(block)).text)
    const media = inlineMedia(source, type)
    if (media) return partOf(block, media, citations)
    if (!isWebUrl(source)) return undefined
    const from = { type: "url", url: source.url }
    return type === "image" ? withOwn(block, { type, source: from }) : documentOf(block, from, citations)
  },
  load: async (block) => {
    const { type, source } = block
    if (type !== "audio" && type !== "video") return partOf(block, await loadMedia(source, type), citations)
    return textBlock((await savedToolResultText(resultOf(block), saveMedia)).text)
  },
  ofResult: () => true,
  inResults: true,
})

const declared = (source: { readonly url: string; readonly mediaType?: string }): string =>
  source.mediaType ?? mediaTypeOfName(source.url.replace(/[?#].*$/s, "")) ?? ""

const resultOf = (block: MediaBlock): ToolResultBlock => ({
  type: "tool_result",
  id: "",
  name: "",
  output: [block],
  state: "success",
})

function partOf(block: MediaBlock, media: LoadedMedia, citations: boolean | undefined): AnthropicBlock {
  const { mediaType, data } = media
  if (block.type === "image" || mediaType.startsWith("image/")) {
    requireMediaType(media, imageTypes, "image", where)
    checkSize(data)
    return withOwn(block, { type: "image", source: { type: "base64", media_type: mediaType, data } })
  }
  if (textType.test(mediaType)) {
    const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
    return documentOf(block, { type: "text", media_type: "text/plain", data: text }, citations)
  }
  requireMediaType(media, ["application/pdf", "text/plain"], "file", where)
  return documentOf(block, { type: "base64", media_type: mediaType, data }, citations)
}

function documentOf(block: MediaBlock, source: object, citations: boolean | undefined): AnthropicBlock {
  const { name } = block
  return withOwn(block, {
    type: "document",
    source,
    ...(name !== undefined && { title: name }),
    ...(citations === true && { citations: { enabled: true } }),
  })
}

/** With the fields that the caller gave as data of Anthropic's: `title`, `context`, `citations`. */
const withOwn = ({ opaque }: MediaBlock, block: AnthropicBlock): AnthropicBlock =>
  opaque ? { ...block, ...ownData(opaque) } : block

function checkSize(data: string): void {
  const bytes = Math.floor((data.length * 3) / 4)
  if (bytes <= maxImageBytes) return
  const message = `${where} takes images of up to 5 MB, and one has ${(bytes / 1024 / 1024).toFixed(1)} MB: make it smaller first.`
  throw modelError({ code: "invalid_request", message })
}
