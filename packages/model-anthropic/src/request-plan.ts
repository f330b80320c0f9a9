import { type ChatRequest, grammarSchema, jsonSchemaOf, modelError, type ToolSchema } from "@agentscope-ts/model"
import { checkToolChoice, type HeadRequest, structuredTool, ToolsJson, wireJson } from "@agentscope-ts/model/wire"
import { anthropicSchema } from "./anthropic-dialect.ts"
import type { AnthropicParams } from "./anthropic-options.ts"
import { samplingFields, type SettingsContext, thinkingPlan } from "./request-settings.ts"

/** What a request depends on beside itself. */
export interface PlanContext extends Omit<SettingsContext, "warn"> {
  readonly streaming: boolean
  /** The texts of the system messages at the head of the history. */
  readonly system: readonly string[]
  /** Whether the endpoint can mark the last message for its cache by itself. */
  readonly marksLast: boolean
}

/** A request but for its messages. */
export interface RequestPlan {
  /** The beginning of the body, up to the opening bracket of the messages. */
  readonly head: string
  /** The same for a body whose tokens are to be counted. */
  readonly countHead: string
  readonly warnings: readonly (readonly [code: string, message: string])[]
  /** The tool whose arguments are the answer. */
  readonly answerTool?: string | undefined
}

/** What counting takes of a request. */
const counted = ["model", "system", "thinking", "tool_choice", "output_config", "cache_control"]
const plainTools = new ToolsJson((tools) => tools.map((tool) => toolField(tool, false)))
const strictTools = new ToolsJson((tools) => tools.map((tool) => toolField(tool, true)))

/** Plans a request; throws `invalid_request` for settings that contradict each other. */
export function planRequest(request: HeadRequest<AnthropicParams>, context: PlanContext): RequestPlan {
  const { schema, params = {}, toolChoice } = request
  const { generation, model } = context
  const warnings: (readonly [string, string])[] = []
  const warn = (code: string, message: string): void => void warnings.push([code, message])
  const settings = { ...context, warn }
  const { tools: given = [] } = request
  const { serverTools = [], extraBody: extra = {}, cache = true } = params
  if (!serverTools.some(({ name }) => typeof toolChoice === "object" && name === toolChoice.name)) {
    checkToolChoice(toolChoice, given)
  }
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
  const wanted = answer ? answerChoice(toolChoice, answer.name, tools.length + serverTools.length > 1) : toolChoice
  const forced = wanted === "required" || typeof wanted === "object"
  const instructed = forced && thinking.on ? instructionFor(wanted) : undefined
  if (instructed !== undefined) {
    const message = `${model} cannot be made to call a tool while it thinks: it is only told to, so look at what it did, or set reasoning to "off".`
    warn("forced_tool_choice", message)
  }
  const mark = cache === false ? undefined : cacheMark(cache)
  const texts = instructed === undefined ? context.system : [...context.system, instructed]
  const system = texts.map((text, i) => ({
    type: "text",
    text,
    ...(mark && i === context.system.length - 1 && { cache_control: mark }),
  }))
  const outputConfig = {
    ...((params.effort ?? thinking.effort) !== undefined && { effort: params.effort ?? thinking.effort }),
    ...(format && { format: { type: "json_schema", schema: format } }),
  }
  if (params.seed !== undefined) warn("unsupported_param", "Anthropic knows no seed: it was left out.")
  const hasTools = tools.length + serverTools.length > 0
  const fields: Record<string, unknown> = {
    model,
    max_tokens: thinking.maxTokens,
    ...(context.streaming && { stream: true }),
    ...(thinking.field && { thinking: thinking.field }),
    ...samplingFields(params, thinking.on, settings),
    ...(params.stop && params.stop.length > 0 && { stop_sequences: params.stop }),
    ...(params.serviceTier !== undefined && { service_tier: params.serviceTier }),
    ...(params.user !== undefined && { metadata: { user_id: params.user } }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(hasTools && { tool_choice: choiceField(instructed === undefined ? wanted : "auto", params.parallelToolCalls) }),
    ...(mark && context.marksLast && { cache_control: mark }),
    ...(system.length > 0 && { system }),
    ...extra,
  }
  const own = hasTools && !("tools" in extra) ? toolsJson(tools, serverTools, generation.holdsSchemas, mark) : undefined
  const headOf = (shown: Record<string, unknown>): string => {
    const start = `${wireJson(shown).slice(0, -1)}${own === undefined ? "" : `,"tools":${own}`}`
    // a blank makes the heads differ: the documents of the history look another way with citations
    return `${start},"messages":${params.citations ? " " : ""}[`
  }
  const countable = Object.entries(fields).filter(([name]) => counted.includes(name))
  const countHead = headOf(Object.fromEntries(countable))
  return { head: headOf(fields), countHead, warnings, answerTool: answer?.name }
}

function toolField({ name, description, parameters, strict }: ToolSchema, canHold: boolean): unknown {
  const held = strict && canHold ? grammarSchema(anthropicSchema(parameters)) : undefined
  return { name, description, input_schema: held ?? anthropicSchema(parameters), ...(held && { strict }) }
}

function toolsJson(
  tools: readonly ToolSchema[],
  serverTools: readonly object[],
  canHold: boolean,
  mark: object | undefined,
): string {
  const json = tools.length > 0 ? (canHold ? strictTools : plainTools).json(tools).slice(1, -1) : ""
  const all = [json, ...serverTools.map(wireJson)].filter((part) => part !== "").join(",")
  return `[${mark ? `${all.slice(0, -1)},"cache_control":${wireJson(mark)}}` : all}]`
}

const cacheMark = (cache: NonNullable<AnthropicParams["cache"]>): object => ({
  type: "ephemeral",
  ...(typeof cache === "object" && cache.ttl !== undefined && { ttl: cache.ttl }),
})

type Choice = ChatRequest["toolChoice"]

/** An answer that is a tool's arguments has to be a call: of that tool, or of another one first. */
function answerChoice(choice: Choice, name: string, hasOthers: boolean): Choice {
  if (typeof choice === "object") return choice
  return hasOthers && choice !== "none" ? "required" : { name }
}

const instructionFor = (choice: Choice): string =>
  typeof choice === "object"
    ? `Answer by calling the tool "${choice.name}", with nothing else before or after the call.`
    : "Answer by calling one of the tools, with nothing else before or after the call."

function choiceField(choice: Choice, parallel: boolean | undefined): object | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : undefined
  if (choice === undefined) return single && { type: "auto", ...single }
  if (choice === "none") return { type: "none" }
  if (typeof choice === "object") return { type: "tool", name: choice.name, ...single }
  return { type: choice === "required" ? "any" : "auto", ...single }
}
