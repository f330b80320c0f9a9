import type { Msg, Reply } from "@agentscope-ts/message"
import { ChatModel, describeParams } from "@agentscope-ts/model"
import { genAi, inputMessages, outputMessages, type Span, startSpan } from "@agentscope-ts/tracing"
import type { AgentBase } from "../base/agent-base.ts"

/** The model that an agent speaks by, if it has one. */
function modelOf(agent: AgentBase & { readonly model?: unknown }): ChatModel | undefined {
  return agent.model instanceof ChatModel ? agent.model : undefined
}

/** Opens the span of a reply. An agent without a model is of nobody's making but ours. */
export function startAgentSpan(agent: AgentBase & { readonly sessionId?: string | undefined }): Span | undefined {
  const model = modelOf(agent)
  const span = startSpan("invoke_agent", agent.name, undefined, model?.provider ?? "agentscope", agent.sessionId)
  span?.add(genAi.agentId, agent.id)
  span?.add(genAi.requestModel, model?.model)
  if (span && model) describeParams(span, model.params)
  return span
}

/** Says on a reply's span what it was asked, and in which form it is to answer. */
export function describeInput(span: Span, messages: readonly Msg[], isStructured: boolean): void {
  if (isStructured) span.add(genAi.outputType, "json")
  if (span.takesContent) span.add(genAi.inputMessages, inputMessages(messages))
}

/** Says on a reply's span how it ended and what it took. */
export function describeReply(span: Span, { content, finishReason, usage, pending }: Reply<unknown>): void {
  span.add(genAi.responseFinishReasons, [finishReason])
  span.add(genAi.usageInputTokens, usage.inputTokens)
  span.add(genAi.usageOutputTokens, usage.outputTokens)
  span.add(genAi.usageCacheReadInputTokens, usage.cachedInputTokens)
  span.add(genAi.usageCacheCreationInputTokens, usage.cacheWriteTokens)
  if (span.takesContent)
    span.add(genAi.outputMessages, outputMessages(content, pending.length > 0 ? "tool_use" : "stop"))
}
