import { type ChatRequest, grammarSchema, jsonSchemaOf, type ToolSchema } from "@agentscope-ts/model"
import {
  answerToolChoice,
  answerToolHint,
  bodyHead,
  checkToolChoice,
  extraFields,
  type HeadRequest,
  type RequestPlan,
  structuredTool,
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
const counted = ["model", "system", "thinking", "tool_choice", "tools", "output_config", "cache_control"]

/** Plans a request to the Messages API; throws `invalid_request` for settings that contradict each other. */
export function planRequest(request: HeadRequest<AnthropicParams>, context: PlanContext): AnthropicPlan {
  const { schema, params = {}, toolChoice, tools: given = [] } = request
  const { generation, model } = context
  const { serverTools = [], cache = true } = params
  const warnings: [string, string][] = []
  const settings = { ...context, warn: (code: string, message: string) => void warnings.push([code, message]) }
  const isServers = serverTools.some(({ name }) => typeof toolChoice === "object" && name === toolChoice.name)
  if (!isServers) checkToolChoice(toolChoice, given)
  const thinking = thinkingPlan(params, settings)
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  // citations and constrained answers exclude each other
  const format = json && generation.holdsSchemas && !params.citations ? grammarSchema(json) : undefined
  const answer = json && !format ? structuredTool(json, given) : undefined
  const ours = [...(answer ? [...given, answer] : given)].map((tool) => toolField(tool, generation.holdsSchemas))
  const tools: readonly object[] = [...ours, ...serverTools]
  const hasOthers = tools.length > 1
  const choice = answer ? answerToolChoice(toolChoice, answer.name, hasOthers) : toolChoice
  const isForced = thinking.on && (choice === "required" || typeof choice === "object")
  if (isForced) {
    const what = `${model} cannot be made to call a tool while it thinks`
    settings.warn("forced_tool_choice", `${what}: it is only told to. Look at what it did, or set reasoning to "off".`)
  }
  const mark = cache === false ? undefined : { type: "ephemeral", ttl: cache === true ? undefined : cache.ttl }
  const hint = answer && (isForced || hasOthers) ? answerToolHint(answer.name) : isForced ? toldTo(choice) : undefined
  const effort = params.effort ?? thinking.effort
  const fields = {
    model,
    max_tokens: thinking.maxTokens,
    stream: context.streaming || undefined,
    thinking: thinking.field,
    ...samplingFields(params, thinking.on, settings),
    stop_sequences: stopField(params.stop, settings),
    service_tier: params.serviceTier,
    metadata: params.user === undefined ? undefined : { user_id: params.user },
    output_config: effort || format ? { effort, format: format && { type: "json_schema", schema: format } } : undefined,
    tool_choice: tools.length > 0 ? choiceField(isForced ? "auto" : choice, params.parallelToolCalls) : undefined,
    cache_control: context.marksLast ? mark : undefined,
    system: marked(
      [...context.system.map(textField), ...(hint === undefined ? [] : [textField(hint)])],
      mark,
      context.system.length,
    ),
    tools: marked(tools, mark, tools.length),
    ...extraFields(params, ["messages"]),
  }
  const countFields = Object.fromEntries(Object.entries(fields).filter(([name]) => counted.includes(name)))
  const [head, countHead] = [bodyHead(fields, {}, "messages"), bodyHead(countFields, {}, "messages")]
  return { head, countHead, warnings, answerTool: answer?.name }
}

const textField = (text: string): object => ({ type: "text", text })

/** The list with the mark of the cache at the `count`th of its items; undefined where it is empty. */
function marked(items: readonly object[], mark: object | undefined, count: number): readonly object[] | undefined {
  if (items.length === 0) return undefined
  return items.map((item, i) => (i === count - 1 && mark ? { ...item, cache_control: mark } : item))
}

function toolField({ name, description, parameters, strict }: ToolSchema, canHold: boolean): object {
  const held = strict && canHold ? grammarSchema(anthropicSchema(parameters)) : undefined
  return { name, description, input_schema: held ?? anthropicSchema(parameters), strict: held && strict }
}

const toldTo = (choice: ChatRequest["toolChoice"]): string =>
  `Answer by calling ${typeof choice === "object" ? `the tool "${choice.name}"` : "one of the tools"}, with nothing else before or after the call.`

function choiceField(choice: ChatRequest["toolChoice"], parallel: boolean | undefined): object | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : undefined
  if (choice === undefined) return single && { type: "auto", ...single }
  if (choice === "none") return { type: "none" }
  if (typeof choice === "object") return { type: "tool", name: choice.name, ...single }
  return { type: choice === "required" ? "any" : "auto", ...single }
}
