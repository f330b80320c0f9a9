export type { McpAuthErrorCode } from "./auth/auth-error.ts"
export type { McpAuthClient, McpAuthRecord, McpAuthStore, McpAuthTokens } from "./auth/auth-store.ts"
export type { McpAuth, McpClientCredentials, McpCrossAppAccess, McpPrivateKey, McpSignIn } from "./auth/mcp-auth.ts"
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
export { resourceBlock } from "./server/content.ts"
export type { McpListener, McpListenOptions } from "./server/http/listen.ts"
export type { HttpHandler } from "./server/http/mcp-http.ts"
export type { McpHttpOptions } from "./server/http/mcp-http-options.ts"
export { McpServer, type McpServerOptions } from "./server/mcp-server.ts"
export {
  type AskOptions,
  type Elicited,
  type McpClientInfo,
  type McpRoot,
  McpSession,
  type Sampled,
  type SamplingOptions,
} from "./server/mcp-session.ts"
export type { PromptArgument, ServedPrompt } from "./server/served-prompt.ts"
export type {
  Completer,
  ResourceContent,
  ResourcePart,
  ServedContext,
  ServedResource,
  ServedResourceTemplate,
} from "./server/served-resource.ts"
export type { ServeStdioOptions } from "./server/stdio/serve-stdio.ts"
export { StatelessMcpClient } from "./stateless-mcp-client.ts"
export { StdioMcpClient } from "./stdio-mcp-client.ts"
export type { McpTool } from "./tools/mcp-tool.ts"
export type { McpToolAnnotations, McpToolDefinition } from "./tools/tool-definition.ts"
