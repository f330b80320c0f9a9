import { afterEach, describe, expect, it, vi } from "vitest"
import {
  AgentScopeError,
  assistantMsg,
  blocksOf,
  type ContentBlock,
  createMsg,
  type JsonSchema,
  systemMsg,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import type { ChatRequest, ToolSchema } from "@agentscope-ts/model"
import { blockEvents, memoryFetch, messageOf, streamOf } from "./fixtures/answers.ts"
import { AnthropicChatModel, type AnthropicOptions, type AnthropicParams } from "./index.ts"

type Wire = Record<string, unknown>
type Request = Partial<ChatRequest<AnthropicParams>>

afterEach(() => vi.unstubAllEnvs())

const hello = [userMsg("hello")]
const look: ToolSchema = {
  name: "look",
  description: "d",
  parameters: { type: "object", properties: { at: { type: "string" } } },
}
const find: ToolSchema = { ...look, name: "find" }
const city: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const answer = messageOf([{ type: "text", text: "hi" }])
const ephemeral = { type: "ephemeral" }

/** What a request makes of a call, and what it warns of. */
async function sent(model: string, request: Request = {}, options: Partial<AnthropicOptions> = {}, answered = answer) {
  const { fetch, asked } = memoryFetch(answered)
  const created = new AnthropicChatModel({ model, apiKey: "k", fetch, maxRetries: 0, ...options })
  const warnings: string[] = []
  const onWarning = ({ code, message }: { code: string; message: string }) => void warnings.push(`${code}: ${message}`)
  const response = await created.generate({ messages: hello, ...request } as ChatRequest<AnthropicParams>, {
    onWarning,
  })
  const [first] = asked
  return {
    body: first?.body ?? {},
    headers: first?.headers ?? {},
    url: first?.url,
    warnings,
    response,
    asked,
    model: created,
  }
}
const body = async (model: string, request: Request = {}) => (await sent(model, request)).body
const params = (params: AnthropicParams): Request => ({ params })

describe("a request", () => {
  it("goes to the API with its version and the key", async () => {
    const { url, headers, body } = await sent("claude-sonnet-4-5")
    expect(url).toBe("https://api.anthropic.com/v1/messages")
    expect(headers).toMatchObject({ "x-api-key": "k", "anthropic-version": "2023-06-01" })
    expect(headers).not.toHaveProperty("anthropic-beta")
    expect(body).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 64_000,
      cache_control: ephemeral,
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    })
  })

  it("takes the place, the key and the token from the SDK's variables", async () => {
    vi.stubEnv("ANTHROPIC_BASE_URL", "https://proxy.example/a")
    vi.stubEnv("ANTHROPIC_API_KEY", "")
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "t")
    const token = await sent("m", {}, { apiKey: undefined })
    expect([token.url, token.headers["authorization"], token.headers["x-api-key"]]).toEqual([
      "https://proxy.example/a/v1/messages",
      "Bearer t",
      undefined,
    ])
    vi.stubEnv("ANTHROPIC_API_KEY", "env")
    expect((await sent("m", {}, { apiKey: undefined })).headers["x-api-key"]).toBe("env")
    const own = await sent("m", {}, { apiKey: undefined, authToken: "mine", baseURL: "https://h/v1/" })
    expect([own.url, own.headers["authorization"], own.headers["x-api-key"]]).toEqual([
      "https://h/v1/messages",
      "Bearer mine",
      undefined,
    ])
    vi.stubEnv("ANTHROPIC_API_KEY", "")
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "")
    expect(() => new AnthropicChatModel({ model: "m" })).toThrow(
      expect.objectContaining({ code: "missing_api_key", details: { variable: "ANTHROPIC_API_KEY" } }) as Error,
    )
  })

  it("names beta features beside those of the headers", async () => {
    const { headers, model, asked } = await sent("m", params({ betas: ["b", "c"] }), {
      headers: { "Anthropic-Beta": "a" },
    })
    expect(headers["anthropic-beta"]).toBe("a,b,c")
    await model.generate({ messages: hello })
    expect(asked[1]?.headers["anthropic-beta"]).toBe("a")
  })

  it("carries the settings that have another name there", async () => {
    expect(
      await body(
        "claude-sonnet-4-0",
        params({
          temperature: 0,
          topP: 0.5,
          topK: 7,
          stop: ["x"],
          maxTokens: 9,
          user: "u",
          serviceTier: "standard_only",
          effort: "max",
        }),
      ),
    ).toMatchObject({
      max_tokens: 9,
      temperature: 0,
      top_p: 0.5,
      top_k: 7,
      stop_sequences: ["x"],
      metadata: { user_id: "u" },
      service_tier: "standard_only",
      output_config: { effort: "max" },
    })
  })

  it("lets extraBody come over all else, but not over the messages", async () => {
    const extraBody = { container: "c", metadata: undefined, max_tokens: 1 }
    const sentBody = await body("m", params({ extraBody, user: "u" }))
    expect(sentBody).toMatchObject({ container: "c", max_tokens: 1 })
    expect(sentBody).not.toHaveProperty("metadata")
    await expect(sent("m", params({ extraBody: { messages: [] } }))).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("finds misspelt options and params", async () => {
    expect(() => new AnthropicChatModel({ model: "m", apiKey: "k", authTokn: "x" } as never)).toThrow(
      'did you mean "authToken"',
    )
    expect(() => new AnthropicChatModel({ model: "m", apiKey: "k", params: { top_k: 1 } as never })).toThrow(
      'no param "top_k"',
    )
    await expect(sent("m", params({ cach: true } as never))).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("has an answer's limit that fits the generation", async () => {
    const limit = async (model: string) => (await body(model))["max_tokens"]
    expect(await limit("claude-3-haiku-20240307")).toBe(4096)
    expect(await limit("claude-3-5-sonnet-latest")).toBe(8192)
    expect(await limit("us.anthropic.claude-opus-4-1-20250805-v1:0")).toBe(32_000)
    expect(await limit("claude-opus-4@20250514")).toBe(32_000)
    expect(await limit("claude-opus-4-6")).toBe(128_000)
    expect(await limit("claude-next-9")).toBe(64_000)
    expect(await limit("kimi-k2")).toBe(8192)
  })
})

describe("a history that begins with an assistant's message", () => {
  const roles = ({ messages }: Wire) => (messages as Wire[]).map(({ role }) => role)
  const called = [
    assistantMsg([{ type: "tool_use", id: "t1", name: "look", input: {} }]),
    toolResultMsg([toolResult({ type: "tool_use", id: "t1", name: "look", input: {} }, "x")]),
  ]

  it("has a user's words before it, in whichever formatter", async () => {
    for (const messages of [called, [systemMsg("s"), ...called]]) {
      expect(roles(await body("claude-sonnet-4-5", { messages, tools: [look] }))).toEqual(["user", "assistant", "user"])
    }
    const multi = { formatter: "multi-agent" } as const
    const first = async (messages: ChatRequest["messages"]) =>
      roles((await sent("claude-sonnet-4-5", { messages, tools: [look] }, multi)).body)
    expect(await first(called)).toEqual(["user", "assistant", "user"])
    // there an assistant's words are the user's anyway
    expect(await first([assistantMsg("a"), userMsg("b")])).toEqual(["user"])
    expect(roles(await body("claude-sonnet-4-5", { messages: [userMsg("a"), ...called] }))).toHaveLength(3)
  })
})

describe("media that the Messages API has no form for", () => {
  const source = { type: "base64", mediaType: "audio/wav", data: "UklGRg==" } as const

  it.each(["audio", "video"] as const)("are told of, whatever is known of the model: %s", async (type) => {
    for (const model of ["claude-sonnet-4-5", "someone-elses"]) {
      const { warnings, body } = await sent(model, { messages: [userMsg([{ type, source }])] })
      expect(warnings).toEqual([expect.stringMatching(/^unsupported_input: /)])
      expect(JSON.stringify(body["messages"])).toContain(`Not shown: ${type}`)
    }
  })
})

describe("a turn that the API paused", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } }
  const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] }
  const serverTools = [{ type: "web_search_20250305", name: "web_search" }]

  it("goes on by itself: its answers are one", async () => {
    const answers = [
      streamOf([blockEvents(0, search)], "pause_turn"),
      streamOf([blockEvents(0, found), blockEvents(1, { type: "text", text: "so" })]),
    ]
    const bodies: Wire[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      bodies.push(JSON.parse(init?.body as string) as Wire)
      return new Response(answers.shift(), { headers: { "content-type": "text/event-stream" } })
    }
    const model = new AnthropicChatModel({ model: "claude-sonnet-4-5", apiKey: "k", fetch, maxRetries: 0 })
    const warnings: string[] = []
    const response = await model
      .stream({ messages: hello, params: { serverTools } })
      .drive({ onWarning: ({ code }) => void warnings.push(code) })
    expect(bodies.map(({ messages }) => messages)).toEqual([
      [{ role: "user", content: [{ type: "text", text: "hello" }] }],
      [
        { role: "user", content: [{ type: "text", text: "hello" }] },
        { role: "assistant", content: [search] },
      ],
    ])
    expect({ ...bodies[1], messages: [] }).toEqual({ ...bodies[0], messages: [] })
    expect(response.content.map((block) => block.opaque?.data ?? block)).toEqual([
      search,
      found,
      { type: "text", text: "so" },
    ])
    expect(response).toMatchObject({ stopReason: "stop", usage: { inputTokens: 10, outputTokens: 18 } })
    expect(warnings).toEqual([])
  })

  it("stops with a warning where it goes on pausing, and where its history cannot hold what was said", async () => {
    const paused = messageOf([search], "pause_turn")
    const request = params({ serverTools })
    const chat = await sent("claude-sonnet-4-5", request, {}, paused)
    expect([chat.asked.length, chat.response.content.length]).toEqual([5, 5])
    const multi = await sent("claude-sonnet-4-5", request, { formatter: "multi-agent" }, paused)
    expect(multi.asked).toHaveLength(1)
    for (const { warnings } of [chat, multi]) expect(warnings).toEqual([expect.stringMatching(/^turn_paused: /)])
  })
})

