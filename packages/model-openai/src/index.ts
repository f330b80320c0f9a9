export { OpenAISpeechModel, type OpenAISpeechOptions, type OpenAISpeechParams } from "./audio/openai-speech-model.ts"
export {
  OpenAITranscriptionModel,
  type OpenAITranscriptionOptions,
  type OpenAITranscriptionParams,
} from "./audio/openai-transcription-model.ts"
export { DeepSeekChatFormatter, DeepSeekMultiAgentFormatter } from "./deepseek-formatters.ts"
export { DeepSeekChatModel } from "./deepseek-chat-model.ts"
export { deepSeekDialect, openAIDialect, openAIResponsesDialect } from "./dialects.ts"
export { OpenAIEmbeddingModel, type OpenAIEmbeddingOptions } from "./embeddings/openai-embedding-model.ts"
export { OpenAIImageModel, type OpenAIImageOptions, type OpenAIImageParams } from "./images/openai-image-model.ts"
export { seesImages as openAISeesImages } from "./named-model.ts"
export { OpenAIChatFormatter, type OpenAIFormatterOptions } from "./openai-chat-formatter.ts"
export { OpenAIChatModel } from "./openai-chat-model.ts"
export { OpenAIMultiAgentFormatter } from "./openai-multi-agent-formatter.ts"
export type {
  OpenAIClient,
  OpenAICommonParams,
  OpenAIOptions,
  OpenAIParams,
  OpenAIResponsesParams,
} from "./openai-options.ts"
export type { OpenAIServiceClient, OpenAIServiceOptions } from "./openai-service.ts"
export {
  OpenAIResponsesChatFormatter,
  type OpenAIResponsesFormatterOptions,
} from "./responses/openai-responses-chat-formatter.ts"
export { OpenAIResponsesModel } from "./responses/openai-responses-model.ts"
export { OpenAIResponsesMultiAgentFormatter } from "./responses/openai-responses-multi-agent-formatter.ts"
export type { OpenAIInputItem, OpenAIInputMessage, OpenAIInputPart } from "./responses/wire-input.ts"
export { openAISchema } from "./request-fields.ts"
export { type Vendor as OpenAIVendor, vendorOf as openAIVendor } from "./vendor.ts"
export type { OpenAIContentPart, OpenAIToolCall, OpenAIWireMessage } from "./wire-message.ts"
