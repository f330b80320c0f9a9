import { OpenAIChatModel } from "./openai-chat-model.ts"
import type { OpenAIOptions } from "./openai-options.ts"
import { vendorOf } from "./vendor.ts"

/** DeepSeek's own API: the key from `DEEPSEEK_API_KEY`, `https://api.deepseek.com` unless `baseURL` says otherwise. */
export class DeepSeekChatModel extends OpenAIChatModel {
  constructor(options: OpenAIOptions) {
    const baseURL = options?.baseURL ?? options?.client?.baseURL ?? "https://api.deepseek.com"
    super({ apiKeyEnv: "DEEPSEEK_API_KEY", ...options, baseURL }, vendorOf("deepseek"))
  }
}
