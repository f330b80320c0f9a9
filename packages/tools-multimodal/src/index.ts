export { dashscopeAudioToText } from "./dashscope/audio-to-text.ts"
export {
  DashScopeImageModel,
  type DashScopeImageOptions,
  type DashScopeImageParams,
  type DashScopeImageResponse,
} from "./dashscope/dashscope-image-model.ts"
export { dashscopeMultimodalTools } from "./dashscope/dashscope-multimodal-tools.ts"
export type { DashScopeServiceOptions } from "./dashscope/dashscope-service.ts"
export {
  DashScopeSpeechModel,
  type DashScopeSpeechOptions,
  type DashScopeSpeechParams,
} from "./dashscope/dashscope-speech-model.ts"
export {
  DashScopeTranscriptionModel,
  type DashScopeTranscriptionOptions,
  type DashScopeTranscriptionParams,
} from "./dashscope/dashscope-transcription-model.ts"
export {
  DashScopeVideoModel,
  type DashScopeVideoOptions,
  type VideoRequest,
  type VideoResponse,
} from "./dashscope/dashscope-video-model.ts"
export { dashscopeFirstAndLastFrameImageToVideo } from "./dashscope/first-and-last-frame-image-to-video.ts"
export { dashscopeImageToText } from "./dashscope/image-to-text.ts"
export { dashscopeImageToVideo } from "./dashscope/image-to-video.ts"
export type { TaskProgress } from "./dashscope/run-task.ts"
export { dashscopeTextToAudio } from "./dashscope/text-to-audio.ts"
export { dashscopeTextToImage } from "./dashscope/text-to-image.ts"
export { dashscopeTextToVideo } from "./dashscope/text-to-video.ts"
export type { DashScopeToolOptions } from "./dashscope/tool-options.ts"
export { dashscopeVideoToText } from "./dashscope/video-to-text.ts"
export type { MultimodalErrorCode } from "./error.ts"
export { openaiAudioToText } from "./openai/audio-to-text.ts"
export { openaiImageToText } from "./openai/image-to-text.ts"
export { openaiMultimodalTools } from "./openai/openai-multimodal-tools.ts"
export { openaiTextToAudio } from "./openai/text-to-audio.ts"
export { openaiTextToImage } from "./openai/text-to-image.ts"
export type { OpenAIToolOptions } from "./openai/tool-options.ts"
