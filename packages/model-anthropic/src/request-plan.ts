import { type ChatRequest, grammarSchema, type ToolSchema } from "@agentscope-ts/model"
import { answerPlan, bodyHead, extraFields, type HeadRequest } from "@agentscope-ts/model/wire"
import { anthropicSchema } from "./anthropic-dialect.ts"
import type { AnthropicParams } from "./anthropic-options.ts"
import { plainFields, type RequestContext, thinkingOf } from "./request-settings.ts"
import { textBlock } from "./wire-message.ts"

/** What counting takes of a request. */
const counted = ["model", "system", "thinking", "tool_choice", "tools", "output_config", "cache_control"]

/** Plans a request to the Messages API; throws `invalid_request` for settings that contradict each other. */
export function planRequest(request: HeadRequest<AnthropicParams>, context: RequestContext) {
  const { params = {} } = request
  const { generation, model, system, warn } = context
  const { serverTools: others = [], cache = true } = params
  const thinking = thinkingOf(params, context)
  const unforced = thinking.on ? `${model} calls no tool by force while it thinks (reasoning is not "off")` : undefined
  const { tools, choice, format, answerTool, hint } = answerPlan(request, {
    // citations and constrained answers exclude each other
    held: (schema) => (generation.holdsSchemas && !params.citations ? grammarSchema(schema) : undefined),
    others,
    unforced,
    warn,
  })
  const called: readonly object[] = [...tools.map((tool) => toolField(tool, generation.holdsSchemas)), ...others]
  const mark = cache === false ? undefined : { type: "ephemeral", ttl: cache === true ? undefined : cache.ttl }
  const effort = params.effort ?? thinking.effort
  const fields = {
    model,
    max_tokens: thinking.maxTokens,
    stream: context.streaming || undefined,
    thinking: thinking.field,
    ...plainFields(params, thinking.on, context),
    metadata: params.user === undefined ? undefined : { user_id: params.user },
    output_config:
      effort || format ? { effort, format: format && { type: "json_schema", schema: format.schema } } : undefined,
    tool_choice: called.length > 0 ? choiceField(choice, params.parallelToolCalls) : undefined,
    cache_control: context.marksLast ? mark : undefined,
    system: marked([...system, ...(hint === undefined ? [] : [hint])].map(textBlock), mark, system.length),
    tools: marked(called, mark, called.length),
    ...extraFields(params, ["messages"]),
  }
  const known = Object.entries(fields).filter(([name]) => !context.counts || counted.includes(name))
  return { head: bodyHead(Object.fromEntries(known), {}, "messages"), answerTool }
}

/** The list with the mark of the cache at the `count`th of its items; undefined where it is empty. */
function marked(items: readonly object[], mark: object | undefined, count: number): readonly object[] | undefined {
  if (items.length === 0) return undefined
  return items.map((item, i) => (i === count - 1 && mark ? { ...item, cache_control: mark } : item))
}

function toolField({ name, description, parameters, strict }: ToolSchema, canHold: boolean): object {
  const held = strict && canHold ? grammarSchema(anthropicSchema(parameters)) : undefined
  return { name, description, input_schema: held ?? anthropicSchema(parameters), strict: held && strict }
}

function choiceField(choice: ChatRequest["toolChoice"], parallel: boolean | undefined): object | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : undefined
  if (choice === undefined) return single && { type: "auto", ...single }
  if (choice === "none") return { type: "none" }
  if (typeof choice === "object") return { type: "tool", name: choice.name, ...single }
  return { type: choice === "required" ? "any" : "auto", ...single }
}
