import type { Msg, Reply } from "@agentscope-ts/message"
import { captureContent, genAi, inputMessages, outputMessages, type Span } from "@agentscope-ts/tracing"
import type { AgentBase } from "./agent-base.ts"

/** Says on a reply's span whose it is, and what it was asked where content may be kept. */
export function describeInput(span: Span, agent: AgentBase, messages: readonly Msg[]): void {
  const input = captureContent() ? inputMessages(messages) : undefined
  span.set({ [genAi.agentId]: agent.id, [genAi.inputMessages]: input })
}

/** Says on a reply's span how it ended and what it took. */
export function describeReply(span: Span, agent: AgentBase, { content, finishReason, usage }: Reply<unknown>): void {
  span.set({
    [genAi.agentName]: agent.name,
    [genAi.responseFinishReasons]: [finishReason],
    [genAi.usageInputTokens]: usage.inputTokens,
    [genAi.usageOutputTokens]: usage.outputTokens,
    [genAi.usageCacheReadInputTokens]: usage.cachedInputTokens,
    [genAi.usageCacheCreationInputTokens]: usage.cacheWriteTokens,
    [genAi.usageReasoningOutputTokens]: usage.reasoningTokens,
    [genAi.outputMessages]: captureContent() ? outputMessages(content) : undefined,
  })
}
