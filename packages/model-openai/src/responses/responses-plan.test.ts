import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatRequest, ToolSchema } from "@agentscope-ts/model"
import { Refusals } from "@agentscope-ts/model/wire"
import { describe, expect, it } from "vitest"
import type { OpenAIResponsesParams } from "../index.ts"
import { responsesPlan } from "./responses-plan.ts"

function bodyOf(
  request: Partial<ChatRequest<OpenAIResponsesParams>>,
  provider = "openai",
  model = "m",
  streaming = false,
) {
  const { head } = responsesPlan(
    { ...request },
    { provider, model, streaming, refusals: new Refusals(), facts: {}, warn: () => {} },
  )
  return JSON.parse(`${head}]}`) as Record<string, unknown>
}

const parameters: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const tool: ToolSchema = { name: "get_weather", description: "The weather", parameters }
const include = ["reasoning.encrypted_content"]

describe("the beginning of a Responses request", () => {
  it("asks for nothing to be stored, and for reasoning in encrypted form", () => {
    expect(bodyOf({})).toEqual({ model: "m", store: false, include, input: [] })
    expect(bodyOf({}, "openai", "m", true)).toMatchObject({ stream: true })
    expect(bodyOf({ params: { store: true } })).toEqual({ model: "m", store: true, input: [] })
  })

  it.each([
    ["openai", "gpt-4o-mini"],
    ["openai", "gpt-4.1"],
    ["openai", "gpt-5-chat-latest"],
    ["lmstudio", "gpt-oss"],
    ["deepseek", "deepseek-v4-flash"],
  ])("does not ask %s for the encrypted reasoning of %s, which it refuses", (provider, model) => {
    expect(bodyOf({}, provider, model)).toEqual({ model, store: false, input: [] })
  })

  it("says the params in the wire's words", () => {
    const params: OpenAIResponsesParams = {
      temperature: 0,
      topP: 0.5,
      maxTokens: 7,
      reasoning: "low",
      reasoningSummary: "auto",
      serviceTier: "flex",
      user: "u",
      metadata: { a: "b" },
      truncation: "auto",
      previousResponseId: "resp_1",
      include: ["message.output_text.logprobs"],
      parallelToolCalls: false,
    }
    expect(bodyOf({ params, tools: [tool] })).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_output_tokens: 7,
      reasoning: { effort: "low", summary: "auto" },
      service_tier: "flex",
      user: "u",
      metadata: { a: "b" },
      truncation: "auto",
      previous_response_id: "resp_1",
      include: [...include, "message.output_text.logprobs"],
      parallel_tool_calls: false,
    })
    expect(bodyOf({ params: { reasoning: "off" } })["reasoning"]).toEqual({ effort: "none" })
    expect(bodyOf({ params: { reasoning: { budgetTokens: 3000 } } })["reasoning"]).toEqual({ effort: "medium" })
    expect(bodyOf({ params: { reasoningSummary: "detailed" } })["reasoning"]).toEqual({ summary: "detailed" })
  })

  it("says for each function whether it is strict, for here they are unless told otherwise", () => {
    const optional: JsonSchema = { type: "object", properties: { a: { type: "string" } } }
    expect(bodyOf({ tools: [tool, { name: "f", parameters: optional, strict: true }] })["tools"]).toEqual([
      { type: "function", name: "get_weather", description: "The weather", parameters, strict: false },
      {
        type: "function",
        name: "f",
        strict: true,
        parameters: expect.objectContaining({ required: ["a"], additionalProperties: false }) as object,
      },
    ])
  })

  it("passes the provider's own tools on, and lets one of them be chosen", () => {
    const builtInTools = [
      { type: "web_search", search_context_size: "low" },
      { type: "custom", name: "sql" },
    ]
    const params = { builtInTools }
    expect(bodyOf({ params })["tools"]).toEqual(builtInTools)
    expect(bodyOf({ params, tools: [tool] })["tools"]).toHaveLength(3)
    // a custom tool stands in the place of the function that runs it here
    expect(bodyOf({ params, tools: [{ ...tool, name: "sql" }] })["tools"]).toEqual(builtInTools)
    const choose = (name: string) => bodyOf({ params, tools: [tool], toolChoice: { name } })["tool_choice"]
    expect(choose("get_weather")).toEqual({ type: "function", name: "get_weather" })
    expect(choose("sql")).toEqual({ type: "custom", name: "sql" })
    expect(choose("web_search")).toEqual({ type: "web_search" })
    expect(() => choose("get_wether")).toThrow('Did you mean "get_weather"?')
    expect(bodyOf({ tools: [tool], toolChoice: "required" })["tool_choice"]).toBe("required")
    expect(bodyOf({ toolChoice: "required" })).not.toHaveProperty("tool_choice")
  })

  it("asks for JSON of a schema, strictly where that can be said", () => {
    expect(bodyOf({ schema: { ...parameters, title: "Where?" } })["text"]).toEqual({
      format: {
        type: "json_schema",
        name: "Where_",
        strict: true,
        schema: expect.objectContaining({ additionalProperties: false }) as object,
      },
    })
    const loose = bodyOf({ schema: { type: "object", additionalProperties: { type: "string" } } })
    expect(loose["text"]).toMatchObject({ format: { strict: false } })
  })

  it("puts fields of the endpoint's own over everything, beside the format of the answer", () => {
    const extraBody = { text: { verbosity: "low" }, temperature: undefined, prompt_cache_key: "k" }
    const body = bodyOf({ schema: parameters, params: { temperature: 0, extraBody } })
    expect(body).toMatchObject({ prompt_cache_key: "k", text: { verbosity: "low", format: { type: "json_schema" } } })
    expect(body).not.toHaveProperty("temperature")
    expect(() => bodyOf({ params: { extraBody: { input: [] } } })).toThrow(/cannot hold input/)
  })
})
