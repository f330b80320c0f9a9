import type { LoadedMedia } from "@agentscope-ts/model/wire"

/** What services tell a file's format by. */
const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "image/jpeg": "jpg",
}

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  if (typeof Buffer !== "undefined") return new Uint8Array(Buffer.from(base64, "base64"))
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}

/** A file to upload: services tell its format by the name. */
export function fileOf({ mediaType, data }: LoadedMedia, name: string): File {
  const extension = extensions[mediaType] ?? mediaType.split("/")[1] ?? "bin"
  return new File([bytesOf(data)], `${name}.${extension}`, { type: mediaType })
}
