import { type ChatRequest, jsonSchemaOf } from "@agentscope-ts/model"
import { checkToolChoice, type HeadRequest, ToolsJson } from "@agentscope-ts/model/wire"
import type { OpenAIParams } from "./openai-options.ts"
import type { Refusals } from "./refusals.ts"
import { commonFields, headOf, toolFields } from "./request-fields.ts"
import { type AnswerFormat, schemaRequest } from "./structured-format.ts"
import type { Vendor } from "./vendor.ts"

const toolsJson = new ToolsJson((tools) =>
  tools.map((tool) => {
    const { strict, ...fields } = toolFields(tool)
    return { type: "function", function: { ...fields, ...(strict && { strict }) } }
  }),
)

/** The beginning of a request's body, up to the opening bracket of its messages. */
export function requestHead(
  request: HeadRequest<OpenAIParams>,
  model: string,
  streaming: boolean,
  vendor: Vendor,
  refusals?: Refusals,
): string {
  const { schema, params = {} } = request
  checkToolChoice(request.toolChoice, request.tools)
  const mode = refusals?.mode ?? vendor.schemaMode ?? "json_schema"
  const asked = schema === undefined ? {} : schemaRequest(jsonSchemaOf(schema), mode, request)
  const { tools, toolChoice, format, instruction } = { ...request, ...asked }
  const hasTools = tools !== undefined && tools.length > 0
  const known = {
    model,
    ...(streaming && { stream: true, stream_options: { include_usage: true } }),
    ...paramFields(params, vendor, hasTools),
    ...(hasTools && toolChoice !== undefined && { tool_choice: toolChoiceField(toolChoice) }),
    ...(format && { response_format: formatField(format) }),
  }
  return headOf({
    fields: vendor.fields?.(known) ?? known,
    extra: params.extraBody,
    refusals,
    tools: hasTools ? toolsJson.json(tools) : "",
    list: "messages",
    instruction,
  })
}

function paramFields(params: OpenAIParams, vendor: Vendor, hasTools: boolean): Record<string, unknown> {
  const { maxTokens, stop, seed, reasoning, modalities, audio } = params
  return {
    ...commonFields(params, hasTools),
    [vendor.maxTokensField]: maxTokens,
    stop: stop && stop.length > 0 ? stop : undefined,
    seed,
    modalities,
    audio,
    ...(reasoning !== undefined && vendor.reasoning(reasoning)),
  }
}

const toolChoiceField = (choice: NonNullable<ChatRequest["toolChoice"]>): unknown =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } }

function formatField(format: AnswerFormat): unknown {
  if (format.type === "json_object") return format
  const { type, ...json_schema } = format
  return { type, json_schema }
}
