import { type CallSink, type ChatRequest, modelError } from "@agentscope-ts/model"
import { dialectOf, openAIResponsesDialect } from "../dialects.ts"
import { OpenAIModel, type Server, type Wire } from "../openai-model.ts"
import type { OpenAIOptions, OpenAIResponsesParams } from "../openai-options.ts"
import { EventReader } from "./event-reader.ts"
import { OpenAIResponsesChatFormatter } from "./openai-responses-chat-formatter.ts"
import { OpenAIResponsesMultiAgentFormatter } from "./openai-responses-multi-agent-formatter.ts"
import { responsesParamNames, responsesPlan } from "./responses-plan.ts"

/**
 * A model behind the Responses API: OpenAI's own, or a compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`). By default
 * nothing is stored there: the history carries the model's reasoning in encrypted form.
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class OpenAIResponsesModel extends OpenAIModel<OpenAIResponsesParams> {
  constructor(options: OpenAIOptions<OpenAIResponsesParams>) {
    const provider = options?.provider ?? "openai"
    super(options, serverOf(provider), responsesOf(provider, options?.model))
  }

  /** What a stored answer is gone on from need not be sent again. */
  protected override send(request: ChatRequest<OpenAIResponsesParams>, sink: CallSink): Promise<void> {
    if (request.params?.previousResponseId === undefined) return super.send(request, sink)
    const answered = request.messages.findLastIndex(({ role }) => role === "assistant")
    return super.send({ ...request, messages: request.messages.slice(answered + 1) }, sink)
  }
}

function serverOf(provider: string): Server {
  const options = { provider, audio: false, mediaInResults: provider === "openai" || provider === "azure" }
  return {
    provider,
    formatters: {
      chat: new OpenAIResponsesChatFormatter(options),
      "multi-agent": new OpenAIResponsesMultiAgentFormatter(options),
    },
    dialect: dialectOf(provider, openAIResponsesDialect),
  }
}

function responsesOf(provider: string, model: string): Wire<OpenAIResponsesParams> {
  return {
    path: "responses",
    paramNames: responsesParamNames,
    plan: (request, streaming, refusals) => responsesPlan(request, { provider, model, streaming, refusals }),
    parser: (_, sink, label) => new EventReader(sink, { label, provider }),
    create: (client, body, signal) => {
      if (client.responses) return client.responses.create(body, { signal }).asResponse()
      const message =
        "The `client` has no `responses`: OpenAIResponsesModel needs an instance of OpenAI or AzureOpenAI."
      throw modelError({ code: "invalid_request", message })
    },
    unknown: ["seed", "stop"],
  }
}
