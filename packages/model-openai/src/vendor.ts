import type { JsonSchema } from "@agentscope-ts/message"
import { type ChatParams, type Dialect, type Formatter, strictSchema } from "@agentscope-ts/model"
import { OpenAIChatFormatter } from "./openai-chat-formatter.ts"
import { OpenAIMultiAgentFormatter } from "./openai-multi-agent-formatter.ts"

/** How a request asks for JSON of a shape: fields of the body, and what is said to the model before everything else. */
export interface SchemaRequest {
  readonly fields: Readonly<Record<string, unknown>>
  readonly instruction?: string
}

/** Where an endpoint differs from the others that speak Chat Completions. */
export interface Vendor {
  readonly provider: string
  readonly formatters: { readonly chat: Formatter; readonly "multi-agent": Formatter }
  readonly dialect: Dialect
  /** Which field limits the answer. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens"
  reasoning(reasoning: NonNullable<ChatParams["reasoning"]>): Readonly<Record<string, unknown>>
  schema(schema: JsonSchema): SchemaRequest
  /** The fields of a body beside its messages and tools, as the endpoint calls them. Default: as OpenAI does. */
  fields?(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/
const toolCallIds: Readonly<Record<string, NonNullable<Dialect["toolCallId"]>>> = {
  mistral: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
}

/** OpenAI, or a compatible endpoint of which nothing but the name is known. */
export function vendorOf(provider: string): Vendor {
  const own = provider === "openai" || provider === "azure"
  return {
    provider,
    formatters: {
      chat: new OpenAIChatFormatter({ provider }),
      "multi-agent": new OpenAIMultiAgentFormatter({ provider }),
    },
    dialect: { provider, toolName, toolCallId: toolCallIds[provider] ?? { pattern: /^\S+$/, maxLength: 64 } },
    maxTokensField: own ? "max_completion_tokens" : "max_tokens",
    reasoning: provider === "openrouter" ? openRouterReasoning : reasoningEffort,
    schema: jsonSchemaFormat,
  }
}

/** Chat Completions knows efforts only: a budget becomes the effort that it is nearest to. */
function reasoningEffort(reasoning: NonNullable<ChatParams["reasoning"]>): Record<string, unknown> {
  return { reasoning_effort: reasoning === "off" ? "none" : effortOf(reasoning) }
}

/** The effort of a setting that is not off. */
export function effortOf(reasoning: Exclude<NonNullable<ChatParams["reasoning"]>, "off">): "low" | "medium" | "high" {
  if (typeof reasoning === "string") return reasoning
  return reasoning.budgetTokens <= 2048 ? "low" : reasoning.budgetTokens <= 8192 ? "medium" : "high"
}

function openRouterReasoning(reasoning: NonNullable<ChatParams["reasoning"]>): Record<string, unknown> {
  if (reasoning === "off") return { reasoning: { enabled: false } }
  return { reasoning: typeof reasoning === "string" ? { effort: reasoning } : { max_tokens: reasoning.budgetTokens } }
}

function jsonSchemaFormat(json: JsonSchema): SchemaRequest {
  const { schema, strict } = strictSchema(json)
  const title = typeof json["title"] === "string" ? json["title"].replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64) : ""
  return {
    fields: { response_format: { type: "json_schema", json_schema: { name: title || "response", schema, strict } } },
  }
}
