import type { CallSink, ChatRequest, Dialect } from "@agentscope-ts/model"
import {
  OpenAIChatModel,
  type OpenAIOptions,
  type OpenAIParams,
  openAISeesImages,
  openAIVendor,
} from "@agentscope-ts/model-openai"
import { MistralChatFormatter, MistralMultiAgentFormatter, prefixes } from "./mistral-formatters.ts"

/** Options of {@link MistralChatModel}. */
export type MistralOptions = Omit<OpenAIOptions, "provider" | "organization">

/** Mistral's rules for histories: ids of nine letters and digits. */
export const mistralDialect: Dialect = { ...openAIVendor("mistral").dialect, toolUses: "last" }

/** Params of Chat Completions that Mistral refuses. */
const unknown = ["user", "modalities", "audio"] as const

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
    const last = request.messages.at(-1)
    if (last?.role !== "assistant") return super.send(request, sink)
    const prefix = { ...last }
    prefixes.add(prefix)
    return super.send({ ...request, messages: [...request.messages.slice(0, -1), prefix] }, sink)
  }
}

function vendor(options: Partial<MistralOptions> | null | undefined): ReturnType<typeof openAIVendor> {
  const { model = "", params } = options ?? {}
  const shown = { promoteToolResultImages: openAISeesImages(options) }
  const magistral = /magistral/i.test(model)
  const reasons = magistral || (params?.reasoning ?? "off") !== "off"
  const base = openAIVendor("mistral")
  return {
    ...base,
    formatters: { chat: new MistralChatFormatter(shown), "multi-agent": new MistralMultiAgentFormatter(shown) },
    // models that do not reason may refuse a history with thinking in it
    dialect: reasons ? mistralDialect : { ...mistralDialect, thinking: "none" },
    switches: true,
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
