import { type CallSink, type ChatRequest, modelError } from "@agentscope-ts/model"
import type { HeadRequest } from "@agentscope-ts/model/wire"
import { dialectOf, openAIResponsesDialect } from "../dialects.ts"
import { type Api, OpenAIModel, type Server } from "../openai-model.ts"
import type { OpenAIOptions, OpenAIResponsesParams } from "../openai-options.ts"
import { EventReader } from "./event-reader.ts"
import { OpenAIResponsesChatFormatter } from "./openai-responses-chat-formatter.ts"
import { OpenAIResponsesMultiAgentFormatter } from "./openai-responses-multi-agent-formatter.ts"
import { requestTools } from "./request-tools.ts"
import type { PlanTarget } from "../request-fields.ts"
import { responsesParamNames, responsesPlan } from "./responses-plan.ts"

const responses: Api = {
  path: "responses",
  paramNames: responsesParamNames,
  create: (client, body, signal) => {
    if (client.responses) return client.responses.create(body, { signal }).asResponse()
    const message = "The `client` has no `responses`: OpenAIResponsesModel needs an instance of OpenAI or AzureOpenAI."
    throw modelError({ code: "invalid_request", message })
  },
}

/**
 * A model behind the Responses API: OpenAI's own, or a compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`). By default
 * nothing is stored there: the history carries the model's reasoning in encrypted form.
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class OpenAIResponsesModel extends OpenAIModel<OpenAIResponsesParams> {
  constructor(options: OpenAIOptions<OpenAIResponsesParams>) {
    super(options, serverOf(options?.provider ?? "openai"), responses)
  }

  /** What a stored answer is gone on from need not be sent again. */
  protected override send(request: ChatRequest<OpenAIResponsesParams>, sink: CallSink): Promise<void> {
    const { params, messages } = request
    if (params?.previousResponseId === undefined) return super.send(request, sink)
    const answered = messages.findLastIndex(({ role }) => role === "assistant")
    return super.send({ ...request, messages: messages.slice(answered + 1) }, sink)
  }

  protected override body(request: HeadRequest<OpenAIResponsesParams>, target: PlanTarget) {
    return responsesPlan(request, target)
  }

  protected override parser(request: ChatRequest<OpenAIResponsesParams>, sink: CallSink, answerTool?: string) {
    const tools = requestTools(request, answerTool)
    return new EventReader(sink, { label: this.label, provider: this.provider, tools })
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
