import type { ChatParams } from "@agentscope-ts/model"
import { dialectOf } from "./dialects.ts"
import { OpenAIChatFormatter } from "./openai-chat-formatter.ts"
import type { Server } from "./openai-model.ts"
import { OpenAIMultiAgentFormatter } from "./openai-multi-agent-formatter.ts"

type Reasoning = NonNullable<ChatParams["reasoning"]>

/** Where an endpoint differs from the others that speak Chat Completions. */
export interface Vendor extends Server {
  /** Which field limits the answer. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens"
  reasoning(reasoning: Reasoning): Readonly<Record<string, unknown>>
  /** The fields of a body beside its messages and tools, as the endpoint calls them. Default: as OpenAI does. */
  fields?(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
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
    dialect: dialectOf(provider),
    maxTokensField: own ? "max_completion_tokens" : "max_tokens",
    reasoning: reasonings[provider] ?? reasoningEffort,
  }
}

const reasonings: Readonly<Record<string, Vendor["reasoning"]>> = {
  openrouter: openRouterReasoning,
  vllm: vllmReasoning,
}

/** Chat Completions knows efforts only: a budget becomes the effort that it is nearest to. */
function reasoningEffort(reasoning: Reasoning): Record<string, unknown> {
  return { reasoning_effort: effortOf(reasoning) }
}

/** The effort of a setting; the API's word for none. */
export function effortOf(reasoning: Reasoning): "none" | "low" | "medium" | "high" {
  if (typeof reasoning === "string") return reasoning === "off" ? "none" : reasoning
  return reasoning.budgetTokens <= 2048 ? "low" : reasoning.budgetTokens <= 8192 ? "medium" : "high"
}

function openRouterReasoning(reasoning: Reasoning): Record<string, unknown> {
  if (reasoning === "off") return { reasoning: { enabled: false } }
  return { reasoning: typeof reasoning === "string" ? { effort: reasoning } : { max_tokens: reasoning.budgetTokens } }
}

/** Most open models are switched by a variable of their chat template; those with efforts (gpt-oss) take the effort. */
function vllmReasoning(reasoning: Reasoning): Record<string, unknown> {
  if (reasoning === "off") return { chat_template_kwargs: { enable_thinking: false } }
  return { reasoning_effort: effortOf(reasoning), chat_template_kwargs: { enable_thinking: true } }
}
