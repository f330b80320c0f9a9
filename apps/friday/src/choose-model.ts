import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"

type Environment = Readonly<Record<string, string | undefined>>

interface Provider {
  readonly name: string
  readonly label: string
  readonly keyEnv: string
  /** Used where no model is named. */
  readonly model: string
  readonly create: (model: string) => Promise<ChatModel>
}

/** In the order in which a key is looked for. Each is loaded only when it is used. */
const providers: readonly Provider[] = [
  {
    name: "openai",
    label: "OpenAI",
    keyEnv: "OPENAI_API_KEY",
    model: "gpt-5-mini",
    create: async (model) => new (await import("@agentscope-ts/model-openai")).OpenAIChatModel({ model }),
  },
  {
    name: "deepseek",
    label: "DeepSeek",
    keyEnv: "DEEPSEEK_API_KEY",
    model: "deepseek-chat",
    create: async (model) => new (await import("@agentscope-ts/model-openai")).DeepSeekChatModel({ model }),
  },
]

/** What to type for a language model. */
export const setup = providers.map(({ keyEnv, label }) => `export ${keyEnv}=…   # ${label}`).join("\n")

/** A model, with what a person is told about it. */
export interface Chosen {
  readonly model: ChatModel
  readonly label: string
  /** No language model: rules. */
  readonly offline: boolean
}

const unusable = (message: string) => new AgentScopeError({ code: "usage", message })

async function offline(): Promise<Chosen> {
  const { OfflineChatModel } = await import("@agentscope-ts/model-offline")
  return { model: new OfflineChatModel({ setup }), label: "offline rules, no language model", offline: true }
}

/**
 * The model to talk to: the first provider whose key is in the environment, else the offline model. `wanted` is what
 * `--model` says: a model of that provider, `provider:model`, a provider's name, or `offline`.
 * @throws AgentScopeError `usage` when the provider that is asked for has no key.
 */
export async function chooseModel(env: Environment, wanted?: string): Promise<Chosen> {
  if (wanted === "offline") return offline()
  const named = providers.find(({ name }) => wanted === name || wanted?.startsWith(`${name}:`))
  const provider = named ?? providers.find(({ keyEnv }) => env[keyEnv])
  if (provider === undefined) {
    if (wanted === undefined) return offline()
    throw unusable(
      `--model ${wanted}: there is no key. Set ${providers.map(({ keyEnv }) => keyEnv).join(" or ")}, or use --model offline.`,
    )
  }
  if (!env[provider.keyEnv]) throw unusable(`--model ${wanted}: there is no key. Set ${provider.keyEnv}.`)
  const name = named ? wanted?.slice(named.name.length + 1) : wanted
  const model = name || provider.model
  return { model: await provider.create(model), label: `${model}, ${provider.label}`, offline: false }
}
