import type { ChatModel } from "@agentscope-ts/model"

/** Somebody who serves models, and by which variable it is found. */
export interface Provider {
  readonly name: string
  readonly label: string
  /** The variables that may hold the key; the first is the usual one. */
  readonly keys: readonly [string, ...string[]]
  /** Used where no model is named. */
  readonly model: string
  readonly create: (model: string) => Promise<ChatModel>
}

/** An endpoint that speaks OpenAI's format. */
function compatible(name: string, label: string, baseURL: string, model: string): Provider {
  const key = `${name.toUpperCase()}_API_KEY`
  const create = async (model: string) => {
    const { OpenAIChatModel } = await import("@agentscope-ts/model-openai")
    return new OpenAIChatModel({ model, provider: name, apiKeyEnv: key, baseURL })
  }
  return { name, label, keys: [key], model, create }
}

/** In the order in which a key is looked for. Each package is loaded only when it is used. */
export const providers: readonly Provider[] = [
  {
    name: "openai",
    label: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    model: "gpt-5-mini",
    create: async (model) => new (await import("@agentscope-ts/model-openai")).OpenAIChatModel({ model }),
  },
  {
    name: "anthropic",
    label: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    model: "claude-sonnet-4-5",
    create: async (model) => new (await import("@agentscope-ts/model-anthropic")).AnthropicChatModel({ model }),
  },
  {
    name: "gemini",
    label: "Gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    model: "gemini-2.5-flash",
    create: async (model) => new (await import("@agentscope-ts/model-gemini")).GeminiChatModel({ model }),
  },
  {
    name: "deepseek",
    label: "DeepSeek",
    keys: ["DEEPSEEK_API_KEY"],
    model: "deepseek-chat",
    create: async (model) => new (await import("@agentscope-ts/model-openai")).DeepSeekChatModel({ model }),
  },
  {
    name: "dashscope",
    label: "DashScope",
    keys: ["DASHSCOPE_API_KEY"],
    model: "qwen-plus",
    create: async (model) => new (await import("@agentscope-ts/model-dashscope")).DashScopeChatModel({ model }),
  },
  {
    name: "mistral",
    label: "Mistral",
    keys: ["MISTRAL_API_KEY"],
    model: "mistral-medium-latest",
    create: async (model) => new (await import("@agentscope-ts/model-mistral")).MistralChatModel({ model }),
  },
  compatible("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "openrouter/auto"),
  compatible("groq", "Groq", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
  compatible("xai", "xAI", "https://api.x.ai/v1", "grok-4"),
  compatible("moonshot", "Moonshot", "https://api.moonshot.ai/v1", "kimi-k2-turbo-preview"),
]

type Environment = Readonly<Record<string, string | undefined>>

/** The variable that holds a provider's key, if one does. */
export const keyIn = (env: Environment, { keys }: Provider): string | undefined => keys.find((key) => env[key])

/** All variables in which a key was found. */
export const keysIn = (env: Environment): readonly string[] =>
  providers.flatMap((provider) => keyIn(env, provider) ?? [])
