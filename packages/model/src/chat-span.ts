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
  span.add(genAi.requestTemperature, params.temperature)
  span.add(genAi.requestTopP, params.topP)
  span.add(genAi.requestTopK, params.topK)
  span.add(genAi.requestFrequencyPenalty, params.frequencyPenalty)
  span.add(genAi.requestPresencePenalty, params.presencePenalty)
  span.add(genAi.requestMaxTokens, params.maxTokens)
  span.add(genAi.requestStopSequences, params.stop)
  span.add(genAi.requestSeed, params.seed)
}

/** What a `chat` span says of the request. */
export function describeRequest(span: Span, request: ChatRequest, streaming: boolean): void {
  if (request.params) describeParams(span, request.params)
  if (streaming) span.add(genAi.requestStream, true)
  if (request.schema) span.add(genAi.outputType, "json")
  if (!span.takesContent) return
  span.add(genAi.inputMessages, inputMessages(request.messages))
  if (request.tools?.length) span.add(genAi.toolDefinitions, toolDefinitions(request.tools))
}

/** Tells the span when the answer began; of an answer that is asked for again, the first. */
export function timeFirstChunk(span: Span, builder: ResponseBuilder): void {
  // as spans are timed, whatever a test or a replay says the time is
  const startedAt = performance.now()
  // by a constant: a function assigned as it stands is made in old space, and would keep the whole call there
  const onFirstChunk = (): void => {
    builder.onFirstChunk = undefined
    span.add(genAi.responseTimeToFirstChunk, (performance.now() - startedAt) / 1000)
  }
  builder.onFirstChunk = onFirstChunk
}

/** What a `chat` span says of the tokens that were used: also of those of a call that failed. */
export function describeFigures(span: Span, usage: ChatUsage | undefined): void {
  if (usage === undefined) return
  span.add(genAi.usageInputTokens, usage.inputTokens)
  span.add(genAi.usageOutputTokens, usage.outputTokens)
  span.add(genAi.usageCacheReadInputTokens, usage.cachedInputTokens)
  span.add(genAi.usageCacheCreationInputTokens, usage.cacheWriteTokens)
  span.add(genAi.usageReasoningOutputTokens, usage.reasoningTokens)
}

/** What a `chat` span says of the answer. */
export function describeResponse(span: Span, response: ChatResponse, traced: TracedAttributes | undefined): void {
  const { id, model, usage, stopReason, content } = response
  span.add(genAi.responseId, id)
  span.add(genAi.responseModel, model)
  span.add(genAi.responseFinishReasons, [stopReason])
  if (traced) span.set(traced)
  describeFigures(span, usage)
  if (span.takesContent) span.add(genAi.outputMessages, outputMessages(content, stopReason))
}