describe("system messages", () => {
  it("at the head become `system`, later ones the user's words", async () => {
    const messages = [systemMsg("a"), systemMsg("b"), userMsg("c"), systemMsg("d")]
    const told = await body("m", { messages })
    expect(told["system"]).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b", cache_control: ephemeral },
    ])
    expect((told["messages"] as Wire[]).map(({ role }) => role)).toEqual(["user", "user"])
  })

  it("are told anew when they change, and stay apart from the history's bytes", async () => {
    const { fetch, asked } = memoryFetch(answer)
    const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch })
    const conversation = {}
    const first = systemMsg("a")
    await model.generate({ messages: [first, ...hello], conversation })
    await model.generate({ messages: [first, ...hello, assistantMsg("b"), userMsg("c")], conversation })
    await model.generate({ messages: [systemMsg("z"), ...hello, assistantMsg("b"), userMsg("c")], conversation })
    await model.generate({ messages: hello, conversation })
    expect(asked.map(({ body }) => (body["system"] as Wire[] | undefined)?.[0]?.["text"])).toEqual([
      "a",
      "a",
      "z",
      undefined,
    ])
    expect(asked.map(({ body }) => (body["messages"] as Wire[]).length)).toEqual([1, 3, 3, 1])
  })

  it("stand at the head with the multi-agent formatter too", async () => {
    const { body } = await sent(
      "m",
      { messages: [systemMsg("a"), userMsg("b", { name: "Bob" })] },
      { formatter: "multi-agent" },
    )
    expect(body).toMatchObject({
      system: [{ text: "a" }],
      messages: [{ content: [{ text: expect.stringContaining("Bob: b") as string }] }],
    })
  })
})

