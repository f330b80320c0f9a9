export type { ChatParams, ChatRequest, ToolChoice, ToolSchema } from "./chat-request.ts"
export { ChatModel, type ChatModelInit, type ModelOptions, type ProviderOptions } from "./chat-model.ts"
export type { CallWarning, ChatContent, ChatResponse, ChatSnapshot } from "./chat-response.ts"
export { classifyError, type ErrorClass, type ProviderFailure } from "./errors/classify-error.ts"
export { isRetryableCode, type ModelErrorCode, modelError } from "./errors/model-error.ts"
export {
  type EmbeddingBatch,
  EmbeddingModel,
  type EmbeddingModelInit,
  type EmbeddingResponse,
} from "./embedding-model.ts"
export { type FormatAccess, Formatter, type FormatterOption, type FormatterOptions } from "./formatter.ts"
export { checkBlocks, checkMessage } from "./history/check-message.ts"
export type { Dialect } from "./history/dialect.ts"
export { guardHistory, HistoryGuard, type HistoryWarning } from "./history/history-guard.ts"
export { type HistoryProblem, validateHistory } from "./history/validate-history.ts"
export type { ImageModel, ImageRequest, ImageResponse } from "./image-model.ts"
export { factsOf, type InputKind, type ModelFacts, modelFacts } from "./model-facts.ts"
export { type CostFigures, costOf, type ModelPrice, priceOf, priceTable } from "./prices.ts"
export { type Permit, RateLimiter, type RateLimits } from "./rate-limiter.ts"
export type { RetryPolicy } from "./retry-policy.ts"
export { checkLiteral } from "./schema/check-literal.ts"
export { dropNulls } from "./schema/drop-nulls.ts"
export { grammarSchema } from "./schema/grammar-schema.ts"
export { inlineRefs, type InlineOptions } from "./schema/inline-refs.ts"
export { jsonSchemaOf } from "./schema/json-schema-of.ts"
export { type ObjectSchema, objectSchema, originalNames } from "./schema/object-schema.ts"
export { openApiSchema } from "./schema/open-api-schema.ts"
export { type StrictSchema, strictSchema } from "./schema/strict-schema.ts"
export { type SchemaIssue, type Validate, type Validation, validatorOf } from "./schema/validator.ts"
export type { SpeechModel, SpeechRequest, SpeechResponse } from "./speech-model.ts"
export { describeParams } from "./chat-span.ts"
export type { CallEnd, CallHead, CallSink, ToldUsage, TracedAttributes } from "./stream/call-sink.ts"
export type { ChatStream, ChatStreamSink } from "./stream/chat-stream.ts"
export type { Gate, RequestEnd } from "./stream/gate.ts"
export { partialJson } from "./stream/partial-json.ts"
export { CharTokenCounter, type TokenCounter } from "./token-counter.ts"
export type {
  TranscriptionModel,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSegment,
} from "./transcription-model.ts"
export { type CircuitBreakerOptions, withCircuitBreaker } from "./with-circuit-breaker.ts"
export { withFallback } from "./with-fallback.ts"
export { withRateLimit } from "./with-rate-limit.ts"
export { withRetry } from "./with-retry.ts"
