import type { JsonObject, JsonSchema, ToolUseBlock } from "@agentscope-ts/message"
import type { ToolChoice } from "../chat-request.ts"
import { ToolsJson } from "./tools-json.ts"

/** A tool call as most wires have it; `arguments` is JSON text, or the object itself. */
export interface FunctionCall<Arguments extends string | JsonObject = string> {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: Arguments }
}

/** A call with its arguments as JSON text. Those that did not parse are told as none, for a bad text would be refused. */
export function functionCall({ id, name, input }: ToolUseBlock): FunctionCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } }
}

/** Tools as most wires have them, `{ type: "function", function: { … } }`; `schemaOf` makes the parameters fit the wire. */
export function functionTools(schemaOf: (parameters: JsonSchema) => JsonSchema): ToolsJson {
  return new ToolsJson((tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters: schemaOf(parameters) },
    })),
  )
}

/** The choice of a tool as most wires have it. */
export function functionChoice(choice: ToolChoice | undefined): object | string | undefined {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice
}
