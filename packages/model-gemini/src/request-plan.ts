import { type ChatRequest, jsonSchemaOf, modelError, type ToolSchema } from "@agentscope-ts/model"
import {
  checkToolChoice,
  type HeadRequest,
  objectIn,
  renamedFields,
  type RequestPlan,
  structuredTool,
  ToolsJson,
  wireJson,
} from "@agentscope-ts/model/wire"
import { geminiSchema, isGemini3 } from "./gemini-dialect.ts"
import { configNames, type GeminiParams } from "./gemini-options.ts"
import { thinkingOf } from "./thinking-config.ts"

type Json = Record<string, unknown>

const toolsJson = new ToolsJson((tools) =>
  tools.map(({ name, description, parameters }) => ({ name, description, parameters: geminiSchema(parameters) })),
)

/**
 * Plans a request. `system`: the system instruction's JSON. Before Gemini 3 a model cannot be held to a schema while it has
 * tools: then a further one gives the answer.
 */
export function planRequest(request: HeadRequest<GeminiParams>, model: string, system: string): RequestPlan {
  const { tools = [], toolChoice, schema, params = {} } = request
  checkToolChoice(toolChoice, tools)
  const { generationConfig, toolConfig, ...extra } = params.extraBody ?? {}
  if ("contents" in extra) {
    const message = "params.extraBody cannot hold contents: they are the request's own."
    throw modelError({ code: "invalid_request", message })
  }
  const json = schema === undefined ? undefined : jsonSchemaOf(schema)
  const answerTool = json && tools.length > 0 && !isGemini3(model) ? structuredTool(json, tools) : undefined
  const thinking = thinkingOf(params.reasoning, model)
  const config = defined({
    ...renamedFields(params, configNames),
    stopSequences: params.stop && params.stop.length > 0 ? params.stop : undefined,
    thinkingConfig: defined({ ...thinking.config, ...params.thinkingConfig }),
    ...(json && !answerTool && { responseMimeType: "application/json", responseJsonSchema: json }),
    ...objectIn<Json>(generationConfig),
  })
  const calling = tools.length > 0 ? callingConfig(toolChoice, answerTool) : undefined
  const fields = defined({
    generationConfig: config,
    toolConfig: defined({ functionCallingConfig: calling, ...objectIn<Json>(toolConfig) }),
    safetySettings: params.safetySettings,
    cachedContent: params.cachedContent,
    ...extra,
  })
  const declared = answerTool ? [...tools, answerTool] : tools
  const all = [
    ...(declared.length > 0 ? [`{"functionDeclarations":${toolsJson.json(declared)}}`] : []),
    ...(params.serverTools ?? []).map(wireJson),
  ]
  const members = [
    system === "" || "systemInstruction" in extra ? "" : `"systemInstruction":${system}`,
    fields === undefined ? "" : wireJson(fields).slice(1, -1),
    all.length === 0 || "tools" in extra ? "" : `"tools":[${all.join(",")}]`,
    `"contents":[`,
  ]
  return {
    head: `{${members.filter((member) => member !== "").join(",")}`,
    answerTool: answerTool?.name,
    warnings: thinking.warning === undefined ? [] : [["unsupported_param", thinking.warning]],
  }
}

function callingConfig(choice: ChatRequest["toolChoice"], answerTool: ToolSchema | undefined): Json | undefined {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] }
  if (answerTool) return { mode: "ANY", ...(choice === "none" && { allowedFunctionNames: [answerTool.name] }) }
  return choice && { mode: choice === "required" ? "ANY" : choice.toUpperCase() }
}

/** Without the absent members; undefined when none is left. */
function defined(value: Json): Json | undefined {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
