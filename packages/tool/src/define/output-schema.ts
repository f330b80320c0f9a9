import type { JsonSchema } from "@agentscope-ts/message"
import { jsonSchemaOf } from "@agentscope-ts/model"
import { type AnyTool, definitionOf } from "./definition.ts"

/**
 * The JSON Schema of a tool's value (a result's `structured`): what the tool says by `outputSchema`, or the `output` that it
 * was made with. `undefined` where nothing is said, or JSON Schema cannot say it.
 */
export function outputSchemaOf(tool: AnyTool): JsonSchema | undefined {
  if (tool.outputSchema) return tool.outputSchema
  const output = definitionOf(tool)?.output
  if (output === undefined) return undefined
  try {
    return jsonSchemaOf(output, `The output of the tool "${tool.name}"`)
  } catch {
    return undefined
  }
}
