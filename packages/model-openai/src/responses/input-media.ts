import type { MediaForms } from "@agentscope-ts/model/wire"
import { formsOf, type MediaParts } from "../media-part.ts"
import type { OpenAIResponsesFormatterOptions } from "./openai-responses-chat-formatter.ts"
import type { OpenAIInputPart } from "./wire-input.ts"

/** The kinds of media that are shown, in the order in which they follow a text. */
export const inputKinds = (audio = true) =>
  audio ? (["image", "audio", "file"] as const) : (["image", "file"] as const)

/** How the Responses API shows media. */
export function inputForms(options: OpenAIResponsesFormatterOptions): MediaForms<OpenAIInputPart> {
  const { mediaInResults, promoteToolResultImages, audio } = options
  const shown = mediaInResults ? ["image", "file"] : promoteToolResultImages ? ["image"] : []
  const forms = formsOf(inputParts, { kinds: inputKinds(audio), inResults: mediaInResults })
  return { ...forms, ofResult: ({ type }) => shown.includes(type) }
}

const inputParts: MediaParts<OpenAIInputPart> = {
  where: "The Responses API",
  image: (image_url) => ({ type: "input_image", image_url }),
  audio: (data, format) => ({ type: "input_audio", input_audio: { data, format } }),
  file: (filename, file_data) => ({ type: "input_file", filename, file_data }),
  webFile: (file_url) => ({ type: "input_file", file_url }),
}
