import { factsOf, type ToolChoice } from "@agentscope-ts/model"
import {
  answerPlan,
  bodyHead,
  extraFields,
  filledFields,
  type HeadRequest,
  objectIn,
  type PlanGiven,
  renamedFields,
  roomToAnswer,
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

/** What a plan is made for; `extra` has the texts of the system instruction as a JSON list. */
export interface PlanTarget extends Pick<PlanGiven, "extra" | "warn"> {
  readonly model: string
}

/** Plans a request. Before Gemini 3 a model cannot be held to a schema while it has tools: then a further one gives the answer. */
export function planRequest(request: HeadRequest<GeminiParams>, { model, extra: system, warn }: PlanTarget) {
  const { tools: given = [], params = {} } = request
  const { generationConfig, toolConfig, ...extra } = extraFields(params, ["contents"])
  const canHold = given.length === 0 || isGemini3(model)
  const { tools, choice, format, answerTool } = answerPlan(request, {
    held: (schema) => (canHold ? schema : undefined),
    warn,
  })
  const thinking = thinkingConfig(params.reasoning, model, (why) => warn("unsupported_param", why))
  const [asked, most, budget = 0] = [params.maxTokens, factsOf(model).maxOutputTokens, thinking?.thinkingBudget]
  const config = {
    ...renamedFields(params, configNames),
    ...(asked !== undefined && { maxOutputTokens: roomToAnswer({ model, budget, asked, usual: asked, most, warn }) }),
    thinkingConfig: filledFields({ ...thinking, ...params.thinkingConfig }),
    ...(format && { responseMimeType: "application/json", responseJsonSchema: format.schema }),
    ...objectIn(generationConfig),
  }
  const calling = tools.length > 0 ? callingConfig(choice) : undefined
  const fields = {
    generationConfig: filledFields(config),
    toolConfig: filledFields({ functionCallingConfig: calling, ...objectIn(toolConfig) }),
    safetySettings: params.safetySettings,
    cachedContent: params.cachedContent,
    ...extra,
  }
  const all = [...(tools.length > 0 ? [toolsJson.json(tools)] : []), ...(params.serverTools ?? []).map(wireJson)]
  const parts = (JSON.parse(system) as readonly string[]).map((text) => ({ text }))
  const ready = {
    systemInstruction: parts.length > 0 && !("systemInstruction" in extra) ? wireJson({ parts }) : "",
    tools: all.length > 0 && !("tools" in extra) ? `[${all.join(",")}]` : "",
  }
  return { head: bodyHead(fields, ready, "contents"), answerTool }
}

function callingConfig(choice: ToolChoice | undefined): object | undefined {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] }
  return choice && { mode: choice === "required" ? "ANY" : choice.toUpperCase() }
}
