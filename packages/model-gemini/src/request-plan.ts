import { type ChatRequest, factsOf, jsonSchemaOf, type ToolSchema } from "@agentscope-ts/model"
import {
  bodyHead,
  checkToolChoice,
  extraFields,
  filledFields,
  type HeadRequest,
  objectIn,
  renamedFields,
  type RequestPlan,
  roomToAnswer,
  structuredTool,
  ToolsJson,
  wireJson,
} from "@agentscope-ts/model/wire"
import { geminiSchema, isGemini3 } from "./gemini-dialect.ts"
import { configNames, type GeminiParams } from "./gemini-options.ts"
import { thinkingConfig } from "./thinking-config.ts"

const toolsJson = new ToolsJson((tools) => ({
  functionDeclarations: tools.map(({ name, description, parameters }) => {
    return { name, description, parameters: geminiSchema(parameters) }
  }),
}))

/**
 * Plans a request. `system`: the texts of the system instruction as a JSON list. Before Gemini 3 a model cannot be held to a
 * schema while it has tools: then a further one gives the answer.
 */
export function planRequest(request: HeadRequest<GeminiParams>, model: string, system = "[]"): RequestPlan {
  const { tools = [], toolChoice, schema, params = {} } = request
  checkToolChoice(toolChoice, tools)
  const { generationConfig, toolConfig, ...extra } = extraFields(params, ["contents"])
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  const answerTool = json && tools.length > 0 && !isGemini3(model) ? structuredTool(json, tools) : undefined
  const warnings: [string, string][] = []
  const warn = (code: string, message: string) => warnings.push([code, message])
  const thinking = thinkingConfig(params.reasoning, model, (why) => warn("unsupported_param", why))
  const [asked, most, budget = 0] = [params.maxTokens, factsOf(model).maxOutputTokens, thinking?.thinkingBudget]
  const config = {
    ...renamedFields(params, configNames),
    ...(asked !== undefined && { maxOutputTokens: roomToAnswer({ model, budget, asked, usual: asked, most, warn }) }),
    thinkingConfig: filledFields({ ...thinking, ...params.thinkingConfig }),
    ...(json && !answerTool && { responseMimeType: "application/json", responseJsonSchema: json }),
    ...objectIn(generationConfig),
  }
  const calling = tools.length > 0 ? callingConfig(toolChoice, answerTool) : undefined
  const fields = {
    generationConfig: filledFields(config),
    toolConfig: filledFields({ functionCallingConfig: calling, ...objectIn(toolConfig) }),
    safetySettings: params.safetySettings,
    cachedContent: params.cachedContent,
    ...extra,
  }
  const declared = answerTool ? [...tools, answerTool] : tools
  const all = [...(declared.length > 0 ? [toolsJson.json(declared)] : []), ...(params.serverTools ?? []).map(wireJson)]
  const parts = (JSON.parse(system) as readonly string[]).map((text) => ({ text }))
  const ready = {
    systemInstruction: parts.length > 0 && !("systemInstruction" in extra) ? wireJson({ parts }) : "",
    tools: all.length > 0 && !("tools" in extra) ? `[${all.join(",")}]` : "",
  }
  return { head: bodyHead(fields, ready, "contents"), answerTool: answerTool?.name, warnings }
}

function callingConfig(choice: ChatRequest["toolChoice"], answerTool: ToolSchema | undefined): object | undefined {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] }
  if (answerTool) return { mode: "ANY", ...(choice === "none" && { allowedFunctionNames: [answerTool.name] }) }
  return choice && { mode: choice === "required" ? "ANY" : choice.toUpperCase() }
}
