import type { MediaBlock } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import {
  inlineMedia,
  isInMemory,
  type LoadedMedia,
  loadMedia,
  type MediaForms,
  requireMediaType,
} from "@agentscope-ts/model/wire"
import type { Part } from "@google/genai"

/** https://ai.google.dev/gemini-api/docs: what each kind of understanding takes; a film of any type is passed on. */
const types: Readonly<Partial<Record<MediaBlock["type"], string>>> = {
  image: "image/png image/jpeg image/webp image/heic image/heif",
  audio: `audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac audio/mp4 audio/webm audio/pcm`,
  file: `application/pdf application/json text/plain text/html text/css text/csv text/markdown text/xml text/rtf
    text/javascript text/x-python`,
}
/** The largest medium that may stand in a request, in bytes. */
const maxBytes = 20 * 1024 * 1024
/** What Google reads by itself: uploaded files, Cloud Storage, YouTube. */
const known =
  /^(?:gs:\/\/|https:\/\/[\w.-]*googleapis\.com\/v\w+\/files\/|https:\/\/(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\/)/i

/** The address under which Google has a medium; undefined for all that has to be sent. */
function fileUri({ source }: MediaBlock): string | undefined {
  return source.type === "url" && known.test(source.url) ? source.url : undefined
}

function partOf({ type }: MediaBlock, media: LoadedMedia): Part {
  if (media.data.length * 0.75 > maxBytes) {
    const message = `The ${type} is larger than the ${maxBytes / 1024 / 1024} MB that Gemini takes in a request: upload it with the Files API and give the URI as its source's url.`
    throw modelError({ code: "invalid_request", message })
  }
  const taken = types[type]?.split(/\s+/)
  if (taken) requireMediaType(media, taken, type, "Gemini")
  // Gemini's own name for it
  const mimeType = media.mediaType === "audio/mpeg" ? "audio/mp3" : media.mediaType
  return { inlineData: { mimeType, data: media.data } }
}

/** How Gemini shows media; those of tool results in place or, with `promoteImages`, images after them. */
export const mediaForms = (inResults: boolean, promoteImages: boolean | undefined): MediaForms<Part> => ({
  needsLoading: (block) => fileUri(block) === undefined && !isInMemory(block.source),
  part: (block) => {
    const uri = fileUri(block)
    const media = uri === undefined ? inlineMedia(block.source, block.type) : undefined
    if (media) return partOf(block, media)
    const mimeType = block.source.mediaType
    return uri === undefined ? undefined : { fileData: { fileUri: uri, ...(mimeType && { mimeType }) } }
  },
  load: async (block) => partOf(block, await loadMedia(block.source, block.type)),
  ofAssistant: true,
  ofResult: ({ type }) => inResults || (promoteImages === true && type === "image"),
  inResults,
})
