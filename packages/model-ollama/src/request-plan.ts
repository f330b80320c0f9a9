import { type ChatParams, inlineRefs } from "@agentscope-ts/model"
import {
  answerPlan,
  bodyHead,
  extraFields,
  functionTools,
  type HeadRequest,
  type PlanGiven,
  reasoningEffort,
  renamedFields,
  wireJson,
} from "@agentscope-ts/model/wire"
import { ollamaSchema } from "./ollama-dialect.ts"
import { type OllamaParams, optionNames } from "./ollama-options.ts"

const toolsJson = functionTools(ollamaSchema)

/** What a plan is made for. */
export interface PlanTarget extends Pick<PlanGiven, "streaming" | "warn"> {
  readonly model: string
}

/** Plans a request. A `format` holds all of an answer, so that where there are tools a further one gives the answer. */
export function planRequest(request: HeadRequest<OllamaParams>, { model, streaming, warn }: PlanTarget) {
  const { tools: given = [], toolChoice, params = {} } = request
  const extra = extraFields(params, ["messages"])
  const mode = given.length > 0 && toolChoice !== "none" ? "tool_in_words" : "json_schema"
  const unforced = "Ollama cannot make a model call a tool"
  const asked = answerPlan(request, { mode, held: inlineRefs, unforced, warn })
  const { answerTool, format, hint } = asked
  // there is no tool choice on this wire, but what is not offered is not called
  const isOffered = (name: string): boolean =>
    name === answerTool || (typeof toolChoice === "object" ? name === toolChoice.name : toolChoice !== "none")
  const tools = toolChoice === undefined ? asked.tools : asked.tools.filter(({ name }) => isOffered(name))
  const fields = {
    model,
    stream: streaming,
    think: params.think ?? thinkOf(params.reasoning, model, warn),
    format: format?.schema ?? params.format,
    keep_alive: params.keepAlive,
    options: optionFields(params),
    ...extra,
  }
  const withTools = tools.length > 0 && !("tools" in extra)
  return {
    head: bodyHead(fields, { tools: withTools ? toolsJson.json(tools) : "" }, "messages"),
    tail: hint === undefined ? undefined : `,${wireJson({ role: "user", content: hint })}]}`,
    answerTool,
  }
}

function thinkOf(reasoning: ChatParams["reasoning"], model: string, warn: PlanGiven["warn"]): OllamaParams["think"] {
  if (reasoning === undefined || reasoning === "off") return reasoning && false
  if (typeof reasoning === "object") {
    warn("unsupported_param", "Ollama knows no budget for thinking: the model thinks as long as it likes.")
  }
  // other models refuse a level
  return /gpt-oss/i.test(model) ? reasoningEffort(reasoning) : true
}

function optionFields(params: OllamaParams): Record<string, unknown> | undefined {
  const all = { ...renamedFields(params, optionNames), ...params.options }
  return Object.values(all).some((value) => value !== undefined) ? all : undefined
}
