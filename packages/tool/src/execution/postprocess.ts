import type { ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { resultOf } from "./ending.ts"
import { bounded, type Cut } from "./cut-output.ts"
import { keptOf, merged } from "./output.ts"

/**
 * Changes the result of a call before anybody sees it; `undefined` keeps it. It gets the whole output, not yet cut, also of
 * calls that failed or were interrupted. What a tool yields on the way passes through it too before it is shown, as a result
 * with `metadata.partial`: one that has to see everything first (a pattern that two yields may share) answers these with an empty
 * output. What it throws becomes an error result without the tool's output.
 */
export type Postprocess = (
  result: ToolResultBlock,
  toolUse: ToolUseBlock,
) => ToolResultBlock | undefined | Promise<ToolResultBlock | undefined>

/** A result that a postprocess made: within the limit, and under the id and name of its call. */
export function limitedResult(
  result: ToolResultBlock,
  toolUse: ToolUseBlock,
  limit: number,
): { readonly result: ToolResultBlock; readonly cut: Cut | undefined } {
  const kept = keptOf(result.structured, limit)
  const { state = "success", cut, ...output } = merged(bounded(result.output, limit), kept, result)
  return { result: resultOf(toolUse, { state, ...output }, undefined), cut }
}
