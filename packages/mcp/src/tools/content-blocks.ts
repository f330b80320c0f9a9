import type { JsonObject, JsonValue, MediaBlock, TextBlock } from "@agentscope-ts/message"
import { asObject, asString } from "../sdk/session.ts"

type Block = TextBlock | MediaBlock

const text = (value: string): TextBlock => ({ type: "text", text: value })

/** Binary data as the block of its kind. */
export function mediaBlock(data: string, mediaType: string, name?: string): MediaBlock {
  const kind = /^(image|audio|video)\//.exec(mediaType)?.[1] as "image" | "audio" | "video" | undefined
  const source = { type: "base64", mediaType, data } as const
  return { type: kind ?? "file", source, ...(name !== undefined && { name }) }
}

/** The content of a resource: its text under its address, or its data as a block of its kind. */
export function resourceBlock(resource: JsonObject): Block {
  const uri = asString(resource["uri"]) ?? "a resource without an address"
  const mediaType = asString(resource["mimeType"])
  const { text: words, blob } = resource
  if (typeof words === "string") return text(`[${uri}]\n${words}`)
  if (typeof blob === "string") return mediaBlock(blob, mediaType ?? "application/octet-stream", uri)
  return text(`[${uri}: the server sent neither text nor data]`)
}

function linkText(link: JsonObject): string {
  const { uri, name, title, description, mimeType, size } = link
  const facts = [mimeType, typeof size === "number" ? `${size} bytes` : undefined].filter(
    (fact) => typeof fact === "string",
  )
  const about = [title ?? name, facts.length > 0 ? `(${facts.join(", ")})` : undefined, description]
  return `[Resource ${asString(uri) ?? "without an address"}] ${about.filter((part) => typeof part === "string").join(" ")}`.trim()
}

/** A content block of the protocol as one of ours; of a kind that nobody knows, a word about it. Never throws. */
export function contentBlock(value: JsonValue): Block {
  const block = asObject(value)
  const { type, data } = block
  if (type === "text" && typeof block["text"] === "string") return text(block["text"])
  if ((type === "image" || type === "audio") && typeof data === "string") {
    const mediaType = asString(block["mimeType"]) ?? (type === "image" ? "image/png" : "audio/wav")
    return { type, source: { type: "base64", mediaType, data } }
  }
  if (type === "resource") return resourceBlock(asObject(block["resource"]))
  if (type === "resource_link") return text(linkText(block))
  const kind = typeof type === "string" ? `of the kind "${type.slice(0, 100)}"` : "without a kind"
  return text(`[The server sent content ${kind} that cannot be shown.]`)
}
