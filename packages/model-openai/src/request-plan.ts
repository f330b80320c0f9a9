import {
  answerPlan,
  functionChoice,
  type HeadRequest,
  reasoned,
  renamedFields,
  responseFormat,
  snakeNames,
  ToolsJson,
} from "@agentscope-ts/model/wire"
import type { OpenAIParams } from "./openai-options.ts"
import { commonFields, planOf, type PlanTarget, toolFields } from "./request-fields.ts"
import type { Vendor } from "./vendor.ts"

/** The params of Chat Completions beside `reasoning` and the limit of the answer, by the names of their fields. */
export const chatFields = { ...commonFields, ...snakeNames("stop seed modalities audio") }

const toolsJson = new ToolsJson((tools) =>
  tools.map((tool) => {
    const { strict, ...fields } = toolFields(tool)
    return { type: "function", function: { ...fields, ...(strict && { strict }) } }
  }),
)

/** What of a request to Chat Completions stands around its messages. */
export function requestPlan(request: HeadRequest<OpenAIParams>, target: PlanTarget, vendor: Vendor) {
  const { model, streaming, refusals, facts, warn } = target
  const params = reasoned(request.params ?? {}, vendor.switches ? {} : facts, model, warn)
  const unforced = refusals.unforced ?? vendor.unforced?.(model, params)
  const asked = answerPlan(request, { mode: refusals.mode, unforced, warn })
  const fields = {
    model,
    ...(streaming && { stream: true, stream_options: { include_usage: true } }),
    ...renamedFields(params, { ...chatFields, maxTokens: vendor.maxTokensField }),
    ...(params.reasoning !== undefined && vendor.reasoning(params.reasoning)),
    tool_choice: functionChoice(asked.choice),
    response_format: responseFormat(asked),
  }
  return planOf(
    {
      asked,
      fields: vendor.fields?.(fields) ?? fields,
      extraBody: params.extraBody,
      tools: asked.tools.length > 0 ? toolsJson.json(asked.tools) : "",
      list: "messages",
    },
    target,
  )
}
