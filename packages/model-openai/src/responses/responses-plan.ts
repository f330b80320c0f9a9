import type { ToolSchema } from "@agentscope-ts/model"
import {
  answerPlan,
  filledFields,
  type HeadRequest,
  objectIn,
  reasoned,
  snakeNames,
  takenFields,
  wireJson,
} from "@agentscope-ts/model/wire"
import type { OpenAIResponsesParams } from "../openai-options.ts"
import { commonFields, planOf, type PlanTarget, toolFields } from "../request-fields.ts"
import { effortOf } from "../vendor.ts"

type BuiltIn = NonNullable<OpenAIResponsesParams["builtInTools"]>[number]

/** The params that are fields as they are. */
const namedFields = {
  ...commonFields,
  maxTokens: "max_output_tokens",
  ...snakeNames("previousResponseId truncation metadata"),
}

/** The names of the params of the Responses API. */
export const responsesParamNames: readonly string[] = Object.keys(namedFields).concat(
  "store reasoningSummary builtInTools include extraBody".split(" "),
)

const unknownParams = Object.fromEntries(
  ["seed", "stop"].map((name) => [name, `the Responses API has no field for params.${name}`]),
)

/** Who gives reasoning in encrypted form when asked for it; others refuse to be asked, or show it. */
const encrypting = ["openai", "azure", "xai", "openrouter"]
/** Models that do not reason, and refuse the question. */
const unreasoning = /^(?:gpt-[34]|gpt-5(?:\.\d)?-chat|chatgpt-)/

/** What of a request to the Responses API stands around its input. */
export function responsesPlan(request: HeadRequest<OpenAIResponsesParams>, target: PlanTarget) {
  const { model, streaming, refusals, facts, warn } = target
  const params = reasoned(request.params ?? {}, facts, model, warn)
  const { builtInTools: builtIn = [], extraBody: { text: extraText, ...extraBody } = {} } = params
  // a tool of the provider's own may be chosen by its type
  const others = builtIn.map((tool) => ({ name: tool.type, ...tool }))
  const asked = answerPlan(request, { mode: refusals.mode, others, unforced: refusals.unforced, warn })
  const { choice, format, jsonMode } = asked
  const tools = [...functionsOf(asked.tools, builtIn), ...builtIn]
  const form = format ? { type: "json_schema", ...format } : jsonMode ? { type: "json_object" } : undefined
  const fields = {
    model,
    ...(streaming && { stream: true }),
    ...paramFields(params, target),
    tool_choice: typeof choice === "object" ? chosen(choice.name, builtIn) : choice,
    text: filledFields({ format: form, ...objectIn<object>(extraText) }),
  }
  const json = tools.length > 0 ? wireJson(tools) : ""
  return planOf({ asked, fields, extraBody, tools: json, list: "input" }, target)
}

function paramFields(params: OpenAIResponsesParams, target: PlanTarget): Readonly<Record<string, unknown>> {
  const { reasoning, reasoningSummary: summary, store = false } = params
  const include = new Set([...includedOf(target, store), ...(params.include ?? [])])
  return {
    ...takenFields(params, { ...namedFields, ...snakeNames("seed stop") }, unknownParams, target.warn),
    store,
    include: include.size > 0 ? [...include] : undefined,
    reasoning: filledFields({ effort: reasoning && effortOf(reasoning), summary }),
  }
}

function includedOf({ provider, model }: PlanTarget, store: boolean): readonly string[] {
  return store || !encrypting.includes(provider) || unreasoning.test(model) ? [] : ["reasoning.encrypted_content"]
}

/** Functions are strict here unless they say that they are not. A custom tool of the same name stands in a tool's place. */
function functionsOf(tools: readonly ToolSchema[], builtIn: readonly BuiltIn[]): readonly object[] {
  return tools
    .filter(({ name }) => !builtIn.some((tool) => tool.type === "custom" && tool["name"] === name))
    .map((tool) => ({ type: "function", ...toolFields(tool) }))
}

/** The choice of a tool: a function, a custom tool, or one of the provider's own, which has no name. */
function chosen(name: string, builtIn: readonly BuiltIn[]): object {
  const own = builtIn.find((tool) => (tool["name"] ?? tool.type) === name)
  return own && !("name" in own) ? { type: own.type } : { type: own?.type ?? "function", name }
}
