/** Media types by the first bytes: text as Latin-1 at an offset; `????` stands for any four. */
const signatures: readonly (readonly [mediaType: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/bmp", 0, "BM"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/heic", 4, "ftyphe"],
  ["image/heic", 4, "ftypmif1"],
  ["image/heic", 4, "ftypmsf1"],
  ["image/avif", 4, "ftypavi"],
  ["audio/wav", 8, "WAVE"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/flac", 0, "fLaC"],
  ["audio/ogg", 0, "OggS"],
  ["audio/mp4", 4, "ftypM4A"],
  ["video/quicktime", 4, "ftypqt"],
  // as cameras write it that have no `ftyp`
  ["video/quicktime", 4, "moov"],
  ["video/3gpp", 4, "ftyp3g"],
  ["video/mp4", 4, "ftyp"],
  ["video/webm", 0, "\x1aE\xdf\xa3"],
  ["application/pdf", 0, "%PDF-"],
]

const aliases: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "audio/mp3": "audio/mpeg",
  "audio/x-mp3": "audio/mpeg",
  "audio/mpga": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/x-flac": "audio/flac",
  "audio/m4a": "audio/mp4",
  "audio/x-m4a": "audio/mp4",
  "video/mov": "video/quicktime",
  "video/x-quicktime": "video/quicktime",
}

const extensions: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  svg: "image/svg+xml",
  tif: "image/tiff",
  tiff: "image/tiff",
  heic: "image/heic",
  avif: "image/avif",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  m4v: "video/mp4",
  "3gp": "video/3gpp",
  mov: "video/quicktime",
  webm: "video/webm",
  pdf: "application/pdf",
  txt: "text/plain",
  json: "application/json",
}

/** The media type that the first bytes show, or undefined: what a file is, whatever it is called. */
export function sniffMediaType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, 256))
  for (const [mediaType, offset, bytes] of signatures) {
    if (text.startsWith(bytes, offset)) return mediaType
  }
  // an MPEG audio frame without tags: eleven set bits, then a version, a layer and a bit rate that exist
  const [first = 0, second = 0, third = 0] = head
  if (first === 0xff && (second & 0xe6) === 0xe2 && (third & 0xf0) !== 0xf0) return "audio/mpeg"
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/is.test(text)
    ? "image/svg+xml"
    : undefined
}

/** Lower case, without parameters, and under its registered name: `image/JPG; q=1` → `image/jpeg`. */
export function normalMediaType(mediaType: string): string {
  const plain = (mediaType.split(";")[0] ?? "").trim().toLowerCase()
  return aliases[plain] ?? plain
}

/** The media type that a path's or URL's extension stands for, or undefined. */
export function mediaTypeOfName(name: string): string | undefined {
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(name)?.[1]?.toLowerCase()
  return extension === undefined ? undefined : extensions[extension]
}
