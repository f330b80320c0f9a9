import type { Msg } from "@agentscope-ts/message"
import type { CallSink, ChatRequest, Dialect } from "@agentscope-ts/model"
import { OpenAIChatModel, type OpenAIOptions, type OpenAIParams, openAIVendor } from "@agentscope-ts/model-openai"
import { bridge, inOrder, MistralChatFormatter, MistralMultiAgentFormatter, prefixes } from "./mistral-formatters.ts"

/** Options of {@link MistralChatModel}. */
export type MistralOptions = Omit<OpenAIOptions, "provider" | "organization">

/** Mistral's rules for histories: ids of nine letters and digits. */
export const mistralDialect: Dialect = { ...openAIVendor("mistral").dialect, toolUses: "last" }

/** Params of Chat Completions that Mistral refuses. */
const unknown = ["user", "modalities", "audio"] as const
const said = { id: "bridge", name: "assistant", timestamp: "1970-01-01T00:00:00.000Z" }
const bridgeMsg: Msg = { ...said, role: "assistant", content: [{ type: "text", text: bridge }] }

/** Mistral's own API: the key from `MISTRAL_API_KEY`, `https://api.mistral.ai/v1` unless `baseURL` says otherwise. */
export class MistralChatModel extends OpenAIChatModel {
  constructor(options: MistralOptions) {
    const { baseURL = options?.client?.baseURL ?? "https://api.mistral.ai/v1" } = options ?? {}
    super({ apiKeyEnv: "MISTRAL_API_KEY", ...options, baseURL }, vendor(options))
  }

  protected override send(request: ChatRequest<OpenAIParams>, sink: CallSink): Promise<void> {
    for (const name of unknown) {
      if (request.params?.[name] === undefined) continue
      sink.warn("unsupported_param", `Mistral has no \`${name}\`: it was left out.`)
    }
    const messages = inOrder(request.messages, bridgeMsg)
    const last = messages.at(-1)
    if (last?.role === "assistant") {
      const prefix = { ...last }
      prefixes.add(prefix)
      messages[messages.length - 1] = prefix
    }
    return super.send({ ...request, messages }, sink)
  }
}

function vendor({ model = "", params }: Partial<MistralOptions> = {}): ReturnType<typeof openAIVendor> {
  const magistral = /magistral/i.test(model)
  const reasons = magistral || (params?.reasoning ?? "off") !== "off"
  const base = openAIVendor("mistral")
  return {
    ...base,
    formatters: { chat: new MistralChatFormatter(), "multi-agent": new MistralMultiAgentFormatter() },
    // models that do not reason may refuse a history with thinking in it
    dialect: reasons ? mistralDialect : { ...mistralDialect, thinking: "none" },
    // Magistral always reasons: what can be set is whether it is told how
    reasoning: (wish) => (magistral ? { prompt_mode: wish === "off" ? null : "reasoning" } : base.reasoning(wish)),
    // usage comes unasked in a stream; any: Mistral's older word for required
    fields: ({ seed, tool_choice: choice, ...rest }) => {
      const own = { random_seed: seed, tool_choice: choice === "required" ? "any" : choice }
      return {
        ...rest,
        ...own,
        stream_options: undefined,
        ...Object.fromEntries(unknown.map((name) => [name, undefined])),
      }
    },
  }
}
