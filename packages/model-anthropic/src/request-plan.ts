import { type ChatRequest, grammarSchema, jsonSchemaOf, modelError, type ToolSchema } from "@agentscope-ts/model"
import {
  answerToolHint,
  checkToolChoice,
  type HeadRequest,
  type RequestPlan,
  structuredTool,
  ToolsJson,
  wireJson,
} from "@agentscope-ts/model/wire"
import { anthropicSchema } from "./anthropic-dialect.ts"
import type { AnthropicParams } from "./anthropic-options.ts"
import { samplingFields, type SettingsContext, stopField, thinkingPlan } from "./request-settings.ts"

/** What a request depends on beside itself. */
export interface PlanContext extends Omit<SettingsContext, "warn"> {
  readonly streaming: boolean
  /** The texts of the system messages at the head of the history. */
  readonly system: readonly string[]
  /** Whether the endpoint can mark the last message for its cache by itself. */
  readonly marksLast: boolean
}

/** The plan of a request to the Messages API. */
export interface AnthropicPlan extends RequestPlan {
  /** The head of a body whose tokens are to be counted. */
  readonly countHead: string
}

/** What counting takes of a request. */
const counted = ["model", "system", "thinking", "tool_choice", "output_config", "cache_control"]
const plainTools = new ToolsJson((tools) => tools.map((tool) => toolField(tool, false)))
const strictTools = new ToolsJson((tools) => tools.map((tool) => toolField(tool, true)))

/** Plans a request; throws `invalid_request` for settings that contradict each other. */
export function planRequest(request: HeadRequest<AnthropicParams>, context: PlanContext): AnthropicPlan {
  const { schema, params = {}, toolChoice, tools: given = [] } = request
  const { generation, model } = context
  const { serverTools = [], extraBody: extra = {}, cache = true } = params
  const warnings: [string, string][] = []
  const settings = { ...context, warn: (code: string, message: string) => void warnings.push([code, message]) }
  const isServers = serverTools.some(({ name }) => typeof toolChoice === "object" && name === toolChoice.name)
  if (!isServers) checkToolChoice(toolChoice, given)
  if ("messages" in extra) {
    const message = "params.extraBody cannot hold messages: they are the request's own."
    throw modelError({ code: "invalid_request", message })
  }
  const thinking = thinkingPlan(params, settings)
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  // citations and constrained answers exclude each other
  const format = json && generation.holdsSchemas && !params.citations ? grammarSchema(json) : undefined
  const answer = json && !format ? structuredTool(json, given) : undefined
  const tools = answer ? [...given, answer] : given
  const count = tools.length + serverTools.length
  const wanted = answer ? answerChoice(toolChoice, answer.name, count > 1) : toolChoice
  const isForced = thinking.on && (wanted === "required" || typeof wanted === "object")
  if (isForced) {
    const what = `${model} cannot be made to call a tool while it thinks`
    settings.warn("forced_tool_choice", `${what}: it is only told to. Look at what it did, or set reasoning to "off".`)
  }
  if (params.seed !== undefined) settings.warn("unsupported_param", "Anthropic knows no seed: it was left out.")
  const mark = cache === false ? undefined : { type: "ephemeral", ttl: cache === true ? undefined : cache.ttl }
  const hint = answer && (isForced || count > 1) ? answerToolHint(answer.name) : isForced ? toldTo(wanted) : undefined
  const effort = params.effort ?? thinking.effort
  const fields: Record<string, unknown> = {
    model,
    max_tokens: thinking.maxTokens,
    stream: context.streaming || undefined,
    thinking: thinking.field,
    ...samplingFields(params, thinking.on, settings),
    stop_sequences: stopField(params.stop, settings),
    service_tier: params.serviceTier,
    metadata: params.user === undefined ? undefined : { user_id: params.user },
    output_config: effort || format ? { effort, format: format && { type: "json_schema", schema: format } } : undefined,
    tool_choice: count > 0 ? choiceField(isForced ? "auto" : wanted, params.parallelToolCalls) : undefined,
    cache_control: context.marksLast ? mark : undefined,
    system: systemField(context.system, mark, hint),
    ...extra,
  }
  const toolsPart =
    count > 0 && !("tools" in extra) ? `,"tools":${toolsJson(tools, serverTools, generation.holdsSchemas, mark)}` : ""
  // a blank makes the heads differ: the documents of the history look another way with citations
  const headOf = (shown: object): string =>
    `${wireJson(shown).slice(0, -1)}${toolsPart},"messages":${params.citations ? " " : ""}[`
  const countHead = headOf(Object.fromEntries(Object.entries(fields).filter(([name]) => counted.includes(name))))
  return { head: headOf(fields), countHead, warnings, answerTool: answer?.name }
}

function systemField(texts: readonly string[], mark: object | undefined, hint: string | undefined) {
  const last = texts.length - 1
  const system = texts.map((text, i) => ({ type: "text", text, cache_control: i === last ? mark : undefined }))
  const all = hint === undefined ? system : [...system, { type: "text", text: hint }]
  return all.length > 0 ? all : undefined
}

function toolField({ name, description, parameters, strict }: ToolSchema, canHold: boolean): unknown {
  const held = strict && canHold ? grammarSchema(anthropicSchema(parameters)) : undefined
  return { name, description, input_schema: held ?? anthropicSchema(parameters), strict: held && strict }
}

function toolsJson(
  tools: readonly ToolSchema[],
  serverTools: readonly object[],
  canHold: boolean,
  mark: object | undefined,
): string {
  const own = tools.length > 0 ? [(canHold ? strictTools : plainTools).json(tools).slice(1, -1)] : []
  const all = [...own, ...serverTools.map(wireJson)].join(",")
  return `[${mark ? `${all.slice(0, -1)},"cache_control":${wireJson(mark)}}` : all}]`
}

type Choice = ChatRequest["toolChoice"]

/** An answer that is a tool's arguments has to be a call: of that tool, or of another one first. */
function answerChoice(choice: Choice, name: string, hasOthers: boolean): Choice {
  if (typeof choice === "object") return choice
  return hasOthers && choice !== "none" ? "required" : { name }
}

const toldTo = (choice: Choice): string =>
  `Answer by calling ${typeof choice === "object" ? `the tool "${choice.name}"` : "one of the tools"}, with nothing else before or after the call.`

function choiceField(choice: Choice, parallel: boolean | undefined): object | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : undefined
  if (choice === undefined) return single && { type: "auto", ...single }
  if (choice === "none") return { type: "none" }
  if (typeof choice === "object") return { type: "tool", name: choice.name, ...single }
  return { type: choice === "required" ? "any" : "auto", ...single }
}
