import type { MediaBlock } from "@agentscope-ts/message"
import {
  type LoadedMedia,
  type MediaForms,
  mediaKinds,
  requireMediaSize,
  requireMediaType,
  usualMediaForms,
} from "@agentscope-ts/model/wire"
import type { Part } from "@google/genai"

/** https://ai.google.dev/gemini-api/docs: what each kind of understanding takes; a film of any type is passed on. */
const types: Readonly<Partial<Record<MediaBlock["type"], string>>> = {
  image: "image/png image/jpeg image/webp image/heic image/heif",
  audio: "audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac audio/mp4 audio/webm audio/pcm",
  file: `application/pdf application/json text/plain text/html text/css text/csv text/markdown text/xml text/rtf
    text/javascript text/x-python`,
}
/** The largest medium that may stand in a request, in MB. */
const maxMegabytes = 20
/** What Google reads by itself: uploaded files, Cloud Storage, YouTube. */
const known =
  /^(?:gs:\/\/|https:\/\/[\w.-]*googleapis\.com\/v\w+\/files\/|https:\/\/(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\/)/i

/** The part of a medium that Google has under its address; undefined for all that has to be sent. */
function remote({ source }: MediaBlock): Part | undefined {
  if (source.type !== "url" || !known.test(source.url)) return undefined
  const { url, mediaType } = source
  return { fileData: { fileUri: url, ...(mediaType && { mimeType: mediaType }) } }
}

function sent({ type }: MediaBlock, media: LoadedMedia): Part {
  const how = "upload it with the Files API and give the URI as its source's url"
  requireMediaSize(media, maxMegabytes, { kind: type, where: "Gemini", how })
  const taken = types[type]?.split(/\s+/)
  if (taken) requireMediaType(media, taken, type, "Gemini")
  // Gemini's own name for it
  const mimeType = media.mediaType === "audio/mpeg" ? "audio/mp3" : media.mediaType
  return { inlineData: { mimeType, data: media.data } }
}

/** How Gemini shows media; those of tool results in place or, with `promoteImages`, images after them. */
export function mediaForms(inResults: boolean, promoteImages: boolean | undefined): MediaForms<Part> {
  const promoted = promoteImages ? (["image"] as const) : []
  return { ...usualMediaForms({ kinds: mediaKinds, remote, sent, inResults, promoted }), ofAssistant: true }
}