describe("prompt caching", () => {
  const request: Request = { messages: [systemMsg("s"), ...hello], tools: [look, find] }

  it("marks tools, system text and, by itself, the last message; `cache: false` marks nothing", async () => {
    const marked = await body("claude-sonnet-4-5", request)
    expect((marked["tools"] as Wire[]).map((tool) => tool["cache_control"])).toEqual([undefined, ephemeral])
    expect(marked).toMatchObject({ cache_control: ephemeral, system: [{ cache_control: ephemeral }] })
    expect(JSON.stringify(marked["messages"])).not.toContain("cache_control")
    expect(JSON.stringify(await body("claude-sonnet-4-5", { ...request, params: { cache: false } }))).not.toContain(
      "cache_control",
    )
    // a compatible endpoint may not know how
    expect(await body("glm-5", request)).not.toHaveProperty("cache_control")
  })

  it("can be asked to last an hour, and marks the provider's own tools where they stand last", async () => {
    const serverTools = [{ type: "web_search_20250305", name: "web_search" }]
    const { tools, cache_control } = await body("claude-sonnet-4-5", {
      ...request,
      params: { cache: { ttl: "1h" }, serverTools },
    })
    expect(cache_control).toEqual({ ...ephemeral, ttl: "1h" })
    expect((tools as Wire[])[2]).toEqual({ ...serverTools[0], cache_control })
  })

  it("leaves what was encoded before as it was", async () => {
    const { fetch, asked } = memoryFetch(answer)
    const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch })
    const conversation = {}
    const format = vi.spyOn(model.formatter, "formatMessage")
    await model.generate({ messages: hello, conversation })
    await model.generate({ messages: [...hello, assistantMsg("a"), userMsg("b")], conversation })
    expect(format).toHaveBeenCalledTimes(3)
    expect(asked[1]?.body["messages"]).toHaveLength(3)
  })
})

