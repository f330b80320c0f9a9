import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatParams, ToolChoice, ToolSchema } from "../chat-request.ts"
import { jsonSchemaOf } from "../schema/json-schema-of.ts"
import { strictSchema } from "../schema/strict-schema.ts"
import { answerToolChoice, type HeadRequest } from "./request-plans.ts"
import { hasObjectRoot, inValue, structuredTool } from "./structured-tool.ts"

/**
 * How an endpoint is asked for JSON of a shape: by the schema, by JSON mode and words, or by a tool that takes the answer;
 * `tool_in_words` where it may not be forced to call that.
 */
export type SchemaMode = "json_schema" | "json_object" | "tool" | "tool_in_words"

/** The format of an answer; OpenAI's Chat Completions nest what belongs to a schema. */
export type AnswerFormat =
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonSchema; readonly strict: boolean }
  | { readonly type: "json_object" }

/** What a request asks for, its schema turned into what the endpoint knows. */
export interface SchemaRequest {
  readonly tools: readonly ToolSchema[]
  readonly toolChoice?: ToolChoice | undefined
  readonly format?: AnswerFormat | undefined
  /** Whether the answer is asked for as the property `value` of an object; see `unwrappedSink`. */
  readonly wrapped?: boolean | undefined
  /** What is said to the model before everything else. */
  readonly instruction?: string | undefined
  /** The tool whose arguments are the answer; see `structuredSink`. */
  readonly answerTool?: string | undefined
}

/** How a request asks for an answer of its schema; without one it asks for what it says. */
export function schemaRequest<P extends ChatParams>(request: HeadRequest<P>, mode: SchemaMode): SchemaRequest {
  const { tools = [], toolChoice } = request
  const asked = { tools, toolChoice }
  if (request.schema === undefined) return asked
  const schema = jsonSchemaOf(request.schema)
  if (mode === "json_schema") {
    const wrapped = !hasObjectRoot(strictSchema(schema).schema)
    const { schema: said, strict } = strictSchema(wrapped ? inValue(schema) : schema)
    return { ...asked, format: { type: mode, name: nameOf(schema), schema: said, strict }, ...(wrapped && { wrapped }) }
  }
  if (mode === "json_object") {
    const wrapped = !hasObjectRoot(schema)
    const said = JSON.stringify(wrapped ? inValue(schema) : schema)
    const instruction = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${said}`
    return { ...asked, format: { type: mode }, instruction, ...(wrapped && { wrapped }) }
  }
  const tool = structuredTool(schema, tools)
  const byTool = { tools: [...tools, tool], answerTool: tool.name }
  if (mode === "tool") return { ...byTool, toolChoice: answerToolChoice(toolChoice, tool.name, tools.length > 0) }
  const instruction = `Give your answer by calling the tool ${tool.name}, and in no other way.`
  return { ...byTool, instruction, toolChoice: toolChoice === "auto" ? toolChoice : undefined }
}

function nameOf({ title }: JsonSchema): string {
  return (typeof title === "string" ? title.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64) : "") || "response"
}
