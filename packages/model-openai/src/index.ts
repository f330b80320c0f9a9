export { DeepSeekChatFormatter, DeepSeekMultiAgentFormatter } from "./deepseek-formatters.ts"
export { DeepSeekChatModel } from "./deepseek-chat-model.ts"
export { deepSeekDialect, openAIDialect, openAIResponsesDialect } from "./dialects.ts"
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
export {
  OpenAIResponsesChatFormatter,
  type OpenAIResponsesFormatterOptions,
} from "./responses/openai-responses-chat-formatter.ts"
export { OpenAIResponsesModel } from "./responses/openai-responses-model.ts"
export { OpenAIResponsesMultiAgentFormatter } from "./responses/openai-responses-multi-agent-formatter.ts"
export type { OpenAIInputItem, OpenAIInputMessage, OpenAIInputPart } from "./responses/wire-input.ts"
export { type Vendor as OpenAIVendor, vendorOf as openAIVendor } from "./vendor.ts"
export type { OpenAIContentPart, OpenAIToolCall, OpenAIWireMessage } from "./wire-message.ts"
