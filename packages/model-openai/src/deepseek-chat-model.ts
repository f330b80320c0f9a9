import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatParams } from "@agentscope-ts/model"
import { DeepSeekChatFormatter, DeepSeekMultiAgentFormatter } from "./deepseek-formatters.ts"
import { OpenAIChatModel } from "./openai-chat-model.ts"
import type { OpenAIOptions } from "./openai-options.ts"
import { effortOf, type SchemaRequest, type Vendor, vendorOf } from "./vendor.ts"

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
    reasoning,
    schema: jsonObject,
  }
}

/** https://api-docs.deepseek.com/guides/thinking_mode: a switch, and an effort of which only the upper ones differ. */
function reasoning(reasoning: NonNullable<ChatParams["reasoning"]>): Record<string, unknown> {
  if (reasoning === "off") return { thinking: { type: "disabled" } }
  return { thinking: { type: "enabled" }, reasoning_effort: effortOf(reasoning) }
}

/** DeepSeek promises JSON, but not of a shape: the shape is said in words. */
function jsonObject(schema: JsonSchema): SchemaRequest {
  return {
    fields: { response_format: { type: "json_object" } },
    instruction: `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`,
  }
}
