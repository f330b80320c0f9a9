/**
 * Attribute names of the OpenTelemetry GenAI conventions (open-telemetry/semantic-conventions-genai, state of 2026-05-11),
 * without deprecated ones. Copied, because no package holds them: the released ones are marked as moved away.
 */
export const genAi = {
  operationName: "gen_ai.operation.name",
  providerName: "gen_ai.provider.name",
  conversationId: "gen_ai.conversation.id",
  outputType: "gen_ai.output.type",
  tokenType: "gen_ai.token.type",

  requestModel: "gen_ai.request.model",
  requestMaxTokens: "gen_ai.request.max_tokens",
  requestChoiceCount: "gen_ai.request.choice.count",
  requestTemperature: "gen_ai.request.temperature",
  requestTopP: "gen_ai.request.top_p",
  requestTopK: "gen_ai.request.top_k",
  requestStopSequences: "gen_ai.request.stop_sequences",
  requestFrequencyPenalty: "gen_ai.request.frequency_penalty",
  requestPresencePenalty: "gen_ai.request.presence_penalty",
  requestEncodingFormats: "gen_ai.request.encoding_formats",
  requestSeed: "gen_ai.request.seed",
  requestStream: "gen_ai.request.stream",

  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  responseFinishReasons: "gen_ai.response.finish_reasons",
  /** Seconds. */
  responseTimeToFirstChunk: "gen_ai.response.time_to_first_chunk",

  usageInputTokens: "gen_ai.usage.input_tokens",
  usageCacheReadInputTokens: "gen_ai.usage.cache_read.input_tokens",
  usageCacheCreationInputTokens: "gen_ai.usage.cache_creation.input_tokens",
  usageOutputTokens: "gen_ai.usage.output_tokens",
  usageReasoningOutputTokens: "gen_ai.usage.reasoning.output_tokens",

  /** Content, as are the next three and the tool's arguments and result: set them only when `captureContent()`. */
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolDefinitions: "gen_ai.tool.definitions",

  agentId: "gen_ai.agent.id",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  agentVersion: "gen_ai.agent.version",

  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolDescription: "gen_ai.tool.description",
  toolType: "gen_ai.tool.type",
  toolCallArguments: "gen_ai.tool.call.arguments",
  toolCallResult: "gen_ai.tool.call.result",

  dataSourceId: "gen_ai.data_source.id",
  embeddingsDimensionCount: "gen_ai.embeddings.dimension.count",
  retrievalDocuments: "gen_ai.retrieval.documents",
  retrievalQueryText: "gen_ai.retrieval.query.text",
  evaluationName: "gen_ai.evaluation.name",
  evaluationScoreValue: "gen_ai.evaluation.score.value",
  evaluationScoreLabel: "gen_ai.evaluation.score.label",
  evaluationExplanation: "gen_ai.evaluation.explanation",
  promptName: "gen_ai.prompt.name",
  workflowName: "gen_ai.workflow.name",

  mcpMethodName: "mcp.method.name",
  mcpSessionId: "mcp.session.id",
  mcpResourceUri: "mcp.resource.uri",
  mcpProtocolVersion: "mcp.protocol.version",

  openaiApiType: "openai.api.type",
  openaiRequestServiceTier: "openai.request.service_tier",
  openaiResponseServiceTier: "openai.response.service_tier",
  openaiResponseSystemFingerprint: "openai.response.system_fingerprint",

  /** From the general conventions, which the GenAI spans also use. */
  errorType: "error.type",
  serverAddress: "server.address",
  serverPort: "server.port",
} as const

/** Attribute names of our own, for what the conventions do not cover: the `format` span and users' functions. */
export const agentScope = {
  formatTarget: "agentscope.format.target",
  formatCount: "agentscope.format.count",
  functionName: "agentscope.function.name",
  functionInput: "agentscope.function.input",
  functionOutput: "agentscope.function.output",
} as const
