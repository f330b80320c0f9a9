import type { JsonSchema } from "@agentscope-ts/message"
import type { ChatRequest, ToolSchema } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { OpenAIParams } from "./index.ts"
import { type HeadRequest, Refusals, type RequestPlan, RequestPlans } from "@agentscope-ts/model/wire"
import { requestPlan } from "./request-plan.ts"
import { vendorOf } from "./vendor.ts"

function bodyOf(request: Partial<ChatRequest<OpenAIParams>>, provider = "openai", streaming = false) {
  const vendor = vendorOf(provider)
  const refusals = new Refusals(vendor.schemaMode)
  const target = { provider, model: "m", streaming, refusals, facts: {}, warn: () => {} }
  const { head } = requestPlan({ ...request }, target, vendor)
  return JSON.parse(`${head}]}`) as Record<string, unknown>
}

const invalid = expect.objectContaining({ code: "invalid_request" }) as Error
const parameters: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const tool: ToolSchema = { name: "get_weather", description: "The weather", parameters }

describe("the beginning of a request", () => {
  it("is the least that will do", () => {
    expect(bodyOf({})).toEqual({ model: "m", messages: [] })
    expect(bodyOf({}, "openai", true)).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      messages: [],
    })
  })

  it("says the params in the wire's words", () => {
    const params: OpenAIParams = {
      temperature: 0,
      topP: 0.5,
      maxTokens: 7,
      stop: ["x"],
      seed: 1,
      reasoning: "low",
      serviceTier: "flex",
      user: "u",
      parallelToolCalls: false,
    }
    expect(bodyOf({ params, tools: [tool] })).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_completion_tokens: 7,
      stop: ["x"],
      seed: 1,
      reasoning_effort: "low",
      service_tier: "flex",
      user: "u",
      parallel_tool_calls: false,
    })
    // without tools it is an error there
    expect(bodyOf({ params })).not.toHaveProperty("parallel_tool_calls")
    expect(bodyOf({ params: { stop: [], temperature: undefined } })).toEqual({ model: "m", messages: [] })
  })

  it("limits the answer by the field that the endpoint has", () => {
    expect(bodyOf({ params: { maxTokens: 7 } }, "vllm")).toEqual({ model: "m", max_tokens: 7, messages: [] })
    expect(bodyOf({ params: { maxTokens: 7 } }, "azure")).toHaveProperty("max_completion_tokens", 7)
  })

  it.each([
    ["openai", "off", { reasoning_effort: "none" }],
    ["openai", "high", { reasoning_effort: "high" }],
    ["openai", { budgetTokens: 1024 }, { reasoning_effort: "low" }],
    ["openai", { budgetTokens: 8000 }, { reasoning_effort: "medium" }],
    ["openai", { budgetTokens: 32_000 }, { reasoning_effort: "high" }],
    ["openrouter", "off", { reasoning: { enabled: false } }],
    ["openrouter", "medium", { reasoning: { effort: "medium" } }],
    ["openrouter", { budgetTokens: 1024 }, { reasoning: { max_tokens: 1024 } }],
    ["vllm", "off", { chat_template_kwargs: { enable_thinking: false } }],
    ["vllm", "high", { reasoning_effort: "high", chat_template_kwargs: { enable_thinking: true } }],
  ] as const)("asks %s for reasoning %j", (provider, reasoning, expected) => {
    expect(bodyOf({ params: { reasoning } }, provider)).toEqual({ model: "m", messages: [], ...expected })
  })

  it("asks for an answer that is spoken", () => {
    const params: OpenAIParams = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } }
    expect(bodyOf({ params })).toEqual({ model: "m", messages: [], ...params })
  })

  it("puts fields of the endpoint's own over everything, and takes fields out", () => {
    const extraBody = { temperature: 1, top_k: 5, stream_options: undefined }
    expect(bodyOf({ params: { temperature: 0, extraBody } }, "vllm", true)).toEqual({
      model: "m",
      stream: true,
      temperature: 1,
      top_k: 5,
      messages: [],
    })
    const own = [{ type: "web_search" }]
    expect(bodyOf({ tools: [tool], params: { extraBody: { tools: own } } })["tools"]).toEqual(own)
    expect(() => bodyOf({ params: { extraBody: { messages: [] } } })).toThrow(invalid)
  })

  it("says tools and which of them to call", () => {
    const field = { type: "function", function: { name: "get_weather", description: "The weather", parameters } }
    expect(bodyOf({ tools: [tool] })).toEqual({ model: "m", tools: [field], messages: [] })
    expect(bodyOf({ tools: [] })).not.toHaveProperty("tools")
    for (const choice of ["auto", "none", "required"] as const) {
      expect(bodyOf({ tools: [tool], toolChoice: choice })["tool_choice"]).toBe(choice)
      expect(bodyOf({ toolChoice: choice })).not.toHaveProperty("tool_choice")
    }
    expect(bodyOf({ tools: [tool], toolChoice: { name: "get_weather" } })["tool_choice"]).toEqual({
      type: "function",
      function: { name: "get_weather" },
    })
  })

  it("names the tools there are when another one is to be called", () => {
    const tools = [tool, { ...tool, name: "add" }]
    expect(() => bodyOf({ tools, toolChoice: { name: "getWeather" } })).toThrow(
      'toolChoice names the tool "getWeather", but the tools are add, get_weather. Did you mean "get_weather"?',
    )
    expect(() => bodyOf({ toolChoice: { name: "add" } })).toThrow("but the request has no tools")
  })

  it("FR-28 holds strict tools to a strict schema where it can be said", () => {
    const optional: JsonSchema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    }
    const functions = (parameters: JsonSchema) =>
      (
        bodyOf({ tools: [{ name: "f", parameters, strict: true }] })["tools"] as { function: Record<string, unknown> }[]
      )[0]?.function
    expect(functions(optional)).toMatchObject({
      strict: true,
      parameters: { required: ["a", "b"], additionalProperties: false },
    })
    const record: JsonSchema = { type: "object", additionalProperties: { type: "string" } }
    expect(functions(record)).toEqual({ name: "f", parameters: record })
  })

  it("asks for JSON of a schema", () => {
    const schema = z.object({ answer: z.number(), why: z.string().optional() }).meta({ title: "The answer!" })
    expect(bodyOf({ schema })["response_format"]).toMatchObject({
      type: "json_schema",
      json_schema: {
        name: "The_answer_",
        strict: true,
        schema: { type: "object", required: ["answer", "why"], additionalProperties: false },
      },
    })
    const loose = bodyOf({ schema: z.record(z.string(), z.number()) })["response_format"]
    expect(loose).toMatchObject({ json_schema: { name: "response", strict: false } })
  })
})

