import type { JsonSchema } from "@agentscope-ts/message"
import { type ChatModel, type Dialect, type Formatter, type FormatterOptions, strictSchema } from "@agentscope-ts/model"
import {
  AnthropicChatFormatter,
  AnthropicChatModel,
  anthropicDialect,
  AnthropicMultiAgentFormatter,
  anthropicSchema,
} from "@agentscope-ts/model-anthropic"
import {
  DashScopeChatFormatter,
  DashScopeChatModel,
  dashscopeDialect,
  DashScopeMultiAgentFormatter,
  dashscopeSchema,
} from "@agentscope-ts/model-dashscope"
import {
  GeminiChatFormatter,
  GeminiChatModel,
  geminiDialect,
  GeminiMultiAgentFormatter,
  geminiSchema,
} from "@agentscope-ts/model-gemini"
import { MistralChatModel, mistralDialect } from "@agentscope-ts/model-mistral"
import {
  OllamaChatFormatter,
  OllamaChatModel,
  ollamaDialect,
  OllamaMultiAgentFormatter,
  ollamaSchema,
} from "@agentscope-ts/model-ollama"
import {
  DeepSeekChatFormatter,
  DeepSeekChatModel,
  deepSeekDialect,
  DeepSeekMultiAgentFormatter,
  OpenAIChatFormatter,
  OpenAIChatModel,
  openAIDialect,
  OpenAIMultiAgentFormatter,
  OpenAIResponsesChatFormatter,
  openAIResponsesDialect,
  OpenAIResponsesModel,
  OpenAIResponsesMultiAgentFormatter,
} from "@agentscope-ts/model-openai"
import type { Cassette, ConformanceTarget } from "@agentscope-ts/testing"

type FormatterClass = new (options: FormatterOptions & Record<string, unknown>) => Formatter

/** What the tests of this workspace know of a provider. */
export interface Provider {
  /** The name of its model class. */
  readonly name: string
  readonly dialect: Dialect
  readonly create: (target: ConformanceTarget) => ChatModel
  /** The variable of its key, where it needs one, and a model that is given none. */
  readonly missingKey?: { readonly variable: string; readonly create: () => ChatModel }
  /** Which recorded interchanges are its own. */
  readonly reads: (cassette: Cassette) => boolean
  /** The wire format of its streams, as cassettes name it. */
  readonly wire: string
  /** Whether it signs or encrypts what it thinks. */
  readonly seals?: boolean
  /** Whether it takes images; yes unless it says no. */
  readonly images?: boolean
  /** The key of its rules in `vectors/dialects.json`. */
  readonly rules: string
  /** What it makes of a tool's parameters; nothing where they go out as they are. */
  readonly toolSchema?: (parameters: JsonSchema) => JsonSchema | undefined
  /** Whether that is for strict mode; no unless it says so. */
  readonly strict?: boolean
  /** The file of its formatter vectors, and its formatters. */
  readonly vectors?: { readonly file: string; readonly chat: FormatterClass; readonly multiagent: FormatterClass }
}

/** OpenAI's strict form; a schema that cannot be said so goes out as it is. */
const strictly = (parameters: JsonSchema): JsonSchema | undefined => {
  const { schema, strict } = strictSchema(parameters)
  return strict ? schema : undefined
}
const ofApi = (api: string) => (cassette: Cassette) => cassette.api === api

/** What every model here is made with; over a real connection it sends in its own way. */
function options({ url, fetch, live, cassette }: ConformanceTarget, base = "", model = "m") {
  const baseURL = `${url}${base}`
  return { model: cassette?.model ?? model, apiKey: "test-key", baseURL, fetch: live ? undefined : fetch }
}

const named = ["deepseek", "mistral"]

