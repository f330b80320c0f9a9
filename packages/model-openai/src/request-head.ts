import { didYouMean } from "@agentscope-ts/message"
import {
  modelError,
  type ChatParams,
  type ChatRequest,
  jsonSchemaOf,
  strictSchema,
  type ToolSchema,
} from "@agentscope-ts/model"
import { wireJson } from "@agentscope-ts/model/wire"
import type { OpenAIParams } from "./openai-options.ts"
import type { Vendor } from "./vendor.ts"

/** The tools of a request as JSON, made once for each list of tools. */
const toolsJson = new WeakMap<readonly ToolSchema[], { readonly count: number; readonly json: string }>()

type HeadRequest = Pick<ChatRequest<OpenAIParams>, "tools" | "toolChoice" | "schema" | "params">

/** Keeps the head that was made last: beside its messages a conversation mostly asks for the same, by the same objects. */
export class RequestHeads {
  #last: HeadRequest | undefined
  #toolCount: number | undefined
  #streaming = false
  #head = ""

  /** {@link requestHead}, made anew only where something is another object than before. */
  of(request: ChatRequest<OpenAIParams>, model: string, streaming: boolean, vendor: Vendor): string {
    const last = this.#last
    const { tools, toolChoice, schema, params } = request
    if (
      last === undefined ||
      last.tools !== tools ||
      // a list may have grown where it stands
      tools?.length !== this.#toolCount ||
      last.toolChoice !== toolChoice ||
      last.schema !== schema ||
      last.params !== params ||
      this.#streaming !== streaming
    ) {
      this.#head = requestHead(request, model, streaming, vendor)
      this.#last = { tools, toolChoice, schema, params }
      this.#toolCount = tools?.length
      this.#streaming = streaming
    }
    return this.#head
  }
}

/** The beginning of a request's body, up to the opening bracket of its messages. */
export function requestHead(
  request: ChatRequest<OpenAIParams>,
  model: string,
  streaming: boolean,
  vendor: Vendor,
): string {
  const { tools, toolChoice, schema, params = {} } = request
  const wanted = schema === undefined ? undefined : vendor.schema(jsonSchemaOf(schema))
  const hasTools = tools !== undefined && tools.length > 0
  if (!hasTools && typeof toolChoice === "object") unknownTool(toolChoice.name, [])
  const extra = params.extraBody ?? {}
  if ("messages" in extra) {
    const message = "params.extraBody cannot hold messages: they are the request's own."
    throw modelError({ code: "invalid_request", message })
  }
  const fields: Record<string, unknown> = {
    model,
    ...(streaming && { stream: true, stream_options: { include_usage: true } }),
    ...paramFields(params, vendor),
    ...(hasTools && params.parallelToolCalls !== undefined && { parallel_tool_calls: params.parallelToolCalls }),
    ...(hasTools && toolChoice !== undefined && { tool_choice: toolChoiceField(toolChoice, tools) }),
    ...wanted?.fields,
    ...extra,
  }
  const head = wireJson(fields).slice(0, -1)
  const toolPart = hasTools && !("tools" in extra) ? `,"tools":${jsonOfTools(tools)}` : ""
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

function toolChoiceField(choice: NonNullable<ChatRequest["toolChoice"]>, tools: readonly ToolSchema[]): unknown {
  if (typeof choice === "string") return choice
  const names = tools.map(({ name }) => name)
  if (!names.includes(choice.name)) unknownTool(choice.name, names)
  return { type: "function", function: { name: choice.name } }
}

function unknownTool(name: string, names: readonly string[]): never {
  const known = names.length > 0 ? `the tools are ${names.toSorted().join(", ")}` : "the request has no tools"
  const message = `toolChoice names the tool "${name}", but ${known}.${didYouMean(name, names)}`
  throw modelError({ code: "invalid_request", message })
}

function jsonOfTools(tools: readonly ToolSchema[]): string {
  const known = toolsJson.get(tools)
  if (known?.count === tools.length) return known.json
  const json = wireJson(tools.map(toolField))
  toolsJson.set(tools, { count: tools.length, json })
  return json
}

/** What cannot be said strictly is said as it is, and validated by us as always. */
function toolField({ name, description, parameters, strict: wanted }: ToolSchema): unknown {
  const { schema, strict } = wanted ? strictSchema(parameters) : { schema: parameters, strict: false }
  return { type: "function", function: { name, description, parameters: schema, ...(strict && { strict }) } }
}
