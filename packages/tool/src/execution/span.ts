import { textOf, type ToolResultBlock, type ToolUseBlock } from "@agentscope-ts/message"
import { captureContent, genAi, type Span } from "@agentscope-ts/tracing"

/** Says in the trace how a call ended. `cause` is what went wrong, if anything did. */
export function endSpan(span: Span, toolUse: ToolUseBlock, result: ToolResultBlock, cause: unknown): void {
  const content = captureContent() && {
    [genAi.toolCallArguments]: toolUse.rawInput ?? JSON.stringify(toolUse.input),
    [genAi.toolCallResult]: JSON.stringify(result.structured ?? result.output),
  }
  span.set({ [genAi.toolCallId]: toolUse.id, [genAi.toolType]: "function", ...content })
  if (result.state === "error") span.fail(cause ?? textOf(result))
  span.end()
}