describe("tools", () => {
  it("are told with the choice, and whether several may be asked for", async () => {
    const tools = [look, find]
    const choice = async (request: Request) => (await body("m", { tools, ...request }))["tool_choice"]
    expect((await body("m", { tools, params: { cache: false } }))["tools"]).toEqual([
      { name: "look", description: "d", input_schema: look.parameters },
      { name: "find", description: "d", input_schema: find.parameters },
    ])
    expect(await choice({})).toBeUndefined()
    expect(await choice({ toolChoice: "none" })).toEqual({ type: "none" })
    expect(await choice({ toolChoice: "required" })).toEqual({ type: "any" })
    const single = { disable_parallel_tool_use: true }
    expect(await choice({ params: { parallelToolCalls: false } })).toEqual({ type: "auto", ...single })
    expect(await choice({ toolChoice: { name: "find" }, params: { parallelToolCalls: false } })).toEqual({
      type: "tool",
      name: "find",
      ...single,
    })
    await expect(choice({ toolChoice: { name: "fid" } })).rejects.toMatchObject({ code: "invalid_request" })
    expect(await body("m", { toolChoice: "auto" })).not.toHaveProperty("tool_choice")
  })

  it("of the provider stand beside ours, and can be chosen", async () => {
    const serverTools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }]
    const { tools, tool_choice } = await body("m", {
      tools: [look],
      toolChoice: { name: "web_search" },
      params: { serverTools, cache: false },
    })
    expect((tools as Wire[])[1]).toEqual(serverTools[0])
    expect(tool_choice).toEqual({ type: "tool", name: "web_search" })
  })

  it("that are strict are held to, where the model can and the schema says", async () => {
    const strict = { ...look, strict: true, parameters: city }
    const record = {
      ...strict,
      name: "rec",
      parameters: { type: "object", additionalProperties: { type: "string" } } as const,
    }
    const told = async (model: string) =>
      ((await body(model, { tools: [strict, record], params: { cache: false } }))["tools"] as Wire[]).map(
        (tool) => tool["strict"],
      )
    expect(await told("claude-sonnet-4-5")).toEqual([true, undefined])
    expect(await told("claude-sonnet-4-0")).toEqual([undefined, undefined])
  })

  it("with names of arguments that the API does not take get them back, streamed or not", async () => {
    const tool = { ...look, parameters: { type: "object", properties: { 名前: { type: "string" } } } as const }
    const { tools } = await body("m", { tools: [tool] })
    const [name = ""] = Object.keys(
      (tools as { input_schema: { properties: Wire } }[])[0]?.input_schema.properties ?? {},
    )
    expect(name).toMatch(/^[a-zA-Z0-9_.-]+$/)
    const whole = messageOf([{ type: "tool_use", id: "t", name: "look", input: { [name]: "n" } }], "tool_use")
    expect(toolUsesOf((await sent("m", { tools: [tool] }, {}, whole)).response)[0]?.input).toEqual({ 名前: "n" })
    const call = blockEvents(
      0,
      { type: "tool_use", id: "t", name: "look", input: {} },
      { type: "input_json_delta", partial_json: `{"${name}":"n"}` },
    )
    const model = new AnthropicChatModel({
      model: "m",
      apiKey: "k",
      fetch: memoryFetch(streamOf([call], "tool_use")).fetch,
    })
    expect(toolUsesOf(await model.stream({ messages: hello, tools: [tool] }).response)[0]?.input).toEqual({ 名前: "n" })
  })
})

