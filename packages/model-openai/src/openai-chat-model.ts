import { ChunkReader } from "./chunk-reader.ts"
import { OpenAIModel, type Wire } from "./openai-model.ts"
import type { OpenAIOptions, OpenAIParams } from "./openai-options.ts"
import { chatFields, requestPlan } from "./request-plan.ts"
import { type Vendor, vendorOf } from "./vendor.ts"

/**
 * A model behind Chat Completions: OpenAI's own, or any compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`).
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class OpenAIChatModel extends OpenAIModel<OpenAIParams> {
  /** `vendor`: for subclasses, where the endpoint differs from OpenAI's. */
  constructor(options: OpenAIOptions, vendor: Vendor = vendorOf(options?.provider ?? "openai")) {
    super(options, vendor, chatCompletions(options?.model, vendor))
  }
}

function chatCompletions(model: string, vendor: Vendor): Wire<OpenAIParams> {
  return {
    path: "chat/completions",
    paramNames: [...Object.keys(chatFields), "extraBody"],
    plan: (request, streaming, refusals) => requestPlan(request, { model, streaming, vendor, refusals }),
    parser: ({ params }, sink, label) =>
      new ChunkReader(sink, { label, provider: vendor.provider, audioType: audioTypeOf(params) }),
    create: (client, body, signal) => client.chat.completions.create(body, { signal }).asResponse(),
  }
}

function audioTypeOf(params: OpenAIParams | undefined): string | undefined {
  const { format } = (params?.extraBody?.["audio"] ?? params?.audio ?? {}) as { readonly format?: unknown }
  return typeof format === "string" ? `audio/${format === "mp3" ? "mpeg" : format}` : undefined
}
