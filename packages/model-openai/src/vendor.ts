import type { ChatParams } from "@agentscope-ts/model"
import { reasoningEffort } from "@agentscope-ts/model/wire"
import { dialectOf } from "./dialects.ts"
import { OpenAIChatFormatter } from "./openai-chat-formatter.ts"
import { type NamedModel, seesImages } from "./named-model.ts"
import type { Server } from "./openai-model.ts"
import type { OpenAIParams } from "./openai-options.ts"
import { OpenAIMultiAgentFormatter } from "./openai-multi-agent-formatter.ts"

type Reasoning = NonNullable<ChatParams["reasoning"]>

/** Where an endpoint differs from the others that speak Chat Completions. */
export interface Vendor extends Server {
  /** Which field limits the answer. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens"
  reasoning(reasoning: Reasoning): Readonly<Record<string, unknown>>
  /** Whether a model that is known not to reason is asked to all the same: it may be switched by the request. */
  readonly switches?: boolean | undefined
  /** Why a model cannot be made to call a tool with these params; undefined where it can. */
  unforced?(model: string, params: OpenAIParams): string | undefined
  /** The fields of a body beside its messages and tools, as the endpoint calls them. Default: as OpenAI does. */
  fields?(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/**
 * OpenAI, or a compatible endpoint: what is known of it by its name, and else what most have in common. Of `model` it is
 * known whether it sees pictures, and so is to be shown those of tool results.
 */
export function vendorOf(provider: string, model?: NamedModel | null): Vendor {
  const own = provider === "openai" || provider === "azure"
  const options = { provider, promoteToolResultImages: seesImages(model) }
  return {
    provider,
    formatters: {
      chat: new OpenAIChatFormatter(options),
      "multi-agent": new OpenAIMultiAgentFormatter(options),
    },
    dialect: dialectOf(provider),
    maxTokensField: own ? "max_completion_tokens" : "max_tokens",
    // Chat Completions knows efforts only: a budget becomes the effort that it is nearest to
    reasoning: (reasoning) => ({ reasoning_effort: effortOf(reasoning) }),
    ...known[provider],
  }
}

const known: Readonly<Record<string, Partial<Vendor>>> = {
  deepseek: {
    // https://api-docs.deepseek.com/guides/thinking_mode: a switch, and an effort of which only the upper ones differ
    reasoning: (reasoning) =>
      reasoning === "off"
        ? { thinking: { type: "disabled" } }
        : { thinking: { type: "enabled" }, reasoning_effort: effortOf(reasoning) },
    switches: true,
    unforced: (model, { reasoning = "off" }) =>
      reasoning !== "off" || /reasoner/i.test(model)
        ? `${model} cannot be made to call a tool while it thinks`
        : undefined,
    // DeepSeek promises JSON, but not of a shape: the shape is said in words
    schemaMode: "json_object",
  },
  openrouter: { reasoning: (reasoning) => ({ reasoning: openRouterReasoning(reasoning) }) },
  // most open models are switched by a variable of their chat template; those with efforts (gpt-oss) take the effort
  vllm: {
    reasoning: (reasoning) => ({
      ...(reasoning !== "off" && { reasoning_effort: effortOf(reasoning) }),
      chat_template_kwargs: { enable_thinking: reasoning !== "off" },
    }),
  },
}

/** The effort of a setting; the API's word for none. */
export function effortOf(reasoning: Reasoning): "none" | "low" | "medium" | "high" {
  return reasoning === "off" ? "none" : reasoningEffort(reasoning)
}

function openRouterReasoning(reasoning: Reasoning): Record<string, unknown> {
  if (reasoning === "off") return { enabled: false }
  return typeof reasoning === "string" ? { effort: reasoning } : { max_tokens: reasoning.budgetTokens }
}
