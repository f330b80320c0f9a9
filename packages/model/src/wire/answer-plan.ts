import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatParams, ToolChoice, ToolSchema } from "../chat-request.ts"
import { checkToolChoice } from "../check-tool-choice.ts"
import { jsonSchemaOf } from "../schema/json-schema-of.ts"
import { strictSchema } from "../schema/strict-schema.ts"
import { forcedInWords, isForced } from "./forced-choice.ts"
import type { HeadRequest } from "./request-plans.ts"
import { hasObjectRoot, inValue, structuredTool } from "./structured-tool.ts"

/**
 * How an endpoint is asked for JSON of a shape: by the schema, by JSON mode and words, or by a tool that takes the answer;
 * `tool_in_words` where it may not be forced to call that.
 */
export type SchemaMode = "json_schema" | "json_object" | "tool" | "tool_in_words"

/** The schema that the provider holds the answer to. */
export interface AnswerFormat {
  readonly name: string
  readonly schema: JsonSchema
  /** Whether it is said in OpenAI's strict form. */
  readonly strict: boolean
}

/** How a request asks for calls of tools and for its answer. */
export interface AnswerPlan {
  /** What the model may call: the request's tools, and one that takes the answer. */
  readonly tools: readonly ToolSchema[]
  readonly choice: ToolChoice | undefined
  readonly format?: AnswerFormat | undefined
  /** Whether the answer is any JSON for the provider: its schema is in the hint. */
  readonly jsonMode?: boolean | undefined
  /** Whether the answer is asked for as the property `value` of an object; see `unwrappedSink`. */
  readonly wrapped?: boolean | undefined
  /** The tool whose arguments are the answer; see `structuredSink`. */
  readonly answerTool?: string | undefined
  /** What the model has to be told in words. */
  readonly hint?: string | undefined
}

/** What a provider and a model can. */
export interface AnswerWays {
  /** Default `json_schema`. */
  readonly mode?: SchemaMode | undefined
  /**
   * A schema as the provider can hold answers to it; undefined where it cannot, and a tool takes the answer. Default: OpenAI's
   * strict form where it can be said so, with an object at its root in any case.
   */
  readonly held?: ((schema: JsonSchema) => JsonSchema | undefined) | undefined
  /** Tools of the provider's own beside the request's. */
  readonly others?: readonly object[] | undefined
  /** Why the model cannot be made to call a tool; undefined where it can. */
  readonly unforced?: string | undefined
  readonly warn: (code: string, message: string) => void
}

type Asked = Pick<AnswerPlan, "format" | "jsonMode" | "wrapped" | "hint">

/** Plans how the answer is asked for: held to its schema, in JSON mode, or as a tool's arguments. */
export function answerPlan(request: HeadRequest<ChatParams>, ways: AnswerWays): AnswerPlan {
  const { schema, toolChoice, tools: given = [] } = request
  const { mode = "json_schema", others = [], unforced, warn } = ways
  checkToolChoice(toolChoice, [...given, ...others.filter(isNamed)])
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  const asked = json && askedFor(json, mode, ways.held)
  const answer = json && !asked ? structuredTool(json, given) : undefined
  const tools = answer ? [...given, answer] : given
  const count = tools.length + others.length
  const choice = answer ? answerChoice(toolChoice, answer.name, count > 1, mode) : toolChoice
  const cannot = count > 0 && isForced(choice) ? unforced : undefined
  const told = cannot !== undefined && isForced(choice) ? forcedInWords(choice, cannot, warn) : undefined
  const inWords = told !== undefined || count > 1 || mode === "tool_in_words"
  const toolHint = answer && inWords ? answerToolHint(answer.name) : told
  const hints = [asked?.hint, toolHint].filter((hint) => hint !== undefined)
  return {
    ...asked,
    tools,
    choice: told === undefined ? choice : "auto",
    answerTool: answer?.name,
    hint: hints.length > 0 ? hints.join("\n") : undefined,
  }
}

/** The answer's format as Chat Completions and those like it have it; undefined where it is free. */
export function responseFormat({ format, jsonMode }: AnswerPlan): object | undefined {
  if (format) return { type: "json_schema", json_schema: format }
  return jsonMode ? { type: "json_object" } : undefined
}

function askedFor(json: JsonSchema, mode: SchemaMode, held: AnswerWays["held"]): Asked | undefined {
  if (mode === "json_object") {
    const wrapped = !hasObjectRoot(json)
    const said = JSON.stringify(wrapped ? inValue(json) : json)
    const hint = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${said}`
    return { jsonMode: true, wrapped, hint }
  }
  if (mode !== "json_schema") return undefined
  const name = nameOf(json)
  if (held) {
    const schema = held(json)
    return schema && { format: { name, schema, strict: false } }
  }
  const wrapped = !hasObjectRoot(strictSchema(json).schema)
  const { schema, strict } = strictSchema(wrapped ? inValue(json) : json)
  return { format: { name, schema, strict }, wrapped }
}

/** The choice that makes a model answer by a tool: by a call of it, or of one of the others first. */
function answerChoice(
  choice: ToolChoice | undefined,
  name: string,
  hasOthers: boolean,
  mode: SchemaMode,
): ToolChoice | undefined {
  if (mode === "tool_in_words") return choice === "none" ? undefined : choice
  if (typeof choice === "object") return choice
  return hasOthers && choice !== "none" ? "required" : { name }
}

/** What a model is told that has other tools too, or cannot be made to call the one that gives the answer. */
const answerToolHint = (name: string): string =>
  `When you have the answer, give it by calling the tool "${name}", not as text.`

function nameOf({ title }: JsonSchema): string {
  return (typeof title === "string" ? title.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64) : "") || "response"
}

const isNamed = (tool: object): tool is { readonly name: string } => "name" in tool && typeof tool.name === "string"
