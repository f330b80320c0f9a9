import type { CallSink, ChatRequest } from "@agentscope-ts/model"
import {
  ChatWire,
  type HeadRequest,
  HttpChatModel,
  MappedFormatter,
  type PlanGiven,
  type Target,
  targetOf,
  tracedServer,
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
export class OllamaChatModel extends HttpChatModel<OllamaParams> {
  readonly #target: Target
  readonly #baseURL: string
  readonly #wire: ChatWire
  readonly #formatter: MappedFormatter<OllamaWireMessage>

  constructor(options: OllamaOptions) {
    const formatters = { chat: new OllamaChatFormatter(), "multi-agent": new OllamaMultiAgentFormatter() }
    super(options, { provider: "ollama", formatters, dialect: ollamaDialect, optionNames: [], paramNames })
    const endpoint = endpointOf(options)
    this.#baseURL = endpoint.baseURL
    this.#target = targetOf(apiUrl(endpoint, "chat"), endpoint.headers)
    this.#wire = new ChatWire({ fetch: endpoint.fetch, timeoutMs: options.timeoutMs })
    this.#formatter = new MappedFormatter(this.formatter, asRead)
  }

  protected override async send(request: ChatRequest<OllamaParams>, sink: CallSink): Promise<void> {
    const { plan, sink: told } = this.planned(request, sink)
    const { head, tail } = plan
    const answer = new LineReader(told, { label: this.label, streams: sink.streaming })
    try {
      await this.#wire.post({ target: this.#target, formatter: this.#formatter, request, head, tail, answer })
    } catch (error) {
      throw advised(error, this.model, this.#baseURL)
    }
  }

  protected override traced() {
    return tracedServer(this.#target)
  }

  protected override plan(request: HeadRequest<OllamaParams>, { streaming, warn }: PlanGiven) {
    return planRequest(request, { model: this.model, streaming, warn })
  }
}

/** Formatters name the tool of a result as other wires do, and as the reference does; the server knows it as `tool_name`. */
function asRead(message: OllamaWireMessage): OllamaWireMessage {
  if (message.role !== "tool" || message.name === undefined || message.tool_name !== undefined) return message
  const { name, ...rest } = message
  return { ...rest, tool_name: name }
}
