export { MistralChatModel, mistralDialect, type MistralOptions } from "./mistral-chat-model.ts"
export { MistralChatFormatter, MistralMultiAgentFormatter } from "./mistral-formatters.ts"
