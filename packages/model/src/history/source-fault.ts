type Fields = Readonly<Record<string, unknown>>

const byUrl = 'source: { type: "url", url: "…" } with a path, a web address or a data: URL'
const byData = 'source: { type: "base64", mediaType: "image/png", data: "…" }'

/** What is wrong with the source of a media block; undefined where nothing is. */
export function sourceFault(block: Fields, kind: string): string | undefined {
  const { source } = block
  if (source === undefined || source === null) {
    const at = ["url", "path", "data", "image_url", "file", "file_data"].find((name) => block[name] !== undefined)
    return `has no source${at === undefined ? "" : `, but "${at}"`}: write ${byUrl}, or ${byData}.`
  }
  if (typeof source === "string") return `has a source that is a text: write ${byUrl}, or ${byData}.`
  if (isBinary(source)) return bytes("a source")
  if (typeof source !== "object" || Array.isArray(source)) return `has no source: write ${byUrl}, or ${byData}.`
  const { type, url, data, mediaType, media_type: snake } = source as Fields
  if (type === "url") return urlFault(url)
  if (type !== "base64") {
    const shown = type === undefined ? "without a type" : `of the unknown type ${JSON.stringify(type)}`
    return `has a source ${shown}. The types are url and base64: for a file or an address write ${byUrl}, for bytes ${byData}.`
  }
  if (isBinary(data)) return bytes("data")
  if (typeof data !== "string") return `has a source without data: write ${byData}.`
  if (/^data:/i.test(data)) return `has a data: URL as base64 data: write source: { type: "url", url: "data:…" }.`
  if (typeof mediaType === "string") return undefined
  const given = snake === undefined ? "" : ' ("media_type" is the name in Python; importMessages reads that)'
  return `has base64 data without mediaType${given}: write ${byData}, with the type of the ${kind}.`
}

function urlFault(url: unknown): string | undefined {
  if (typeof url === "string") return undefined
  if (url instanceof URL) return "has a URL object: write url: url.href."
  return `has a url that is no text: write ${byUrl}.`
}

const isBinary = (value: unknown): boolean =>
  ArrayBuffer.isView(value) ||
  value instanceof ArrayBuffer ||
  (typeof Blob !== "undefined" && value instanceof Blob) ||
  // a Buffer that went through JSON
  (typeof value === "object" && value !== null && "type" in value && value.type === "Buffer")

const bytes = (what: string): string =>
  `has bytes as ${what}, and messages are plain JSON: write source: { type: "base64", mediaType: "image/png", data: buffer.toString("base64") }, or name a file by { type: "url", url: "./picture.png" }.`
