import { bytesOf, type LoadedMedia } from "@agentscope-ts/model/wire"

/** What services tell a file's format by. */
const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "image/jpeg": "jpg",
}

/** A file to upload: services tell its format by the name. */
export function fileOf({ mediaType, data }: LoadedMedia, name: string): File {
  const extension = extensions[mediaType] ?? mediaType.split("/")[1] ?? "bin"
  return new File([bytesOf(data)], `${name}.${extension}`, { type: mediaType })
}
