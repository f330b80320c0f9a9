import type { ChatParams, ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import {
  captureContent,
  genAi,
  inputMessages,
  outputMessages,
  type Span,
  toolDefinitions,
} from "@agentscope-ts/tracing"

/** What a `chat` span says of the request. */
export function describeRequest(span: Span, provider: string, request: ChatRequest, streaming: boolean): void {
  const params: ChatParams = request.params ?? {}
  span.set({
    [genAi.providerName]: provider,
    [genAi.requestTemperature]: params.temperature,
    [genAi.requestTopP]: params.topP,
    [genAi.requestMaxTokens]: params.maxTokens,
    [genAi.requestStopSequences]: params.stop,
    [genAi.requestSeed]: params.seed,
    [genAi.requestStream]: streaming ? true : undefined,
    [genAi.outputType]: request.schema ? "json" : undefined,
  })
  if (!captureContent()) return
  span.set({
    [genAi.inputMessages]: inputMessages(request.messages),
    [genAi.toolDefinitions]: request.tools?.length ? toolDefinitions(request.tools) : undefined,
  })
}

/** What a `chat` span says of the answer. */
export function describeResponse(span: Span, { id, model, usage, stopReason, content }: ChatResponse): void {
  span.set({
    [genAi.responseId]: id,
    [genAi.responseModel]: model,
    [genAi.responseFinishReasons]: [stopReason],
    [genAi.usageInputTokens]: usage?.inputTokens,
    [genAi.usageOutputTokens]: usage?.outputTokens,
    [genAi.usageCacheReadInputTokens]: usage?.cachedInputTokens,
    [genAi.usageCacheCreationInputTokens]: usage?.cacheWriteTokens,
    [genAi.usageReasoningOutputTokens]: usage?.reasoningTokens,
    [genAi.outputMessages]: captureContent() ? outputMessages(content, stopReason) : undefined,
  })
}
