export type { McpErrorCode } from "./error.ts"
export { HttpMcpClient } from "./http-mcp-client.ts"
export {
  type McpCallOptions,
  McpClient,
  type McpCompletion,
  type McpCompletionTarget,
  type McpToolCallOptions,
} from "./mcp-client.ts"
export type {
  ElicitationAnswer,
  ElicitationRequest,
  HeaderSource,
  HttpOptions,
  McpEvent,
  McpLogLevel,
  McpLogMessage,
  McpOptions,
  StdioOptions,
  UrlElicitationRequest,
} from "./mcp-options.ts"
export type { McpPrompt } from "./prompts/prompt.ts"
export type { SamplingHandler, SamplingRequest, SamplingResult } from "./requests/sampling-request.ts"
export type { McpResource, McpResourceContents, McpResourceTemplate } from "./resources/resource.ts"
export type { McpProgress, ServerFacts } from "./sdk/session.ts"
export { StatelessMcpClient } from "./stateless-mcp-client.ts"
export { StdioMcpClient } from "./stdio-mcp-client.ts"
export type { McpTool } from "./tools/mcp-tool.ts"
export type { McpToolAnnotations, McpToolDefinition } from "./tools/tool-definition.ts"
