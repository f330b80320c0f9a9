import { AgentScopeError, ambient, cutText, type MediaSource, onAbort } from "@agentscope-ts/message"
import { abortedError, modelError } from "../errors/model-error.ts"
import type { FormatAccess } from "../formatter.ts"
import { fetchFailure } from "./wire-error.ts"
import { mediaTypeOfName, normalMediaType, sniffMediaType } from "./sniff.ts"

/** Media ready for a wire: its real type, and its bytes as base64. */
export interface LoadedMedia {
  readonly mediaType: string
  readonly data: string
}

/** The largest file or download, in bytes. */
const maxBytes = 64 * 1024 * 1024
const downloadMs = 60_000

/** Whether a source is an http(s) URL, which many providers fetch themselves. */
export function isWebUrl(source: MediaSource): source is MediaSource & { readonly type: "url" } {
  return source.type === "url" && /^https?:/i.test(source.url)
}

/** Whether a source holds its data itself: base64 or a `data:` URL. */
export function isInMemory(source: MediaSource): boolean {
  return source.type === "base64" || /^data:/i.test(source.url)
}

/**
 * The media of a source that is in memory (base64, `data:` URL); undefined for files and web URLs. The bytes decide what
 * type it is; the declared type counts where they do not show it. `kind` is for messages: image, audio, …
 */
export function inlineMedia(source: MediaSource, kind: string): LoadedMedia | undefined {
  if (source.type === "base64") return mediaOf(source.data, source.mediaType, undefined, kind, "base64 data")
  if (!/^data:/i.test(source.url)) return undefined
  const comma = source.url.indexOf(",")
  const head = comma < 0 ? "" : source.url.slice(5, comma)
  if (comma < 0) throw unreadable(kind, shown(source.url), "a data: URL has a comma before its data")
  const text = source.url.slice(comma + 1)
  const data = /;base64\s*$/i.test(head) ? text : base64Of(new TextEncoder().encode(decodeURIComponent(text)))
  const declared = head.replace(/;base64\s*$/i, "") || source.mediaType
  return mediaOf(data, declared, undefined, kind, "the data: URL")
}

/**
 * The media of any source: a file (path or `file:` URL) is read, a web URL is fetched, by `access.fetch` where there is one,
 * until `access.signal` aborts.
 * @throws AgentScopeError `invalid_request` when it cannot be had, `unsupported` when its type is not known.
 */
export async function loadMedia(source: MediaSource, kind: string, access?: FormatAccess): Promise<LoadedMedia> {
  const inline = inlineMedia(source, kind)
  if (inline) return inline
  const { url, mediaType } = source as MediaSource & { readonly type: "url" }
  if (isWebUrl(source)) return download(url, mediaType, kind, access)
  return mediaOf(base64Of(await readFile(url, kind)), mediaType, url, kind, shown(url))
}

/** A `data:` URL. */
export function dataUrl({ mediaType, data }: LoadedMedia): string {
  return `data:${mediaType};base64,${data}`
}

/** Throws unless the media is of one of these types. `where` names the wire that takes only these. */
export function requireMediaType(media: LoadedMedia, types: readonly string[], kind: string, where: string): void {
  if (types.includes(media.mediaType)) return
  const message = `${where} takes no ${kind} of type ${media.mediaType}, only ${types.join(", ")}: convert it first.`
  throw modelError({ code: "unsupported", message })
}

function mediaOf(
  data: string,
  declared: string | undefined,
  name: string | undefined,
  kind: string,
  what: string,
): LoadedMedia {
  const clean = /[^A-Za-z0-9+/=]/.test(data) ? data.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/") : data
  if (clean === "") throw unreadable(kind, what, "it is empty")
  const sniffed = sniffMediaType(firstBytes(clean, kind, what))
  const mediaType = sniffed ?? (declared && normalMediaType(declared)) ?? (name && mediaTypeOfName(name))
  if (mediaType) return { mediaType, data: clean }
  const message = `It cannot be told what type the ${kind} in ${what} is of: give mediaType, or a name with a usual extension.`
  throw modelError({ code: "unsupported", message })
}

function firstBytes(base64: string, kind: string, what: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.slice(0, 344)), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw modelError({ code: "invalid_request", message: `The ${kind} in ${what} is not base64.`, cause })
  }
}

async function readFile(url: string, kind: string): Promise<Uint8Array> {
  const node = globalThis.process?.getBuiltinModule?.bind(process)
  if (!node) throw unreadable(kind, shown(url), "this runtime has no files: pass the bytes as base64, or a web URL")
  const fs = node("node:fs/promises")
  let path = url
  try {
    if (/^file:/i.test(url)) path = node("node:url").fileURLToPath(url)
    const { size } = await fs.stat(path)
    if (size > maxBytes) throw unreadable(kind, shown(url), `it is larger than ${maxBytes} bytes`)
    return await fs.readFile(path)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw unreadable(kind, shown(url), noSuchFile(url, node("node:path").resolve(path)), cause)
    }
    if (code === "EISDIR") throw unreadable(kind, shown(url), "it is a folder", cause)
    if (code === "EACCES" || code === "EPERM") throw unreadable(kind, shown(url), "reading it is not allowed", cause)
    throw cause instanceof TypeError ? unreadable(kind, shown(url), cause.message, cause) : cause
  }
}

/** With the place that was looked at, where the path does not say it. */
function noSuchFile(url: string, resolved: string): string {
  const home = url.startsWith("~") ? '; "~" is no folder here: give the whole path' : ""
  return `there is no such file${resolved === url ? "" : ` (${resolved})`}${home}`
}

async function download(
  url: string,
  declared: string | undefined,
  kind: string,
  { signal, fetch: own = globalThis.fetch }: FormatAccess = {},
): Promise<LoadedMedia> {
  const fetch = ambient().transport?.(own) ?? own
  const controller = new AbortController()
  const end = (by: AbortSignal | undefined) => onAbort(by, () => controller.abort(by?.reason))
  const ends = [end(signal), end(AbortSignal.timeout(downloadMs))]
  try {
    const response = await fetch(url, { signal: controller.signal })
    if (!response.ok) throw unreadable(kind, shown(url), `the server answered ${response.status}`)
    const bytes = await bounded(response, kind, url)
    const type = declared ?? response.headers.get("content-type") ?? undefined
    return mediaOf(base64Of(bytes), type, url, kind, shown(url))
  } catch (cause) {
    if (AgentScopeError.is(cause)) throw cause
    if (signal?.aborted) throw abortedError(signal, `Fetching the ${kind} at ${shown(url)}`)
    const why = fetchFailure(cause).replace(/\.$/, "")
    throw modelError({ code: "network", message: `The ${kind} at ${shown(url)} could not be fetched: ${why}.`, cause })
  } finally {
    for (const off of ends) off()
    // what is not read to its end is not to stay open
    controller.abort()
  }
}

async function bounded(response: Response, kind: string, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes) throw unreadable(kind, shown(url), `it is larger than ${maxBytes} bytes`)
    parts.push(part)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  if (typeof Buffer !== "undefined") return new Uint8Array(Buffer.from(base64, "base64"))
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  if (typeof Buffer !== "undefined") return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  let text = ""
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(text)
}

const shown = (url: string): string => JSON.stringify(cutText(url.replace(/\?.*$/s, ""), 300))

function unreadable(kind: string, what: string, why: string, cause?: unknown): Error {
  return modelError({ code: "invalid_request", message: `The ${kind} ${what} cannot be read: ${why}.`, cause })
}
