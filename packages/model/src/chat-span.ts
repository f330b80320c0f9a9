import type { ChatUsage } from "@agentscope-ts/message"
import type { ChatParams, ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { genAi, inputMessages, outputMessages, type Span, toolDefinitions } from "@agentscope-ts/tracing"
import type { TracedAttributes } from "./stream/call-sink.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

/** Settings that some providers have under these names. */
interface MoreParams extends ChatParams {
  topK?: number | undefined
  frequencyPenalty?: number | undefined
  presencePenalty?: number | undefined
}

/** What a `chat` span says of the request, and an `invoke_agent` span of those that it makes. */
export function describeParams(span: Span, params: MoreParams): void {
  span.set({
    [genAi.requestTemperature]: params.temperature,
    [genAi.requestTopP]: params.topP,
    [genAi.requestTopK]: params.topK,
    [genAi.requestFrequencyPenalty]: params.frequencyPenalty,
    [genAi.requestPresencePenalty]: params.presencePenalty,
    [genAi.requestMaxTokens]: params.maxTokens,
    [genAi.requestStopSequences]: params.stop,
    [genAi.requestSeed]: params.seed,
  })
}

/** What a `chat` span says of the request. */
export function describeRequest(span: Span, request: ChatRequest, streaming: boolean): void {
  if (request.params) describeParams(span, request.params)
  if (streaming) span.set({ [genAi.requestStream]: true })
  if (request.schema) span.set({ [genAi.outputType]: "json" })
  if (!span.takesContent) return
  span.set({ [genAi.inputMessages]: inputMessages(request.messages) })
  if (request.tools?.length) span.set({ [genAi.toolDefinitions]: toolDefinitions(request.tools) })
}

/** Tells the span when the answer began; of an answer that is asked for again, the first. */
export function timeFirstChunk(span: Span, builder: ResponseBuilder): void {
  // as spans are timed, whatever a test or a replay says the time is
  const startedAt = performance.now()
  builder.onFirstChunk = () => {
    builder.onFirstChunk = undefined
    span.set({ [genAi.responseTimeToFirstChunk]: (performance.now() - startedAt) / 1000 })
  }
}

/** What a `chat` span says of the tokens that were used: also of those of a call that failed. */
export function describeFigures(span: Span, usage: ChatUsage | undefined): void {
  if (usage === undefined) return
  span.set({
    [genAi.usageInputTokens]: usage.inputTokens,
    [genAi.usageOutputTokens]: usage.outputTokens,
    [genAi.usageCacheReadInputTokens]: usage.cachedInputTokens,
    [genAi.usageCacheCreationInputTokens]: usage.cacheWriteTokens,
    [genAi.usageReasoningOutputTokens]: usage.reasoningTokens,
  })
}

/** What a `chat` span says of the answer. */
export function describeResponse(span: Span, response: ChatResponse, traced: TracedAttributes | undefined): void {
  const { id, model, usage, stopReason, content } = response
  span.set({
    [genAi.responseId]: id,
    [genAi.responseModel]: model,
    [genAi.responseFinishReasons]: [stopReason],
  })
  if (traced) span.set(traced)
  describeFigures(span, usage)
  if (span.takesContent) span.set({ [genAi.outputMessages]: outputMessages(content, stopReason) })
}