describe("thinking", () => {
  const thinks = async (model: string, reasoning: AnthropicParams["reasoning"], more: AnthropicParams = {}) => {
    const { body, warnings } = await sent(model, params({ reasoning, ...more }))
    return {
      thinking: body["thinking"],
      effort: (body["output_config"] as Wire | undefined)?.["effort"],
      max: body["max_tokens"],
      warnings,
    }
  }

  it("is asked for by budget or by effort, as the generation knows it", async () => {
    const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens })
    expect(await thinks("claude-sonnet-4-5", "low")).toMatchObject({ thinking: enabled(2048), effort: undefined })
    expect((await thinks("claude-3-7-sonnet-latest", { budgetTokens: 5000 })).thinking).toEqual(enabled(5000))
    expect((await thinks("claude-haiku-4-5", { budgetTokens: 10 })).thinking).toEqual(enabled(1024))
    expect(await thinks("claude-opus-4-6", "high")).toMatchObject({ thinking: { type: "adaptive" }, effort: "high" })
    expect(await thinks("claude-sonnet-4-6", { budgetTokens: 3000 })).toMatchObject({
      thinking: enabled(3000),
      effort: undefined,
    })
    const shown = { type: "adaptive", display: "summarized" }
    expect(await thinks("claude-opus-4-7", "medium")).toMatchObject({ thinking: shown, effort: "medium" })
    expect(await thinks("claude-sonnet-5", { budgetTokens: 1500 })).toMatchObject({
      thinking: shown,
      effort: "low",
      warnings: [],
    })
    expect(await thinks("claude-sonnet-5", "low", { effort: "xhigh" })).toMatchObject({ effort: "xhigh" })
  })

  it("can be switched off, but not with every model", async () => {
    expect((await thinks("claude-sonnet-5", "off")).thinking).toEqual({ type: "disabled" })
    expect((await thinks("glm-5", "off")).thinking).toEqual({ type: "disabled" })
    // without a word these do not think
    expect(await thinks("claude-opus-4-7", "off")).toMatchObject({ thinking: undefined, warnings: [] })
    expect(await thinks("claude-3-5-haiku-latest", "off")).toMatchObject({ thinking: undefined, warnings: [] })
    expect((await thinks("claude-3-5-haiku-latest", "low")).warnings).toEqual([
      expect.stringContaining("unsupported_param: claude-3-5-haiku-latest cannot think"),
    ])
    expect(await thinks("claude-fable-5", "off")).toMatchObject({
      thinking: undefined,
      effort: "low",
      warnings: [expect.stringContaining("always thinks")],
    })
  })

  it("FR-24 has room beside its budget: the limit is raised, with a warning where the caller gave it", async () => {
    expect(await thinks("claude-sonnet-4-5", { budgetTokens: 4000 }, { maxTokens: 2000 })).toMatchObject({
      max: 6000,
      warnings: [expect.stringMatching(/^max_tokens_raised: maxTokens = 2000 .* 4000 .* raised to 6000/)],
    })
    expect(await thinks("claude-sonnet-4-5", { budgetTokens: 63_000 }, { maxTokens: 2000 })).toMatchObject({
      max: 64_000,
    })
    expect(await thinks("glm-5", "high")).toMatchObject({ max: 16_384 + 8192, warnings: [] })
    await expect(thinks("claude-sonnet-4-5", { budgetTokens: 64_000 })).rejects.toMatchObject({
      code: "invalid_request",
    })
  })

  it("FR-24 and a forced tool exclude each other: the model is told to call it, with a warning", async () => {
    const request = { tools: [look], toolChoice: { name: "look" }, messages: [systemMsg("s"), ...hello] } as const
    for (const model of ["claude-sonnet-4-5", "claude-opus-4-7"]) {
      const { body, warnings } = await sent(model, { ...request, params: { reasoning: { budgetTokens: 4000 } } })
      expect(body["tool_choice"]).toEqual({ type: "auto" })
      expect(body["system"]).toEqual([
        { type: "text", text: "s", cache_control: ephemeral },
        { type: "text", text: expect.stringContaining('"look"') as string },
      ])
      expect(warnings).toEqual([expect.stringContaining("forced_tool_choice")])
    }
    expect((await sent("claude-sonnet-4-5", { ...request, params: { reasoning: "off" } })).body["tool_choice"]).toEqual(
      { type: "tool", name: "look" },
    )
  })

  it("FR-24 and a structured answer go together by a tool that the model is told to call", async () => {
    const called = messageOf([{ type: "tool_use", id: "t", name: "final_answer", input: { city: "Bonn" } }], "tool_use")
    const request = { schema: city, params: { reasoning: { budgetTokens: 4000 }, maxTokens: 2000 } }
    const { body, warnings, response } = await sent("claude-sonnet-4-0", request, {}, called)
    expect(body).toMatchObject({
      tool_choice: { type: "auto" },
      max_tokens: 6000,
      system: [{ text: expect.stringContaining("final_answer") as string }],
    })
    expect(warnings.map((warning) => warning.split(":")[0])).toEqual(["max_tokens_raised", "forced_tool_choice"])
    expect(response).toMatchObject({ structured: { city: "Bonn" }, stopReason: "stop" })
  })

  it("is left out in a turn that began without it, for the API would refuse the turn", async () => {
    const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const
    const turn = (...content: readonly ContentBlock[]) => [
      ...hello,
      createMsg({ name: "a", role: "assistant", content }),
      toolResultMsg([toolResult(call, "x")]),
    ]
    const tools = [look]
    const off = await sent("claude-sonnet-4-5", { messages: turn(call), tools, ...params({ reasoning: "low" }) })
    expect([off.body["thinking"], off.warnings]).toEqual([undefined, [expect.stringContaining("thinking_disabled")]])
    const signed = {
      type: "thinking",
      thinking: "t",
      opaque: { provider: "anthropic", data: { signature: "s" } },
    } as const
    const on = await sent("claude-sonnet-4-5", { messages: turn(signed, call), tools, ...params({ reasoning: "low" }) })
    expect([on.body["thinking"], on.warnings]).toEqual([{ type: "enabled", budget_tokens: 2048 }, []])
    expect(
      (await sent("claude-opus-4-7", { messages: turn(call), tools, ...params({ reasoning: "low" }) })).warnings,
    ).toEqual([])
  })

  it("FR-19 comes back in the next request as it was told, before its call", async () => {
    const thinking = blockEvents(
      0,
      { type: "thinking", thinking: "" },
      { type: "thinking_delta", thinking: "I should" },
      { type: "signature_delta", signature: "EqQB" },
    )
    const call = blockEvents(
      1,
      { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      { type: "input_json_delta", partial_json: "{}" },
    )
    const model = new AnthropicChatModel({
      model: "claude-sonnet-4-5",
      apiKey: "k",
      fetch: memoryFetch(streamOf([thinking, call], "tool_use")).fetch,
    })
    const response = await model.stream({ messages: hello, tools: [look] }).response
    const [use] = toolUsesOf(response)
    if (!use) throw new AgentScopeError({ code: "test", message: "no call" })
    const reply = createMsg({ name: "a", role: "assistant", content: response.content })
    // as after having been stored
    const stored = JSON.parse(JSON.stringify([...hello, reply, toolResultMsg([toolResult(use, "x")])])) as typeof hello
    const { messages } = await body("claude-sonnet-4-5", { messages: stored, tools: [look] })
    expect((messages as Wire[])[1]?.["content"]).toEqual([
      { type: "thinking", thinking: "I should", signature: "EqQB" },
      { type: "tool_use", id: "toolu_1", name: "look", input: {} },
    ])
  })
})

