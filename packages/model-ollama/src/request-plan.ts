import { type ChatParams, inlineRefs, jsonSchemaOf, type ToolSchema } from "@agentscope-ts/model"
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
import { ollamaSchema } from "./ollama-dialect.ts"
import { type OllamaParams, optionNames } from "./ollama-options.ts"

const toolsJson = functionTools(ollamaSchema)

/** Plans a request. A `format` holds all of an answer, so that where there are tools a further one gives the answer. */
export function planRequest(request: HeadRequest<OllamaParams>, model: string, streaming: boolean): RequestPlan {
  const { tools = [], toolChoice, schema, params = {} } = request
  const extra = extraFields(params, ["messages"])
  checkToolChoice(toolChoice, tools)
  const warnings: [code: string, message: string][] = []
  if (toolChoice === "required" || typeof toolChoice === "object") {
    const message = "Ollama cannot make a model call a tool: it was only offered what toolChoice names."
    warnings.push(["forced_tool_choice", message])
  }
  const offered = offeredTools(tools, toolChoice)
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  const answerTool = json && offered.length > 0 ? structuredTool(json, tools) : undefined
  const think = params.think ?? thinkOf(params.reasoning, model, warnings)
  const fields = {
    model,
    stream: streaming,
    think,
    format: json && !answerTool ? inlineRefs(json) : params.format,
    keep_alive: params.keepAlive,
    options: optionFields(params),
    ...extra,
  }
  const sent = answerTool ? [...offered, answerTool] : offered
  const withTools = sent.length > 0 && !("tools" in extra)
  const hint = answerTool && wireJson({ role: "user", content: answerToolHint(answerTool.name) })
  return {
    head: `${wireJson(fields).slice(0, -1)}${withTools ? `,"tools":${toolsJson.json(sent)}` : ""},"messages":[`,
    tail: hint ? `,${hint}]}` : undefined,
    answerTool: answerTool?.name,
    warnings,
  }
}

/** There is no tool choice on this wire, but what is not offered is not called. */
function offeredTools(
  tools: readonly ToolSchema[],
  choice: HeadRequest<OllamaParams>["toolChoice"],
): readonly ToolSchema[] {
  if (choice === "none") return []
  return typeof choice === "object" ? tools.filter(({ name }) => name === choice.name) : tools
}

function thinkOf(
  reasoning: ChatParams["reasoning"],
  model: string,
  warnings: [code: string, message: string][],
): OllamaParams["think"] {
  if (reasoning === undefined || reasoning === "off") return reasoning === "off" ? false : undefined
  // other models refuse a level
  const hasLevels = /gpt-oss/i.test(model)
  if (typeof reasoning === "string") return hasLevels ? reasoning : true
  const message = "Ollama knows no budget for thinking: the model thinks as long as it likes."
  warnings.push(["unsupported_param", message])
  const { budgetTokens } = reasoning
  return hasLevels ? (budgetTokens <= 2048 ? "low" : budgetTokens <= 8192 ? "medium" : "high") : true
}

function optionFields(params: OllamaParams): Record<string, unknown> | undefined {
  const all = { ...renamedFields(params, optionNames), ...params.options }
  return Object.values(all).some((value) => value !== undefined) ? all : undefined
}
