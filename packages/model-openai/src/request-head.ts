import {
  modelError,
  type ChatParams,
  type ChatRequest,
  jsonSchemaOf,
  strictSchema,
  type ToolSchema,
} from "@agentscope-ts/model"
import { checkToolChoice, type HeadRequest, ToolsJson, wireJson } from "@agentscope-ts/model/wire"
import type { OpenAIParams } from "./openai-options.ts"
import type { Vendor } from "./vendor.ts"

const toolsJson = new ToolsJson((tools) => tools.map(toolField))

/** The beginning of a request's body, up to the opening bracket of its messages. */
export function requestHead(
  request: HeadRequest<OpenAIParams>,
  model: string,
  streaming: boolean,
  vendor: Vendor,
): string {
  const { tools, toolChoice, schema, params = {} } = request
  const wanted = schema === undefined ? undefined : vendor.schema(jsonSchemaOf(schema))
  const hasTools = tools !== undefined && tools.length > 0
  checkToolChoice(toolChoice, tools)
  const extra = params.extraBody ?? {}
  if ("messages" in extra) {
    const message = "params.extraBody cannot hold messages: they are the request's own."
    throw modelError({ code: "invalid_request", message })
  }
  const known: Record<string, unknown> = {
    model,
    ...(streaming && { stream: true, stream_options: { include_usage: true } }),
    ...paramFields(params, vendor),
    ...(hasTools && params.parallelToolCalls !== undefined && { parallel_tool_calls: params.parallelToolCalls }),
    ...(hasTools && toolChoice !== undefined && { tool_choice: toolChoiceField(toolChoice) }),
    ...wanted?.fields,
  }
  const fields = { ...(vendor.fields?.(known) ?? known), ...extra }
  const head = wireJson(fields).slice(0, -1)
  const toolPart = hasTools && !("tools" in extra) ? `,"tools":${toolsJson.json(tools)}` : ""
  const instruction = wanted?.instruction
  const first = instruction === undefined ? "" : `${wireJson({ role: "system", content: instruction })},`
  return `${head}${toolPart},"messages":[${first}`
}

function paramFields(params: OpenAIParams, vendor: Vendor): Record<string, unknown> {
  const { temperature, topP, maxTokens, stop, seed, reasoning, serviceTier, user } = params
  return {
    temperature,
    top_p: topP,
    [vendor.maxTokensField]: maxTokens,
    stop: stop && stop.length > 0 ? stop : undefined,
    seed,
    service_tier: serviceTier,
    user,
    ...(reasoning !== undefined && vendor.reasoning(reasoning satisfies ChatParams["reasoning"])),
  }
}

const toolChoiceField = (choice: NonNullable<ChatRequest["toolChoice"]>): unknown =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } }

/** What cannot be said strictly is said as it is, and validated by us as always. */
function toolField({ name, description, parameters, strict: wanted }: ToolSchema): unknown {
  const { schema, strict } = wanted ? strictSchema(parameters) : { schema: parameters, strict: false }
  return { type: "function", function: { name, description, parameters: schema, ...(strict && { strict }) } }
}
