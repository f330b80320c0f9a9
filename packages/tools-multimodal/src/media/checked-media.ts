import {
  AgentScopeError,
  type AudioBlock,
  type ImageBlock,
  type MediaSource,
  type VideoBlock,
} from "@agentscope-ts/message"
import { inlineMedia, isInMemory, isWebUrl, loadMedia, sniffMediaType } from "@agentscope-ts/model/wire"
import { multimodalError } from "../error.ts"

/** The kinds of media that tools take. */
export type MediaKind = "image" | "audio" | "video"

/** Where a tool may read files. */
export interface FileAccess {
  /**
   * The folder that local paths must lead into, links followed; without it any file may be read that the program can read and
   * that is of the right kind.
   */
  root?: string | undefined
}

/** Types that a file's bytes do not show and only its name tells. */
const namedTypes: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  amr: "audio/amr",
  pcm: "audio/pcm",
  spx: "audio/speex",
  avi: "video/x-msvideo",
  mkv: "video/x-matroska",
}

/**
 * A medium that a model named: a web or `oss:` URL stays, a path, `file:` or `data:` URL is read and becomes base64. Its type
 * has to be of the kind. `name` is the parameter's, for messages. Throws `invalid_argument`, `outside_root`, and what cannot be
 * read as `invalid_request`.
 */
export async function checkedMedia(
  value: string,
  kind: MediaKind,
  name: string,
  { root }: FileAccess,
): Promise<MediaSource> {
  const url = value.trim()
  if (url === "") throw multimodalError("invalid_argument", `${name} is empty: give a URL, a path or a data: URL.`)
  const source: MediaSource = { type: "url", url }
  if (isWebUrl(source) || /^oss:\/\//i.test(url)) {
    if (/^oss:/i.test(url) || URL.canParse(url)) return source
    throw multimodalError("invalid_argument", `${name} ${shown(url)} is no URL.`)
  }
  const other = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  if (other !== undefined && !["file", "data"].includes(other)) {
    const message = `${name} ${shown(url)}: ${other}: URLs are not taken. Give an https: URL, a path or a data: URL.`
    throw multimodalError("invalid_argument", message)
  }
  if (isInMemory(source)) return ofKind(inlineMedia(source, kind), kind, name, "the data: URL")
  const path = await localFile(url, root, name)
  const mediaType = namedTypes[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""]
  return ofKind(
    await loadMedia({ type: "url", url: path, ...(mediaType && { mediaType }) }, kind),
    kind,
    name,
    shown(url),
  )
}

function ofKind(
  media: { readonly mediaType: string; readonly data: string } | undefined,
  kind: MediaKind,
  name: string,
  what: string,
): MediaSource {
  const { mediaType, data } = media ?? { mediaType: "", data: "" }
  // a film may be heard, as its sound
  const fits = mediaType.startsWith(`${kind}/`) || (kind === "audio" && /^video\/(?:mp4|webm)$/.test(mediaType))
  // names are easily given: a file counts as a picture by its bytes alone
  const isReal = kind !== "image" || sniffMediaType(headOf(data)) === mediaType
  if (fits && isReal) return { type: "base64", mediaType, data }
  const found = fits ? "something else by its bytes" : `of type ${mediaType}`
  throw multimodalError("invalid_argument", `${name} has to be ${an(kind)}, but ${what} is ${found}.`)
}

const headOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64.slice(0, 344)), (char) => char.charCodeAt(0))
const an = (kind: MediaKind): string => (kind === "video" ? "a video" : `an ${kind}`)
const shown = (url: string): string => JSON.stringify(url.length > 200 ? `${url.slice(0, 200)}…` : url)

/** The path of a regular file: nothing that never ends, such as a device or a pipe. With a root it lies in there, links followed. */
async function localFile(url: string, root: string | undefined, name: string): Promise<string> {
  const [fs, path, { fileURLToPath }] = await Promise.all([
    import("node:fs/promises"),
    import("node:path"),
    import("node:url"),
  ])
  const given = /^file:/i.test(url) ? pathIn(url, name, fileURLToPath) : url
  const base = root === undefined ? process.cwd() : await realRoot(root, fs.realpath)
  const isOutside = (file: string): boolean => {
    const way = path.relative(base, file)
    return root !== undefined && (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
  }
  const outside = multimodalError("outside_root", `${name} ${shown(url)} is outside of the folder that may be read.`)
  try {
    const real = await fs.realpath(path.resolve(base, given))
    if (isOutside(real)) throw outside
    if ((await fs.stat(real)).isFile()) return real
  } catch (cause) {
    // whether something exists out there is nobody's business
    if (AgentScopeError.is(cause) || isOutside(path.resolve(base, given))) throw outside
    const missing = ["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")
    const why = missing ? "there is no such file" : "it cannot be read"
    throw multimodalError("invalid_argument", `${name} ${shown(url)}: ${why}.`, { cause })
  }
  throw multimodalError("invalid_argument", `${name} ${shown(url)} is no file.`)
}

function pathIn(url: string, name: string, fileURLToPath: (url: string) => string): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    const message = `${name} ${shown(url)} is no file: URL of this machine: write file:///folder/name, or the path.`
    throw multimodalError("invalid_argument", message, { cause })
  }
}

async function realRoot(root: string, realpath: (path: string) => Promise<string>): Promise<string> {
  try {
    return await realpath(root)
  } catch (cause) {
    const message = `The root ${shown(root)} of this tool is no folder that can be read: no file can be taken.`
    throw multimodalError("invalid_argument", message, { cause })
  }
}

/** A block of the kind. */
export function blockOf(kind: "image", source: MediaSource): ImageBlock
export function blockOf(kind: "audio", source: MediaSource): AudioBlock
export function blockOf(kind: "video", source: MediaSource): VideoBlock
export function blockOf(kind: MediaKind, source: MediaSource): ImageBlock | AudioBlock | VideoBlock
export function blockOf(kind: MediaKind, source: MediaSource): ImageBlock | AudioBlock | VideoBlock {
  return { type: kind, source }
}