describe("sampling", () => {
  const told = async (model: string, given: AnthropicParams) => {
    const { body, warnings } = await sent(model, params(given))
    const fields = Object.fromEntries(
      ["temperature", "top_p", "top_k"].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    )
    return { fields, left: warnings.map((warning) => /unsupported_param: (\w+)/.exec(warning)?.[1]) }
  }

  it("leaves out what a model does not take, with a warning", async () => {
    const all = { temperature: 0.5, topP: 0.9, topK: 5 }
    expect(await told("claude-sonnet-4-0", all)).toEqual({
      fields: { temperature: 0.5, top_p: 0.9, top_k: 5 },
      left: [],
    })
    expect(await told("claude-sonnet-4-5", all)).toEqual({ fields: { temperature: 0.5, top_k: 5 }, left: ["topP"] })
    expect(await told("claude-opus-4-7", all)).toEqual({ fields: {}, left: ["temperature", "topP", "topK"] })
    expect(await told("claude-sonnet-4-0", { ...all, reasoning: "low" })).toEqual({
      fields: {},
      left: ["temperature", "topP", "topK"],
    })
    expect(await told("claude-sonnet-4-0", { temperature: 1, topP: 0.95, reasoning: "low" })).toEqual({
      fields: { top_p: 0.95 },
      left: [],
    })
    expect(await told("claude-sonnet-4-0", { temperature: 1.7 })).toEqual({
      fields: { temperature: 1 },
      left: ["temperature"],
    })
    expect(await told("claude-opus-4-7", { temperature: 1 })).toEqual({ fields: {}, left: [] })
  })

  it("takes no blank stop sequences", async () => {
    const { body, warnings } = await sent("m", params({ stop: ["\n\n", "END"] }))
    expect(body["stop_sequences"]).toEqual(["END"])
    expect(warnings).toEqual([expect.stringContaining("unsupported_param: stop")])
    expect(await sent("m", params({ stop: [" "] }))).not.toHaveProperty("body.stop_sequences")
  })

  it("knows no seed", async () => {
    expect((await sent("m", params({ seed: 1 }))).warnings).toEqual([expect.stringContaining("no seed")])
  })
})