describe("the head that is kept", () => {
  const targetOf = (streaming: boolean) => ({
    provider: "openai",
    model: "m",
    streaming,
    refusals: new Refusals(),
    facts: {},
    warn: () => {},
  })
  const newHeads = () => {
    const plans = new RequestPlans<OpenAIParams, RequestPlan>((request, streaming) => ({
      ...requestPlan(request, targetOf(streaming), vendorOf("openai")),
      warnings: [],
    }))
    const sink = { begin: () => {}, warn: () => {}, emit: () => {}, finish: () => {} }
    return {
      of: (request: HeadRequest<OpenAIParams>, streaming: boolean) =>
        plans.of(request, { ...sink, streaming }).plan.head,
    }
  }

  it("is the same as one made anew, whatever changed since the last request", () => {
    const heads = newHeads()
    const schema: JsonSchema = { type: "object", properties: {}, required: [] }
    const other: ToolSchema = { ...tool, name: "get_time" }
    const [tools, params] = [[tool], { temperature: 0 }]
    const requests: Partial<ChatRequest<OpenAIParams>>[] = [
      {},
      { tools, params },
      { tools, params },
      { tools: [other], params },
      { tools, params: { temperature: 1 } },
      { tools, params },
      { tools, params, toolChoice: "required" },
      { tools, params },
      { tools, params, schema },
      { tools, params },
      {},
    ]
    // one thing at a time: were streaming to change with each request, nothing would ever be kept
    for (const streaming of [true, false]) {
      for (const request of requests) {
        const whole = { messages: [], ...request }
        const { head } = requestPlan(whole, targetOf(streaming), vendorOf("openai"))
        expect(heads.of(whole, streaming)).toBe(head)
      }
    }
  })

  it("sees a tool that was added to the same list", () => {
    const heads = newHeads()
    const tools = [tool]
    const names = () => {
      const body = JSON.parse(`${heads.of({ tools }, true)}]}`) as {
        tools: unknown[]
      }
      return body.tools.length
    }
    expect(names()).toBe(1)
    tools.push({ ...tool, name: "get_time" })
    expect(names()).toBe(2)
  })

  it("is not kept of a request that is refused", () => {
    const heads = newHeads()
    const bad = { messages: [], tools: [tool], toolChoice: { name: "nobody" } }
    for (let i = 0; i < 2; i++) expect(() => heads.of(bad, true)).toThrow(/nobody/)
  })
})
