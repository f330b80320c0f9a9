import type { FileBlock, JsonObject, MediaBlock, TextBlock } from "@agentscope-ts/message"

const isUri = (name: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(name)
const isText = (mediaType: string): boolean =>
  /^text\/|[/+](json|xml|yaml|javascript|toml)\b/i.test(mediaType) && !/charset=(?!utf-?8|us-ascii)/i.test(mediaType)

/** Text as base64 of its UTF-8. */
export function base64Of(bytes: Uint8Array): string {
  let binary = ""
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(binary)
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}

/** `undefined` for what is no UTF-8, or no base64. */
function textFrom(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(base64))
  } catch {
    return undefined
  }
}

/**
 * A block that an MCP server sends as an embedded resource: what `text` or `blob` (bytes, or base64) holds, under `uri`.
 * `mimeType` is `text/plain` for text and `application/octet-stream` for bytes unless given.
 */
export function resourceBlock(resource: {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: Uint8Array | string | undefined
}): FileBlock {
  const { uri, text, blob = "" } = resource
  const mediaType = resource.mimeType ?? (text === undefined ? "application/octet-stream" : "text/plain")
  const bytes = text === undefined ? blob : new TextEncoder().encode(text)
  const data = typeof bytes === "string" ? bytes : base64Of(bytes)
  return { type: "file", name: uri, source: { type: "base64", mediaType, data } }
}

/** A block as MCP has it: text, image, audio, an embedded resource, or a link to one. */
export function contentOf(block: TextBlock | MediaBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text }
  const { source } = block
  if (source.type === "base64") return embedded(block, source.mediaType, source.data)
  const inline = /^data:([^,]*?)(;base64)?,(.*)$/is.exec(source.url)
  if (!inline) return link(block, source.url, source.mediaType)
  const [, mediaType = "", isBase64, data = ""] = inline
  const encoded = isBase64 ? data : base64Of(new TextEncoder().encode(percentDecoded(data)))
  return embedded(block, source.mediaType ?? (mediaType || "text/plain"), encoded)
}

function embedded({ type, name }: MediaBlock, mediaType: string, data: string): JsonObject {
  if (type === "image" || type === "audio") return { type, data, mimeType: mediaType }
  const uri = name === undefined ? `attachment:${type}` : isUri(name) ? name : `attachment:${encodeURIComponent(name)}`
  const text = isText(mediaType) ? textFrom(data) : undefined
  return {
    type: "resource",
    resource: { uri, mimeType: mediaType, ...(text === undefined ? { blob: data } : { text }) },
  }
}

function link({ name }: MediaBlock, url: string, mediaType: string | undefined): JsonObject {
  const uri = isUri(url) ? url : `file://${url.startsWith("/") ? "" : "/"}${encodeURI(url)}`
  const last = uri
    .split(/[?#]/, 1)[0]
    ?.split("/")
    .findLast((part) => part !== "")
  return { type: "resource_link", uri, name: name ?? last ?? uri, ...(mediaType && { mimeType: mediaType }) }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