describe("a structured answer", () => {
  const json = messageOf([{ type: "text", text: '{"city":"Bonn"}' }])

  it("is held to its schema by models that can", async () => {
    const { body, response } = await sent("claude-sonnet-4-5", { schema: city, tools: [look] }, {}, json)
    expect(body["output_config"]).toEqual({
      format: { type: "json_schema", schema: { ...city, additionalProperties: false } },
    })
    expect(body["tools"]).toHaveLength(1)
    expect(response.structured).toEqual({ city: "Bonn" })
  })

  it("is a tool's arguments elsewhere: for older models, records, and beside citations", async () => {
    const record = { type: "object", additionalProperties: { type: "string" } } as const
    const called = messageOf([{ type: "tool_use", id: "t", name: "final_answer", input: { city: "Bonn" } }], "tool_use")
    for (const [model, request] of [
      ["claude-sonnet-4-0", { schema: city }],
      ["claude-sonnet-4-5", { schema: record }],
      ["claude-sonnet-4-5", { schema: city, ...params({ citations: true }) }],
    ] as const) {
      const { body, response } = await sent(model, request, {}, called)
      expect(body["tool_choice"]).toEqual({ type: "tool", name: "final_answer" })
      expect(body).not.toHaveProperty("output_config")
      expect(response).toMatchObject({ structured: { city: "Bonn" }, stopReason: "stop" })
      expect(textOf(response)).toBe('{"city":"Bonn"}')
    }
  })

  it("may come after calls of other tools, unless the caller rules them out", async () => {
    const choice = async (toolChoice: ChatRequest["toolChoice"]) => {
      const called = messageOf([{ type: "tool_use", id: "t", name: "look", input: {} }], "tool_use")
      return (await sent("claude-sonnet-4-0", { schema: city, tools: [look], toolChoice }, {}, called)).body[
        "tool_choice"
      ]
    }
    expect(await choice(undefined)).toEqual({ type: "any" })
    expect(await choice({ name: "look" })).toEqual({ type: "tool", name: "look" })
    expect(await choice("none")).toEqual({ type: "tool", name: "final_answer" })
  })
})

describe("citations", () => {
  it("are asked for on documents, also in a conversation that began without", async () => {
    const { fetch, asked } = memoryFetch(answer)
    const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch })
    const data = Buffer.from("text").toString("base64")
    const messages = [
      userMsg([{ type: "file", name: "a.txt", source: { type: "base64", mediaType: "text/plain", data } }]),
    ]
    const conversation = {}
    for (const citations of [undefined, true, false])
      await model.generate({ messages, conversation, params: { citations } })
    const marks = asked.map(({ body }) => (body["messages"] as { content: Wire[] }[])[0]?.content[0]?.["citations"])
    expect(marks).toEqual([undefined, { enabled: true }, undefined])
  })
})

