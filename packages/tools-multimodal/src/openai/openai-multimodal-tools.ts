import type { AnyTool } from "@agentscope-ts/tool"
import { openaiAudioToText } from "./audio-to-text.ts"
import { openaiImageToText } from "./image-to-text.ts"
import { openaiTextToAudio } from "./text-to-audio.ts"
import { openaiTextToImage } from "./text-to-image.ts"
import type { OpenAIToolOptions } from "./tool-options.ts"

/** The four tools over OpenAI: pictures and speech, from and to text. */
export function openaiMultimodalTools(options: Omit<OpenAIToolOptions, "model"> = {}): readonly AnyTool[] {
  return [
    openaiTextToImage(options),
    openaiImageToText(options),
    openaiTextToAudio(options),
    openaiAudioToText(options),
  ]
}
