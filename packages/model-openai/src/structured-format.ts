import type { JsonSchema } from "@agentscope-ts/message"
import { type ChatRequest, strictSchema, type ToolSchema } from "@agentscope-ts/model"
import { structuredTool } from "@agentscope-ts/model/wire"

/**
 * How an endpoint is asked for JSON of a shape: by the schema, by JSON mode and words, or by a tool that takes the answer;
 * `tool_in_words` where it may not be forced to call that.
 */
export type SchemaMode = "json_schema" | "json_object" | "tool" | "tool_in_words"

/** The modes from the best to the one that asks least of an endpoint. */
export const schemaModes: readonly SchemaMode[] = ["json_schema", "json_object", "tool", "tool_in_words"]

/** The format of an answer, as the Responses API has it; Chat Completions nests what belongs to a schema. */
export type AnswerFormat =
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonSchema; readonly strict: boolean }
  | { readonly type: "json_object" }

/** What a request for JSON of a shape has beside or instead of what it would have without. */
export interface SchemaRequest {
  readonly format?: AnswerFormat
  /** What is said to the model before everything else. */
  readonly instruction?: string
  readonly tools?: readonly ToolSchema[]
  readonly toolChoice?: ChatRequest["toolChoice"]
}

/** What of a request the structured answer depends on. */
type Asking = Pick<ChatRequest, "tools" | "toolChoice">

/** How a request asks for an answer of the schema. */
export function schemaRequest(schema: JsonSchema, mode: SchemaMode, { tools = [], toolChoice }: Asking): SchemaRequest {
  if (mode === "json_schema") return { format: { type: mode, name: nameOf(schema), ...strictly(schema) } }
  if (mode === "json_object") {
    const instruction = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
    return { format: { type: mode }, instruction }
  }
  const tool = structuredTool(schema, tools)
  const instruction = `Give your answer by calling the tool ${tool.name}, and in no other way.`
  const all = { tools: [...tools, tool] }
  if (mode === "tool_in_words") return { ...all, instruction, ...(toolChoice === "auto" && { toolChoice }) }
  const free = tools.length > 0 && toolChoice !== "none"
  const forced = typeof toolChoice === "object" ? toolChoice : free ? "required" : { name: tool.name }
  return { ...all, toolChoice: forced }
}

function strictly(json: JsonSchema): { readonly schema: JsonSchema; readonly strict: boolean } {
  const { schema, strict } = strictSchema(json)
  return { schema, strict }
}

function nameOf({ title }: JsonSchema): string {
  return (typeof title === "string" ? title.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64) : "") || "response"
}