describe("limits and failures", () => {
  it("refuses a request of more than 32 MB before it is sent", async () => {
    const { fetch, asked } = memoryFetch(answer)
    const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch })
    await expect(model.generate({ messages: [userMsg("x".repeat(33 * 1024 * 1024))] })).rejects.toMatchObject({
      code: "context_overflow",
    })
    expect(asked).toHaveLength(0)
  })

  it("FR-23 and FR-14 hold for what is sent: no blanks at the end, calls last", async () => {
    const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const
    const content = [
      { type: "text", text: "\n" },
      { type: "text", text: "a" },
      call,
      { type: "text", text: "b" },
    ] as const
    const messages = [
      ...hello,
      createMsg({ name: "a", role: "assistant", content }),
      toolResultMsg([toolResult(call, "x")]),
      assistantMsg("done \n"),
    ]
    const told = (await body("m", { messages, tools: [look] }))["messages"] as { content: Wire[] }[]
    expect(told.map(({ content }) => content.map((block) => block["text"] ?? block["type"]))).toEqual([
      ["hello"],
      ["a", "b", "tool_use"],
      ["tool_result"],
      ["done"],
    ])
  })

  it("FR-22 maps ids that the API does not take, the same for call and result", async () => {
    const call = { type: "tool_use", id: "functions.Bash:0", name: "look", input: {} } as const
    const messages = [
      ...hello,
      createMsg({ name: "a", role: "assistant", content: [call] }),
      toolResultMsg([toolResult(call, "x")]),
    ]
    const told = (await body("m", { messages, tools: [look] }))["messages"] as { content: Wire[] }[]
    const id = told[1]?.content[0]?.["id"] as string
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(told[2]?.content[0]?.["tool_use_id"]).toBe(id)
  })

  it("FR-07 keeps what came before an error in the stream", async () => {
    const begun = streamOf([blockEvents(0, { type: "text", text: "half" })]).split("event: message_delta")[0]
    const broken = `${begun}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`
    const stream = new AnthropicChatModel({ model: "m", apiKey: "k", fetch: memoryFetch(broken).fetch }).stream({
      messages: hello,
    })
    await expect(stream.response).rejects.toMatchObject({ code: "overloaded", retryable: true })
    expect([textOf(stream.partial()), stream.partial().stopReason]).toEqual(["half", "error"])
  })
})

describe("counting tokens", () => {
  const count = () => Response.json({ input_tokens: 42 })

  it("is the provider's, for what it would be sent", async () => {
    const { fetch, asked } = memoryFetch(count)
    const model = new AnthropicChatModel({
      model: "claude-sonnet-4-5",
      apiKey: "k",
      fetch,
      params: { temperature: 0, betas: ["b"] },
    })
    expect(
      await model.countTokens({ messages: [systemMsg("s"), ...hello], tools: [look], params: { reasoning: "low" } }),
    ).toBe(42)
    expect(asked[0]?.url).toBe("https://api.anthropic.com/v1/messages/count_tokens")
    expect(asked[0]?.headers["anthropic-beta"]).toBe("b")
    expect(Object.keys(asked[0]?.body ?? {}).sort()).toEqual([
      "cache_control",
      "messages",
      "model",
      "system",
      "thinking",
      "tools",
    ])
  })

  it("is an estimate where the provider does not answer", async () => {
    for (const failing of [
      () => new Response("", { status: 404 }),
      () => Response.json({}),
      () => new Response("<html>"),
    ]) {
      const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch: memoryFetch(failing).fetch })
      expect(await model.countTokens({ messages: hello })).toBeGreaterThan(0)
    }
  })

  it("stops when it is given up", async () => {
    const model = new AnthropicChatModel({ model: "m", apiKey: "k", fetch: memoryFetch(count).fetch })
    await expect(model.countTokens({ messages: hello, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    })
  })
})

it("keeps redacted thinking apart from what is shown", async () => {
  const redacted = { type: "redacted_thinking", data: "RWRh" }
  const { response } = await sent("m", {}, {}, messageOf([redacted, { type: "text", text: "a" }]))
  expect(blocksOf(response, "thinking")).toEqual([
    { type: "thinking", thinking: "", opaque: { provider: "anthropic", data: redacted } },
  ])
})
