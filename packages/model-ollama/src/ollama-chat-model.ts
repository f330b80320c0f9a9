import { type CallSink, ChatModel, type ChatRequest } from "@agentscope-ts/model"
import {
  ChatWire,
  MappedFormatter,
  checkOptions,
  checkParams,
  type RequestPlan,
  RequestPlans,
  type Target,
  targetOf,
} from "@agentscope-ts/model/wire"
import { apiUrl, endpointOf } from "./endpoint.ts"
import { LineReader } from "./line-reader.ts"
import { OllamaChatFormatter } from "./ollama-chat-formatter.ts"
import { ollamaDialect } from "./ollama-dialect.ts"
import { OllamaMultiAgentFormatter } from "./ollama-multi-agent-formatter.ts"
import { type OllamaOptions, type OllamaParams, paramNames } from "./ollama-options.ts"
import { planRequest } from "./request-plan.ts"
import { advised } from "./told-error.ts"
import type { OllamaWireMessage } from "./wire-message.ts"

/**
 * A model of a running Ollama: at `baseURL`, else `OLLAMA_HOST`, else `http://127.0.0.1:11434`.
 * @throws AgentScopeError `invalid_request` for options that cannot be. Calls throw `network` where no Ollama runs and
 * `not_found` for a model that it does not have.
 */
export class OllamaChatModel extends ChatModel<OllamaParams> {
  readonly #target: Target
  readonly #baseURL: string
  readonly #wire: ChatWire
  readonly #formatter: MappedFormatter<OllamaWireMessage>
  readonly #plans: RequestPlans<OllamaParams, RequestPlan>

  constructor(options: OllamaOptions) {
    checkOptions(options, [], new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const formatters = { chat: new OllamaChatFormatter(), "multi-agent": new OllamaMultiAgentFormatter() }
    super({ ...options, provider: "ollama", formatters, dialect: ollamaDialect })
    const endpoint = endpointOf(options)
    this.#baseURL = endpoint.baseURL
    this.#target = targetOf(apiUrl(endpoint, "chat"), endpoint.headers)
    this.#wire = new ChatWire({ fetch: endpoint.fetch, timeoutMs: options.timeoutMs })
    this.#formatter = new MappedFormatter(this.formatter, asRead)
    this.#plans = new RequestPlans((request, streaming) => planRequest(request, this.model, streaming))
  }

  protected override async send(request: ChatRequest<OllamaParams>, sink: CallSink): Promise<void> {
    if (request.params !== this.params) checkParams(request.params, paramNames, this.constructor.name)
    const { plan, sink: told } = this.#plans.of(request, sink)
    const { head, tail } = plan
    const answer = new LineReader(told, { label: `${this.provider}/${this.model}`, streams: sink.streaming })
    try {
      await this.#wire.post({ target: this.#target, formatter: this.#formatter, request, head, tail, answer })
    } catch (error) {
      throw advised(error, this.model, this.#baseURL)
    }
  }
}

/** Formatters name the tool of a result as other wires do, and as the reference does; the server knows it as `tool_name`. */
function asRead(message: OllamaWireMessage): OllamaWireMessage {
  if (message.role !== "tool" || message.name === undefined || message.tool_name !== undefined) return message
  const { name, ...rest } = message
  return { ...rest, tool_name: name }
}
