import type { JsonObject, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import type { AnyTool, InputOf, ResultOf } from "./definition.ts"

/**
 * Whether a call is one of this tool: types its `input`. The input is what the model sent, before validation; a call whose
 * arguments did not parse is none.
 */
export function isToolUse<T extends AnyTool>(
  block: ToolUseBlock,
  tool: T,
): block is ToolUseBlock<InputOf<T> & JsonObject> {
  return block.name === tool.name && block.rawInput === undefined
}

/** The value under `structured`; a text has none beside the output, which `textOf` reads. */
type Structured<Out> = [Out] extends [string] ? unknown : { readonly structured: Out }

/**
 * Whether a result is a success of this tool: types its `structured`. A tool that answers with text has no `structured`
 * (read the output with `textOf`), nor has a result whose value was too large to keep, which is no match.
 */
export function isToolResult<T extends AnyTool>(
  block: ToolResultBlock,
  tool: T,
): block is ToolResultBlock<ResultOf<T>> & { readonly state: "success" } & Structured<ResultOf<T>> {
  return block.name === tool.name && block.state === "success" && block.metadata?.["structuredOmitted"] !== true
}
