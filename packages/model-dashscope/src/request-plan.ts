import { type ChatParams, jsonSchemaOf } from "@agentscope-ts/model"
import {
  type AnswerPlan,
  answerPlan,
  extraFields,
  functionChoice,
  functionTools,
  type HeadRequest,
  type PlanGiven,
  renamedFields,
  type RequestPlan,
  responseFormat,
  wireJson,
} from "@agentscope-ts/model/wire"
import { dashscopeSchema } from "./dashscope-dialect.ts"
import { type DashScopeParams, parameterNames } from "./dashscope-options.ts"

/** The plan of a request to DashScope. */
export interface DashScopePlan extends Omit<RequestPlan, "warnings"> {
  readonly streams: boolean
  /** Whether the events of the stream are to have all there is so far. */
  readonly totals: boolean
}

const toolsJson = functionTools(dashscopeSchema)
/** The names of models that think unless they are told not to: the open ones of Qwen 3, all of 3.5 and later. */
const thinking = /^(?:qwq|qvq)|-thinking\b|^qwen3-\d+(?:\.\d+)?b(?!.*-instruct)|^qwen3\.\d/i
const budgets = { low: 2048, medium: 8192, high: undefined } as const

/** What a plan is made for. */
export interface PlanTarget extends Pick<PlanGiven, "streaming" | "warn"> {
  readonly model: string
}

/** Plans a request. A model that thinks cannot be forced to call a tool and has no JSON mode. */
export function planRequest(request: HeadRequest<DashScopeParams>, target: PlanTarget): DashScopePlan {
  const { params = {} } = request
  const { parameters, ...top } = extraFields(params, ["messages", "input"])
  const thinks = isThinking(target.model, params)
  const asked = askedFor(request, thinks, target)
  const { tools, answerTool } = asked
  const choice = asked.choice ?? (answerTool === undefined ? undefined : "auto")
  // some of the models that think answer in no other way than by a stream
  const streams = target.streaming || (thinks && isOn(params.reasoning))
  const incremental = params.incrementalOutput ?? true
  const calling = {
    parallel_tool_calls: params.parallelToolCalls,
    // there is no "any tool" on this wire
    tool_choice: functionChoice(choice === "required" ? tools[0] : choice),
  }
  const fields = {
    result_format: "message",
    ...(streams && { incremental_output: incremental }),
    ...paramFields(params),
    response_format: responseFormat(asked),
    ...(tools.length > 0 && calling),
    ...(parameters as object | undefined),
  }
  const withTools = tools.length > 0 && !("tools" in fields)
  const json = wireJson(fields)
  const parametersJson = withTools ? `${json.slice(0, -1)},"tools":${toolsJson.json(tools)}}` : json
  const start = wireJson({ model: target.model, ...top }).slice(0, -1)
  const hint = asked.hint === undefined ? "" : `,${wireJson({ role: "user", content: asked.hint })}`
  return {
    head: `${start},"parameters":${parametersJson},"input":{"messages":[`,
    tail: `${hint}]}}`,
    streams,
    totals: !incremental,
    answerTool,
    wrapped: asked.wrapped,
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

/** How calls and the answer of a schema are asked for. */
function askedFor(request: HeadRequest<DashScopeParams>, thinks: boolean, { model, warn }: PlanTarget): AnswerPlan {
  const { schema, tools: all = [], toolChoice, params = {} } = request
  const acts = all.length > 0 && toolChoice !== "none"
  const isObject = schema === undefined || jsonSchemaOf(schema).type === "object"
  const way = params.structuredOutput ?? (thinks || acts || !isObject ? "tool" : "json_object")
  const byTool = schema !== undefined && way === "tool"
  // a tool that may not be called is not to stand beside one that must be
  const tools = byTool && !acts ? [] : all
  const unforced = thinks
    ? `${model} thinks, and then cannot be made to call a tool`
    : toolChoice === "required" && (tools.length > 1 || byTool)
      ? "DashScope has no way to require any of several tools"
      : undefined
  const mode = way === "tool" && (acts || thinks) ? "tool_in_words" : way
  return answerPlan({ ...request, tools }, { mode, unforced, warn })
}
