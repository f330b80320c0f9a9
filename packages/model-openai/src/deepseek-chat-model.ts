import type { ChatParams } from "@agentscope-ts/model"
import { deepSeekDialect } from "./dialects.ts"
import { DeepSeekChatFormatter, DeepSeekMultiAgentFormatter } from "./deepseek-formatters.ts"
import { OpenAIChatModel } from "./openai-chat-model.ts"
import type { OpenAIOptions } from "./openai-options.ts"
import { effortOf, type Vendor, vendorOf } from "./vendor.ts"

/** DeepSeek's own API: the key from `DEEPSEEK_API_KEY`, `https://api.deepseek.com` unless `baseURL` says otherwise. */
export class DeepSeekChatModel extends OpenAIChatModel {
  constructor(options: OpenAIOptions) {
    super(
      { apiKeyEnv: "DEEPSEEK_API_KEY", ...options, baseURL: options.baseURL ?? "https://api.deepseek.com" },
      deepSeek(),
    )
  }
}

function deepSeek(): Vendor {
  return {
    ...vendorOf("deepseek"),
    formatters: { chat: new DeepSeekChatFormatter(), "multi-agent": new DeepSeekMultiAgentFormatter() },
    dialect: deepSeekDialect,
    reasoning,
    // DeepSeek promises JSON, but not of a shape: the shape is said in words
    schemaMode: "json_object",
  }
}

/** https://api-docs.deepseek.com/guides/thinking_mode: a switch, and an effort of which only the upper ones differ. */
function reasoning(reasoning: NonNullable<ChatParams["reasoning"]>): Record<string, unknown> {
  if (reasoning === "off") return { thinking: { type: "disabled" } }
  return { thinking: { type: "enabled" }, reasoning_effort: effortOf(reasoning) }
}
