import type { CallSink, ChatRequest } from "@agentscope-ts/model"
import type { HeadRequest } from "@agentscope-ts/model/wire"
import { ChunkReader } from "./chunk-reader.ts"
import { type Api, OpenAIModel } from "./openai-model.ts"
import type { OpenAIOptions, OpenAIParams } from "./openai-options.ts"
import type { PlanTarget } from "./request-fields.ts"
import { chatFields, requestPlan } from "./request-plan.ts"
import { type Vendor, vendorOf } from "./vendor.ts"

const chatCompletions: Api = {
  path: "chat/completions",
  paramNames: [...Object.keys(chatFields), "extraBody"],
  create: (client, body, signal) => client.chat.completions.create(body, { signal }).asResponse(),
}

/**
 * A model behind Chat Completions: OpenAI's own, or any compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`).
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class OpenAIChatModel extends OpenAIModel<OpenAIParams> {
  readonly #vendor: Vendor

  /** `vendor`: for subclasses, where the endpoint differs from OpenAI's. */
  constructor(options: OpenAIOptions, vendor: Vendor = vendorOf(options?.provider ?? "openai", options)) {
    super(options, vendor, chatCompletions)
    this.#vendor = vendor
  }

  protected override body(request: HeadRequest<OpenAIParams>, target: PlanTarget) {
    return requestPlan(request, target, this.#vendor)
  }

  protected override parser({ params }: ChatRequest<OpenAIParams>, sink: CallSink): ChunkReader {
    return new ChunkReader(sink, { label: this.label, provider: this.provider, audioType: audioTypeOf(params) })
  }
}

function audioTypeOf(params: OpenAIParams | undefined): string | undefined {
  const { format } = (params?.extraBody?.["audio"] ?? params?.audio ?? {}) as { readonly format?: unknown }
  return typeof format === "string" ? `audio/${format === "mp3" ? "mpeg" : format}` : undefined
}
