import { type ToolSchema, validatorOf } from "@agentscope-ts/model"
import { type AnyTool, definitionKey, type ToolDefinition } from "./definition.ts"
import { toolError } from "../error.ts"
import { parametersOf } from "./parameters.ts"
import { checkForeignName } from "./tool.ts"

/** A tool of which only the schema is known: a call waits for a result from outside. Its name is somebody else's. */
export function externalTool(schema: ToolSchema): AnyTool {
  const { name, description = "", strict, parameters: given } = Object(schema) as ToolSchema
  checkForeignName(name)
  if (typeof description !== "string" || typeof given !== "object") {
    throw toolError("invalid_schema", `The schema of the tool "${name}" has to be { name, description, parameters }.`)
  }
  const parameters = parametersOf(name, schema.parameters)
  const definition: ToolDefinition = { validate: validatorOf(schema.parameters) }
  const tool = { name, description, schema: { ...schema, parameters }, external: true, [definitionKey]: definition }
  return strict === undefined ? tool : { ...tool, strict }
}
