import type { Msg } from "@agentscope-ts/message"
import type { CallSink, ChatRequest } from "@agentscope-ts/model"
import {
  AnswerReader,
  ChatWire,
  type HeadRequest,
  HttpChatModel,
  type PlanGiven,
  tracedServer,
} from "@agentscope-ts/model/wire"
import { DashScopeChatFormatter } from "./dashscope-chat-formatter.ts"
import { dashscopeDialect } from "./dashscope-dialect.ts"
import { DashScopeMultiAgentFormatter } from "./dashscope-multi-agent-formatter.ts"
import { type DashScopeOptions, type DashScopeParams, optionNames, paramNames } from "./dashscope-options.ts"
import { Endpoint, isMultimodalName } from "./endpoint.ts"
import { GenerationReader } from "./generation-reader.ts"
import { type DashScopePlan, planRequest } from "./request-plan.ts"

/**
 * Qwen and other models over DashScope's own API: the key from `DASHSCOPE_API_KEY`, the base URL from
 * `DASHSCOPE_HTTP_BASE_URL` or `DASHSCOPE_BASE_URL`, `https://dashscope.aliyuncs.com/api/v1` by default.
 * @throws AgentScopeError `missing_api_key` without a key, `invalid_request` for options that cannot be.
 */
export class DashScopeChatModel extends HttpChatModel<DashScopeParams, DashScopePlan> {
  readonly #endpoint: Endpoint
  readonly #multimodal: boolean | undefined
  readonly #wire: ChatWire

  constructor(options: DashScopeOptions) {
    const formatters = { chat: new DashScopeChatFormatter(), "multi-agent": new DashScopeMultiAgentFormatter() }
    super(options, { provider: "dashscope", formatters, dialect: dashscopeDialect, optionNames, paramNames })
    this.#endpoint = new Endpoint(options)
    this.#multimodal = options.multimodal ?? (isMultimodalName(options.model) || undefined)
    this.#wire = new ChatWire(options)
  }

  protected override async send(request: ChatRequest<DashScopeParams>, sink: CallSink): Promise<void> {
    const { plan, sink: told } = this.planned(request, sink)
    const { head, tail, streams, totals } = plan
    const answer = new AnswerReader(new GenerationReader(told, { label: this.label, totals }))
    const target = this.#endpoint.target(this.#isMultimodal(request.messages), streams)
    await this.#wire.post({ target, formatter: this.formatter, request, head, tail, answer })
  }

  protected override traced() {
    return tracedServer(this.#endpoint.target(false, false))
  }

  protected override plan(request: HeadRequest<DashScopeParams>, { streaming, warn }: PlanGiven): DashScopePlan {
    return planRequest(request, { model: this.model, streaming, warn })
  }

  #isMultimodal(messages: readonly Msg[]): boolean {
    if (this.#multimodal !== undefined) return this.#multimodal
    const { showsMedia } = this.formatter as Partial<Pick<DashScopeChatFormatter, "showsMedia">>
    return showsMedia !== undefined && messages.some((msg) => showsMedia.call(this.formatter, msg))
  }
}
