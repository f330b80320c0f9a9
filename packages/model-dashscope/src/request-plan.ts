import { type ChatParams, jsonSchemaOf, strictSchema, type ToolChoice, type ToolSchema } from "@agentscope-ts/model"
import {
  answerToolHint,
  checkToolChoice,
  extraFields,
  functionTools,
  type HeadRequest,
  renamedFields,
  type RequestPlan,
  structuredTool,
  wireJson,
} from "@agentscope-ts/model/wire"
import { dashscopeSchema } from "./dashscope-dialect.ts"
import { type DashScopeParams, parameterNames } from "./dashscope-options.ts"

/** The plan of a request to DashScope. */
export interface DashScopePlan extends RequestPlan {
  readonly streams: boolean
  /** Whether the events of the stream are to have all there is so far. */
  readonly totals: boolean
}

const toolsJson = functionTools(dashscopeSchema)
/** The names of models that think unless they are told not to: the open ones of Qwen 3, all of 3.5 and later. */
const thinking = /^(?:qwq|qvq)|-thinking\b|^qwen3-\d+(?:\.\d+)?b(?!.*-instruct)|^qwen3\.\d/i
const budgets = { low: 2048, medium: 8192, high: undefined } as const

/** Plans a request. A model that thinks cannot be forced to call a tool and has no JSON mode. */
export function planRequest(request: HeadRequest<DashScopeParams>, model: string, streaming: boolean): DashScopePlan {
  const { tools = [], toolChoice, params = {} } = request
  const { parameters, ...top } = extraFields(params, ["messages", "input"])
  checkToolChoice(toolChoice, tools)
  const thinks = isThinking(model, params)
  const asked = askedFor(request, thinks)
  // a tool that may not be called is not to stand beside one that must be
  const offered = asked.tool ? [...(toolChoice === "none" ? [] : tools), asked.tool] : tools
  const choice = choiceOf(asked.choice ?? toolChoice, offered, thinks)
  // some of the models that think answer in no other way than by a stream
  const streams = streaming || (thinks && isOn(params.reasoning))
  const incremental = params.incrementalOutput ?? true
  const fields = {
    result_format: "message",
    ...(streams && { incremental_output: incremental }),
    ...paramFields(params),
    ...asked.fields,
    ...(offered.length > 0 && { parallel_tool_calls: params.parallelToolCalls, tool_choice: choice.field }),
    ...(parameters as object | undefined),
  }
  const withTools = offered.length > 0 && !("tools" in fields)
  const json = wireJson(fields)
  const parametersJson = withTools ? `${json.slice(0, -1)},"tools":${toolsJson.json(offered)}}` : json
  const start = wireJson({ model, ...top }).slice(0, -1)
  const hint = asked.hint === undefined ? "" : `,${wireJson({ role: "user", content: asked.hint })}`
  return {
    head: `${start},"parameters":${parametersJson},"input":{"messages":[`,
    tail: `${hint}]}}`,
    streams,
    totals: !incremental,
    answerTool: asked.tool?.name,
    warnings: choice.warnings,
  }
}

const isOn = (reasoning: ChatParams["reasoning"]): boolean => reasoning !== undefined && reasoning !== "off"

/** Whether the answer begins with thinking, as far as it can be known. */
function isThinking(model: string, { reasoning, extraBody }: DashScopeParams): boolean {
  const own = (extraBody?.["parameters"] as Record<string, unknown> | undefined)?.["enable_thinking"]
  if (typeof own === "boolean") return own
  return isOn(reasoning) || (reasoning === undefined && thinking.test(model))
}

function paramFields(params: DashScopeParams): Record<string, unknown> {
  const { reasoning } = params
  const fields = renamedFields(params, parameterNames)
  if (reasoning === undefined) return fields
  const budget =
    typeof reasoning === "object" ? reasoning.budgetTokens : reasoning === "off" ? undefined : budgets[reasoning]
  return { ...fields, enable_thinking: reasoning !== "off", thinking_budget: budget }
}

interface Asked {
  readonly fields?: Readonly<Record<string, unknown>>
  readonly tool?: ToolSchema
  readonly choice?: ToolChoice
  /** What is said behind the messages. */
  readonly hint?: string
}

/** How the answer of a schema is asked for. */
function askedFor(request: HeadRequest<DashScopeParams>, thinks: boolean): Asked {
  const { schema, tools = [], toolChoice, params = {} } = request
  if (schema === undefined) return {}
  const json = jsonSchemaOf(schema)
  const acts = tools.length > 0 && toolChoice !== "none"
  const way = params.structuredOutput ?? (thinks || acts || json.type !== "object" ? "tool" : "json_object")
  if (way === "json_object") {
    const hint = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(json)}`
    return { fields: { response_format: { type: "json_object" } }, hint }
  }
  if (way === "json_schema") {
    const { schema: held, strict } = strictSchema(json)
    const format = { type: "json_schema", json_schema: { name: "response", schema: held, strict } }
    return { fields: { response_format: format } }
  }
  const tool = structuredTool(json, tools)
  if (!acts && !thinks) return { tool, choice: { name: tool.name } }
  return {
    tool,
    hint: answerToolHint(tool.name),
    choice: toolChoice === "none" || toolChoice === undefined ? "auto" : toolChoice,
  }
}

/** There is no "any tool" on this wire, and no force on a model that thinks. */
function choiceOf(
  choice: ToolChoice | undefined,
  tools: readonly ToolSchema[],
  thinks: boolean,
): Pick<RequestPlan, "warnings"> & { readonly field: unknown } {
  if (choice === undefined || choice === "auto" || choice === "none") return { field: choice, warnings: [] }
  const name = typeof choice === "object" ? choice.name : tools.length === 1 ? tools[0]?.name : undefined
  if (name !== undefined && !thinks) return { field: { type: "function", function: { name } }, warnings: [] }
  const why = thinks
    ? "a model that thinks cannot be made to call a tool"
    : "there is no way to require any of several tools"
  const message = `DashScope was not told that a tool must be called, since ${why}: it may answer without.`
  return { field: tools.length > 0 ? "auto" : undefined, warnings: [["forced_tool_choice", message]] }
}
