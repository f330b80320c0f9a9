import type { JsonObject, JsonSchema } from "@agentscope-ts/message"
import { type Validate, validatorOf } from "@agentscope-ts/model"
import type { ToolContext } from "../context.ts"
import { toolError } from "../error.ts"
import { invalidInput } from "../execution/invalid-input.ts"
import { definitionKey, type Tool, type ToolDefinition, type ToolHints } from "./definition.ts"

/** The options of {@link remoteTool}. */
export interface RemoteToolConfig<Out> extends ToolHints {
  readonly name: string
  readonly description: string
  /** The JSON Schema of the input, which models are told as it is. */
  readonly parameters: JsonSchema
  /** Checks an input; by `parameters` unless given. */
  readonly validate?: Validate | undefined
  readonly execute: (input: JsonObject, ctx: ToolContext | undefined) => Promise<Out>
}

/**
 * A tool that somebody else describes, such as an MCP server: its name and schema are taken word for word, and not held to
 * what an author of tools is held to. `run` validates the input (`invalid_input`) and resolves with what `execute` answers,
 * a `toolResponse` included, whole.
 */
export function remoteTool<Out>(config: RemoteToolConfig<Out>): Tool<JsonObject, Out> {
  const { name, description, parameters, validate = validatorOf(parameters), execute, ...hints } = config
  const definition: ToolDefinition = { validate, execute: (input, ctx) => execute(input as JsonObject, ctx) }
  const made = {
    ...hints,
    name,
    description,
    schema: {
      name,
      description,
      parameters,
      ...(hints.strict !== undefined && { strict: hints.strict }),
    },
    external: false,
    [definitionKey]: definition,
    run: async (input: JsonObject, ctx?: ToolContext): Promise<Out> => {
      const checked = validate(input)
      if (!checked.ok) throw toolError("invalid_input", invalidInput(name, checked.issues))
      return execute(checked.value as JsonObject, ctx)
    },
  }
  return made
}
