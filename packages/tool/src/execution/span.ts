import { textOf, type ToolResultBlock, type ToolUseBlock } from "@agentscope-ts/message"
import { genAi, type Span, toolCallResult } from "@agentscope-ts/tracing"

/** Says in the trace how a call ended. `cause` is what went wrong, if anything did. */
export function endSpan(span: Span, toolUse: ToolUseBlock, result: ToolResultBlock, cause: unknown): void {
  span.add(genAi.toolCallId, toolUse.id)
  span.add(genAi.toolType, "function")
  if (span.takesContent) {
    span.add(genAi.toolCallArguments, toolUse.rawInput ?? JSON.stringify(toolUse.input))
    span.add(genAi.toolCallResult, toolCallResult(result))
  }
  if (result.state === "error") span.fail(cause ?? textOf(result))
  span.end()
}
