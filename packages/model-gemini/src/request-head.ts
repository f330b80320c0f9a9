import { type ChatRequest, jsonSchemaOf, modelError, type ToolSchema } from "@agentscope-ts/model"
import {
  checkToolChoice,
  type HeadRequest,
  objectIn,
  structuredTool,
  ToolsJson,
  wireJson,
} from "@agentscope-ts/model/wire"
import { isGemini3 } from "./gemini-dialect.ts"
import type { GeminiParams } from "./gemini-options.ts"
import { geminiSchema } from "./gemini-schema.ts"
import { thinkingOf } from "./thinking-config.ts"

type Json = Record<string, unknown>
type Head = HeadRequest<GeminiParams>

const toolsJson = new ToolsJson((tools) => tools.map(declarationOf))

/** The tool whose call is the answer, where a model cannot be held to a schema while it has tools: before Gemini 3. */
export function answerTool({ schema, tools = [] }: Head, model: string): ToolSchema | undefined {
  if (schema === undefined || tools.length === 0 || isGemini3(model)) return undefined
  return structuredTool(jsonSchemaOf(schema), tools)
}

/** The beginning of a request's body, up to the opening bracket of its contents. `system`: the system instruction's JSON. */
export function requestHead(request: Head, model: string, system: string): string {
  const { tools = [], toolChoice, params = {} } = request
  checkToolChoice(toolChoice, tools)
  const { generationConfig, toolConfig, ...extra } = params.extraBody ?? {}
  if ("contents" in extra) {
    const message = "params.extraBody cannot hold contents: they are the request's own."
    throw modelError({ code: "invalid_request", message })
  }
  const answer = answerTool(request, model)
  const calling = tools.length > 0 ? callingConfig(toolChoice, answer) : undefined
  const generation = defined({ ...generationFields(request, model, answer), ...objectIn<Json>(generationConfig) })
  const fields = defined({
    generationConfig: generation,
    toolConfig: defined({ functionCallingConfig: calling, ...objectIn<Json>(toolConfig) }),
    safetySettings: params.safetySettings,
    cachedContent: params.cachedContent,
    ...extra,
  })
  const own = answer ? [...tools, answer] : tools
  const declared = answer ? wireJson(own.map(declarationOf)) : toolsJson.json(tools)
  const served = (params.serverTools ?? []).map(wireJson)
  const all = own.length > 0 ? [`{"functionDeclarations":${declared}}`, ...served] : served
  const members = [
    system === "" || "systemInstruction" in extra ? "" : `"systemInstruction":${system}`,
    fields === undefined ? "" : wireJson(fields).slice(1, -1),
    all.length === 0 || "tools" in extra ? "" : `"tools":[${all.join(",")}]`,
    `"contents":[`,
  ]
  return `{${members.filter((member) => member !== "").join(",")}`
}

function generationFields({ schema, params = {} }: Head, model: string, answer: ToolSchema | undefined): Json {
  const { stop, thinkingConfig } = params
  return {
    temperature: params.temperature,
    topP: params.topP,
    topK: params.topK,
    maxOutputTokens: params.maxTokens,
    stopSequences: stop && stop.length > 0 ? stop : undefined,
    seed: params.seed,
    presencePenalty: params.presencePenalty,
    frequencyPenalty: params.frequencyPenalty,
    responseModalities: params.responseModalities,
    thinkingConfig: defined({ ...thinkingOf(params.reasoning, model).config, ...thinkingConfig }),
    ...(schema !== undefined && !answer && structuredFields(schema)),
  }
}

const structuredFields = (schema: NonNullable<Head["schema"]>): Json => ({
  responseMimeType: "application/json",
  responseJsonSchema: jsonSchemaOf(schema),
})

function callingConfig(choice: ChatRequest["toolChoice"], answer: ToolSchema | undefined): Json | undefined {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] }
  if (answer) return { mode: "ANY", ...(choice === "none" && { allowedFunctionNames: [answer.name] }) }
  return choice && { mode: choice === "required" ? "ANY" : choice.toUpperCase() }
}

function declarationOf({ name, description, parameters }: ToolSchema): Json {
  return { name, description, parameters: geminiSchema(parameters) }
}

/** Without the absent members; undefined when none is left. */
function defined(value: Json): Json | undefined {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
