import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatParams, ToolChoice, ToolSchema } from "../chat-request.ts"
import { jsonSchemaOf } from "../schema/json-schema-of.ts"
import { checkToolChoice } from "../check-tool-choice.ts"
import { forcedInWords, isForced } from "./forced-choice.ts"
import { answerToolChoice, answerToolHint, type HeadRequest } from "./request-plans.ts"
import { structuredTool } from "./structured-tool.ts"

/** How a request asks for calls of tools and for its answer. */
export interface AnswerPlan {
  /** What the model may call: the request's tools, and one that takes the answer. */
  readonly tools: readonly ToolSchema[]
  readonly choice: ToolChoice | undefined
  /** The schema that the provider holds the answer to. */
  readonly format?: JsonSchema | undefined
  /** The tool whose arguments are the answer (`structuredTool`). */
  readonly answerTool?: string | undefined
  /** What the model has to be told in words. */
  readonly hint?: string | undefined
}

/** What a provider and a model can. */
export interface AnswerWays {
  /** A schema as the provider can hold answers to it; undefined where it cannot. */
  readonly held: (schema: JsonSchema) => JsonSchema | undefined
  /** Tools of the provider's own beside the request's. */
  readonly others?: readonly object[] | undefined
  /** Why the model cannot be made to call a tool; undefined where it can. */
  readonly unforced?: string | undefined
  readonly warn: (code: string, message: string) => void
}

/** Plans how the answer is asked for: held to its schema, or else as a tool's arguments. */
export function answerPlan(request: HeadRequest<ChatParams>, ways: AnswerWays): AnswerPlan {
  const { schema, toolChoice, tools: given = [] } = request
  const { held, others = [], unforced, warn } = ways
  checkToolChoice(toolChoice, [...given, ...others.filter(isNamed)])
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  const format = json && held(json)
  const answer = json && !format ? structuredTool(json, given) : undefined
  const tools = answer ? [...given, answer] : given
  const hasOthers = tools.length + others.length > 1
  const choice = answer ? answerToolChoice(toolChoice, answer.name, hasOthers) : toolChoice
  const told = unforced !== undefined && isForced(choice) ? forcedInWords(choice, unforced, warn) : undefined
  const hint = answer && (told !== undefined || hasOthers) ? answerToolHint(answer.name) : told
  return { tools, choice: told === undefined ? choice : "auto", format, answerTool: answer?.name, hint }
}

const isNamed = (tool: object): tool is { readonly name: string } => "name" in tool && typeof tool.name === "string"
