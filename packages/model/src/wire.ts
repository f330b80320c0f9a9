export { apiKeyFrom, environment } from "./wire/api-key.ts"
export {
  type AnswerFormat,
  type AnswerPlan,
  answerPlan,
  type AnswerWays,
  responseFormat,
  type SchemaMode,
} from "./wire/answer-plan.ts"
export { AnswerReader, type AnswerParser } from "./wire/answer-reader.ts"
export { BlockWriter } from "./wire/block-writer.ts"
export { bodyHead } from "./wire/body-head.ts"
export { ConversationBodies } from "./wire/body-pool.ts"
export { type ChatPost, ChatWire, type ChatWireOptions } from "./wire/chat-wire.ts"
export { checkOptions } from "./wire/check-options.ts"
export { rolesInOrder } from "./wire/roles-in-order.ts"
export { rootUrl } from "./wire/root-url.ts"
export { clientError, tapedClient } from "./wire/client-error.ts"
export { type ClaudeGeneration, claudeGeneration } from "./claude-generation.ts"
export { byKey } from "./wire/by-key.ts"
export { type ClientCall, ClientTransport } from "./wire/client-transport.ts"
export { ConversationBody, type EncodeMessage } from "./wire/conversation-body.ts"
export { eventResponse, type SdkAnswer, sdkResponse } from "./wire/event-response.ts"
export { chunkObject } from "./wire/chunk-object.ts"
export { environmentHeaders } from "./wire/environment-headers.ts"
export { extraFields } from "./wire/extra-fields.ts"
export type { Exchange, ResponseHeaders, SendOptions, Transport } from "./wire/exchange.ts"
export { failureAsFinish } from "./wire/failure-as-finish.ts"
export { fileNameOf } from "./wire/file-name.ts"
export { filledFields } from "./wire/filled-fields.ts"
export { Frame, type FrameShape } from "./wire/frame.ts"
export { type ChunkEffect, Frames, type FramesOptions } from "./wire/frames.ts"
export { type FunctionCall, functionCall, functionChoice, functionTools } from "./wire/function-tools.ts"
export { FetchTransport, readResponse } from "./wire/fetch-transport.ts"
export { HttpChatModel, type HttpModelInit, type PlanGiven } from "./wire/http-chat-model.ts"
export {
  failureIn,
  failureOf,
  httpError,
  type HttpFailure,
  retryAfterMs,
  toldError,
  type ToldFailure,
} from "./wire/http-error.ts"
export { conversationHistoryPrompt, type HistoryGroup, historyGroups, historyText } from "./wire/history-groups.ts"
export { GrowingBlock, type GrowingType, OpenBlocks } from "./wire/growing-block.ts"
export { HistoryFormatter, type HistoryForms, withoutLimit } from "./wire/history-formatter.ts"
export { historyParts, type HistoryPartsOptions } from "./wire/history-parts.ts"
export { IndexedBlocks, type IndexedForms, type Said } from "./wire/indexed-blocks.ts"
export { IndexedBlock } from "./wire/indexed-block.ts"
export { joinBase64 } from "./wire/join-base64.ts"
export { joinedTurns } from "./wire/joined-turns.ts"
export { JsonListReader } from "./wire/json-list.ts"
export { jsonPath } from "./wire/json-path.ts"
export { leadingSystem } from "./wire/leading-system.ts"
export { wireJson } from "./wire/json.ts"
export { malformed, parseJson } from "./wire/malformed.ts"
export {
  base64Of,
  bytesOf,
  dataUrl,
  inlineMedia,
  isInMemory,
  isWebUrl,
  type LoadedMedia,
  loadMedia,
  requireMediaType,
} from "./wire/media.ts"
export { openedHistory } from "./wire/opened-history.ts"
export { turnBeginsWithout } from "./wire/turn-begins-without.ts"
export { PausedTurns, warnPaused } from "./wire/paused-turns.ts"
export { MappedFormatter } from "./wire/mapped-formatter.ts"
export { requireMediaSize } from "./wire/media-size.ts"
export { isText, textOfMedia } from "./wire/text-media.ts"
export { MediaFormatter } from "./wire/media-formatter.ts"
export { mediaKind, mediaKinds } from "./wire/media-kind.ts"
export { NdjsonReader } from "./wire/ndjson.ts"
export { type NamesOf, originalNamesSink } from "./wire/original-names-sink.ts"
export { OpaqueBlocks } from "./wire/opaque-blocks.ts"
export { ownData } from "./wire/own-data.ts"
export {
  postBody,
  postJson,
  postNdjson,
  type PostOptions,
  postSse,
  TextCollector,
  type TextReader,
} from "./wire/post.ts"
export { objectOf } from "./stream/partial-json.ts"
export { PartsFormatter, type PartsRole } from "./wire/parts-formatter.ts"
export { type PartsHistoryForms, PartsHistoryFormatter } from "./wire/parts-history-formatter.ts"
export { type JsonKey, PlacedJson } from "./wire/placed-json.ts"
export { type MediaForms, PreparedMedia } from "./wire/prepared-media.ts"
export { type PromotedForms, promotedParts } from "./wire/promoted-parts.ts"
export { figureIn, figuresIn, indexIn, laterFields, objectIn, objectsIn, textIn } from "./wire/read-value.ts"
export { Refusals } from "./wire/refusals.ts"
export type { OptionalField } from "./wire/optional-fields.ts"
export {
  type AnswerRoom,
  type Reasoning,
  reasoningBudget,
  reasoned,
  reasoningEffort,
  roomToAnswer,
  thinkingPlan,
  type ThinkingPlan,
  type ThinkingWays,
} from "./wire/reasoning.ts"
export { renamedFields, snakeNames, takenFields } from "./wire/renamed-fields.ts"
export { type HeadRequest, type RequestPlan, RequestPlans } from "./wire/request-plans.ts"
export { type MessageSaid, type ToolMessage, ToolRoleFormatter } from "./wire/tool-role-formatter.ts"
export { ToolsJson } from "./wire/tools-json.ts"
export { renderBody } from "./wire/render-body.ts"
export { type SaidString, singleEffect } from "./wire/single-effect.ts"
export { AnswerMedia, answerMediaIn, type AnswerMedium } from "./wire/answer-media.ts"
export { mediaSourceOf } from "./wire/media-source.ts"
export { ownFacts } from "./model-facts.ts"
export { mediaTypeOfName, normalMediaType, sniffMediaType } from "./wire/sniff.ts"
export { type SseEvent, type SseListener, SseReader, type SseShortcut } from "./wire/sse.ts"
export { stopReasonOf } from "./wire/stop-reason.ts"
export { StreamBlocks } from "./wire/stream-blocks.ts"
export { structuredSink, structuredTool } from "./wire/structured-tool.ts"
export { joinUrl, type Target, targetOf } from "./wire/target.ts"
export { type Place, Targets } from "./wire/targets.ts"
export { toldCount } from "./wire/told-count.ts"
export { type ChunkShape, StreamParser, type StreamParserOptions } from "./wire/stream-parser.ts"
export { StreamTelling, type Telling, type TextSoFar } from "./wire/text-so-far.ts"
export { ToolForms } from "./wire/tool-forms.ts"
export { type CallBlocks, type CallPiece, callPieceOf, ToolCalls } from "./wire/tool-calls.ts"
export { needsSaving, savedToolResultText, toolResultText, type ToolResultText } from "./wire/tool-result-text.ts"
export { isOpenAI, tracedAnswer, tracedOpenAI, tracedServer, tracedUrl } from "./wire/traced.ts"
export { transportOf } from "./wire/transport.ts"
export { usageIn } from "./wire/usage-in.ts"
export { Utf8Decoder } from "./wire/utf8.ts"
export { networkError } from "./wire/wire-error.ts"
export { type UsualMedia, usualMediaForms } from "./wire/usual-media-forms.ts"
export type { ItemKey } from "./wire/item-keys.ts"
export { type StreamItem, StreamItems } from "./wire/stream-items.ts"
export { unwrappedSink } from "./wire/unwrapped-sink.ts"
