import { type ChatParams, type ChatRequest, jsonSchemaOf, type ToolSchema } from "@agentscope-ts/model"
import { checkToolChoice, type HeadRequest, objectIn, wireJson } from "@agentscope-ts/model/wire"
import type { OpenAIResponsesParams } from "../openai-options.ts"
import type { Refusals } from "../refusals.ts"
import { commonFields, headOf, toolFields } from "../request-fields.ts"
import { schemaRequest } from "../structured-format.ts"
import { effortOf } from "../vendor.ts"

/** What a head is made for. */
export interface HeadTarget {
  readonly provider: string
  readonly model: string
  readonly streaming: boolean
  readonly refusals?: Refusals | undefined
}

type BuiltIn = NonNullable<OpenAIResponsesParams["builtInTools"]>[number]

/** Who gives reasoning in encrypted form when asked for it; others refuse to be asked, or show it. */
const encrypting = ["openai", "azure", "xai", "openrouter"]
/** Models that do not reason, and refuse the question. */
const unreasoning = /^(?:gpt-[34]|gpt-5(?:\.\d)?-chat|chatgpt-)/

/** The beginning of a request's body, up to the opening bracket of its input. */
export function responsesHead(request: HeadRequest<OpenAIResponsesParams>, target: HeadTarget): string {
  const { schema, params = {} } = request
  const { model, streaming, refusals } = target
  const builtIn = params.builtInTools ?? []
  const chosen = choiceOf(request, builtIn)
  if (chosen === undefined) checkToolChoice(request.toolChoice, request.tools)
  const asked =
    schema === undefined ? {} : schemaRequest(jsonSchemaOf(schema), refusals?.mode ?? "json_schema", request)
  const { tools = [], toolChoice, format, instruction } = { ...request, ...asked }
  const all = [...functionsOf(tools, builtIn), ...builtIn]
  const { extraBody: { text: extraText, ...extra } = {} } = params
  const text = { ...(format && { format }), ...objectIn<object>(extraText) }
  return headOf({
    fields: {
      model,
      ...(streaming && { stream: true }),
      ...paramFields(params, target, all.length > 0),
      ...(all.length > 0 && toolChoice !== undefined && { tool_choice: chosen ?? toolChoiceField(toolChoice) }),
      ...(Object.keys(text).length > 0 && { text }),
    },
    extra,
    refusals,
    tools: all.length > 0 ? wireJson(all) : "",
    list: "input",
    instruction,
  })
}

function paramFields(
  params: OpenAIResponsesParams,
  target: HeadTarget,
  hasTools: boolean,
): Readonly<Record<string, unknown>> {
  const { maxTokens, reasoning, reasoningSummary, store = false, previousResponseId, truncation, metadata } = params
  const include = [...includedOf(target, store), ...(params.include ?? [])]
  const effort = reasoning === undefined ? undefined : effortOf(reasoning satisfies ChatParams["reasoning"])
  return {
    ...commonFields(params, hasTools),
    max_output_tokens: maxTokens,
    store,
    ...(include.length > 0 && { include: [...new Set(include)] }),
    previous_response_id: previousResponseId,
    ...((effort ?? reasoningSummary) !== undefined && { reasoning: { effort, summary: reasoningSummary } }),
    truncation,
    metadata,
  }
}

function includedOf({ provider, model }: HeadTarget, store: boolean): readonly string[] {
  return store || !encrypting.includes(provider) || unreasoning.test(model) ? [] : ["reasoning.encrypted_content"]
}

/** Functions are strict here unless they say that they are not. A custom tool of the same name stands in a tool's place. */
function functionsOf(tools: readonly ToolSchema[], builtIn: readonly BuiltIn[]): readonly object[] {
  return tools
    .filter(({ name }) => !builtIn.some((tool) => tool.type === "custom" && tool["name"] === name))
    .map((tool) => ({ type: "function", ...toolFields(tool) }))
}

/** A choice of one of the provider's own tools, by its type, or of a custom one, by its name. */
function choiceOf({ toolChoice }: Pick<ChatRequest, "toolChoice">, builtIn: readonly BuiltIn[]): object | undefined {
  if (typeof toolChoice !== "object") return undefined
  const { name } = toolChoice
  if (builtIn.some((tool) => tool.type === "custom" && tool["name"] === name)) return { type: "custom", name }
  return builtIn.some(({ type }) => type === name) ? { type: name } : undefined
}

const toolChoiceField = (choice: NonNullable<ChatRequest["toolChoice"]>): unknown =>
  typeof choice === "string" ? choice : { type: "function", name: choice.name }