/** All providers, in the order of their names. */
export const providers: readonly Provider[] = [
  {
    name: "AnthropicChatModel",
    missingKey: { variable: "ANTHROPIC_API_KEY", create: () => new AnthropicChatModel({ model: "m" }) },
    dialect: anthropicDialect,
    create: (target) => new AnthropicChatModel(options(target, "", "claude-sonnet-4-5")),
    reads: ofApi("anthropic-messages"),
    wire: "anthropic-messages",
    seals: true,
    rules: "anthropic",
    toolSchema: anthropicSchema,
    vectors: { file: "anthropic", chat: AnthropicChatFormatter, multiagent: AnthropicMultiAgentFormatter },
  },
  {
    name: "DashScopeChatModel",
    missingKey: { variable: "DASHSCOPE_API_KEY", create: () => new DashScopeChatModel({ model: "m" }) },
    dialect: dashscopeDialect,
    create: (target) => new DashScopeChatModel(options(target, "/api/v1", "qwen-vl-max")),
    reads: ({ api }) => api.startsWith("dashscope-"),
    wire: "dashscope-multimodal",
    rules: "dashscope",
    toolSchema: dashscopeSchema,
    vectors: { file: "dashscope", chat: DashScopeChatFormatter, multiagent: DashScopeMultiAgentFormatter },
  },
  {
    name: "DeepSeekChatModel",
    missingKey: { variable: "DEEPSEEK_API_KEY", create: () => new DeepSeekChatModel({ model: "m" }) },
    dialect: deepSeekDialect,
    create: (target) => new DeepSeekChatModel(options(target)),
    reads: ({ api, provider }) => api === "openai-chat" && provider === "deepseek",
    wire: "openai-chat",
    images: false,
    rules: "deepseek",
    vectors: { file: "deepseek", chat: DeepSeekChatFormatter, multiagent: DeepSeekMultiAgentFormatter },
  },
  {
    name: "GeminiChatModel",
    missingKey: { variable: "GEMINI_API_KEY", create: () => new GeminiChatModel({ model: "m" }) },
    dialect: geminiDialect,
    create: (target) => new GeminiChatModel(options(target)),
    reads: ({ api }) => api.startsWith("gemini-"),
    wire: "gemini-stream",
    seals: true,
    rules: "gemini",
    toolSchema: geminiSchema,
    vectors: { file: "gemini", chat: GeminiChatFormatter, multiagent: GeminiMultiAgentFormatter },
  },
  {
    name: "MistralChatModel",
    missingKey: { variable: "MISTRAL_API_KEY", create: () => new MistralChatModel({ model: "m" }) },
    dialect: mistralDialect,
    create: (target) => new MistralChatModel(options(target, "/v1")),
    reads: ({ api, provider }) => api === "openai-chat" && provider === "mistral",
    wire: "openai-chat",
    rules: "mistral",
  },
  {
    name: "OllamaChatModel",
    dialect: ollamaDialect,
    create: (target) => new OllamaChatModel(options(target)),
    reads: ofApi("ollama-chat"),
    wire: "ollama-chat",
    rules: "ollama",
    toolSchema: ollamaSchema,
    vectors: { file: "ollama", chat: OllamaChatFormatter, multiagent: OllamaMultiAgentFormatter },
  },
  {
    name: "OpenAIChatModel",
    missingKey: { variable: "OPENAI_API_KEY", create: () => new OpenAIChatModel({ model: "m" }) },
    dialect: openAIDialect,
    create: (target) =>
      new OpenAIChatModel({ ...options(target, "/v1"), provider: target.cassette?.provider ?? "openai" }),
    wire: "openai-chat",
    reads: ({ api, provider }) => api === "openai-chat" && !named.includes(provider),
    rules: "openai",
    toolSchema: strictly,
    strict: true,
    vectors: { file: "openai", chat: OpenAIChatFormatter, multiagent: OpenAIMultiAgentFormatter },
  },
  {
    name: "OpenAIResponsesModel",
    missingKey: { variable: "OPENAI_API_KEY", create: () => new OpenAIResponsesModel({ model: "m" }) },
    dialect: openAIResponsesDialect,
    create: (target) => new OpenAIResponsesModel(options(target, "/v1")),
    reads: ofApi("openai-responses"),
    wire: "openai-responses",
    seals: true,
    rules: "openai-responses",
    toolSchema: strictly,
    strict: true,
    vectors: {
      file: "openai-response",
      chat: OpenAIResponsesChatFormatter,
      multiagent: OpenAIResponsesMultiAgentFormatter,
    },
  },
]
