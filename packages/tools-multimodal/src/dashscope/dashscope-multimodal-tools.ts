import type { AnyTool } from "@agentscope-ts/tool"
import { dashscopeAudioToText } from "./audio-to-text.ts"
import { dashscopeFirstAndLastFrameImageToVideo } from "./first-and-last-frame-image-to-video.ts"
import { dashscopeImageToText } from "./image-to-text.ts"
import { dashscopeImageToVideo } from "./image-to-video.ts"
import { dashscopeTextToAudio } from "./text-to-audio.ts"
import { dashscopeTextToImage } from "./text-to-image.ts"
import { dashscopeTextToVideo } from "./text-to-video.ts"
import type { DashScopeToolOptions } from "./tool-options.ts"
import { dashscopeVideoToText } from "./video-to-text.ts"

/** The eight tools over DashScope: pictures, speech and films, from and to text. */
export function dashscopeMultimodalTools(options: Omit<DashScopeToolOptions, "model"> = {}): readonly AnyTool[] {
  return [
    dashscopeTextToImage(options),
    dashscopeImageToText(options),
    dashscopeTextToAudio(options),
    dashscopeAudioToText(options),
    dashscopeTextToVideo(options),
    dashscopeImageToVideo(options),
    dashscopeFirstAndLastFrameImageToVideo(options),
    dashscopeVideoToText(options),
  ]
}
