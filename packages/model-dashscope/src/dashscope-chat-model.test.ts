import { textOf, userMsg } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { chunk, memoryFetch, streamOf } from "./fixtures/stream.ts"
import { DashScopeChatFormatter, DashScopeChatModel, type DashScopeOptions, type DashScopeParams } from "./index.ts"

const text = "/services/aigc/text-generation/generation"
const multimodal = "/services/aigc/multimodal-generation/generation"
const messages = [userMsg("hi")]
const tool = (name: string) => ({ name, description: name, parameters: { type: "object", properties: {} } }) as const
const person = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
} as const
const whole = (message: object, finish = "stop") => JSON.stringify(chunk(message, finish))

beforeEach(() => {
  for (const name of ["API_KEY", "HTTP_BASE_URL", "BASE_URL", "API_HEADERS"]) vi.stubEnv(`DASHSCOPE_${name}`, "")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** What is sent for a request, and what is warned of. */
async function sent(
  request: Partial<ChatRequest<DashScopeParams>> = {},
  options: Partial<DashScopeOptions> = {},
  { body = whole({ content: '{"name":"Ann"}' }), stream = false } = {},
) {
  const { fetch, asked } = memoryFetch(body)
  const warnings: string[] = []
  const model = new DashScopeChatModel({ model: "qwen-max", apiKey: "k", fetch, maxRetries: 0, ...options })
  const all = { messages, ...request }
  const sink = { onWarning: ({ code }: { code: string }) => void warnings.push(code) }
  const response = stream ? await model.stream(all).response : await model.generate(all, sink)
  const [first] = asked
  if (first === undefined) throw new TypeError("nothing was sent")
  return { ...first, response, warnings }
}

const parameters = async (params: DashScopeParams, options: Partial<DashScopeOptions> = {}) =>
  (await sent({ params }, options)).body.parameters

describe("a request", () => {
  it("goes to the service with the key, and asks for a message", async () => {
    const { url, headers, body } = await sent()
    expect(url).toBe(`https://dashscope.aliyuncs.com/api/v1${text}`)
    expect(headers).toMatchObject({ authorization: "Bearer k", accept: "application/json" })
    expect(headers).not.toHaveProperty("x-dashscope-sse")
    expect(body).toEqual({
      model: "qwen-max",
      parameters: { result_format: "message" },
      input: { messages: [{ role: "user", content: "hi" }] },
    })
  })

  it("of a stream asks for events of what is new", async () => {
    const { headers, body } = await sent({}, {}, { body: streamOf([{ content: "a" }]), stream: true })
    expect(headers).toMatchObject({ "x-dashscope-sse": "enable", accept: "text/event-stream" })
    expect(body.parameters).toEqual({ result_format: "message", incremental_output: true })
  })

  it("may ask for all there is so far", async () => {
    const params = { incrementalOutput: false }
    const body = streamOf([{ content: "a" }, { content: "ab" }], "stop", { content: "ab" })
    const { body: asked, response } = await sent({ params }, {}, { body, stream: true })
    expect(asked.parameters).toMatchObject({ incremental_output: false })
    expect(textOf(response)).toBe("ab")
  })

  it("takes its settings under the API's names", async () => {
    const params: DashScopeParams = {
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      maxTokens: 100,
      seed: 7,
      stop: ["END"],
      repetitionPenalty: 1.1,
      presencePenalty: 0.2,
      enableSearch: true,
      searchOptions: { forced_search: true },
      reasoning: "off",
    }
    expect(await parameters(params)).toEqual({
      result_format: "message",
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      max_tokens: 100,
      seed: 7,
      stop: ["END"],
      repetition_penalty: 1.1,
      presence_penalty: 0.2,
      enable_search: true,
      search_options: { forced_search: true },
      enable_thinking: false,
    })
    expect(await parameters({ stop: [] })).not.toHaveProperty("stop")
  })

  it("thinks within a budget, and then streams whatever is asked, as some models answer in no other way", async () => {
    const body = streamOf([{ content: "a" }])
    const asked = async (reasoning: DashScopeParams["reasoning"]) => {
      const { body: sentBody, headers } = await sent({ params: { reasoning } }, {}, { body })
      expect(headers["x-dashscope-sse"]).toBe("enable")
      const { enable_thinking, thinking_budget } = sentBody.parameters
      return [enable_thinking, thinking_budget]
    }
    expect(await asked("low")).toEqual([true, 2048])
    expect(await asked("medium")).toEqual([true, 8192])
    expect(await asked("high")).toEqual([true, undefined])
    expect(await asked({ budgetTokens: 77 })).toEqual([true, 77])
  })

  it("holds what else the API knows, over what we made of the settings", async () => {
    const extraBody = { resources: [1], parameters: { vl_high_resolution_images: true, temperature: 1 } }
    const { body } = await sent({ params: { temperature: 0, extraBody } })
    expect(body).toMatchObject({ resources: [1], parameters: { ...extraBody.parameters, result_format: "message" } })
    for (const field of ["messages", "input"]) {
      await expect(sent({ params: { extraBody: { [field]: [] } } })).rejects.toMatchObject({ code: "invalid_request" })
    }
  })

  it("does not go out with a setting that nobody knows", async () => {
    await expect(sent({ params: { topk: 1 } as DashScopeParams })).rejects.toThrow(
      'no param "topk". Did you mean "topK"?',
    )
    expect(() => new DashScopeChatModel({ model: "m", apiKey: "k", params: { seeds: 1 } as DashScopeParams })).toThrow(
      'Did you mean "seed"?',
    )
  })
})

describe("the endpoint", () => {
  const image = { type: "image", source: { type: "url", url: "https://h/a.png" } } as const
  const looked = { type: "tool_use", id: "c1", name: "look", input: {} } as const
  const shown = { type: "tool_result", id: "c1", name: "look", output: [image], state: "success" } as const

  it.each([
    ["qwen-max", text],
    ["qwen3-235b-a22b", text],
    ["qwen-vl-plus", multimodal],
    ["qwen3-vl-flash", multimodal],
    ["qvq-max", multimodal],
    ["qwen2.5-omni-7b", multimodal],
    ["qwen-audio-turbo", multimodal],
    ["qwen-vlogger", text],
  ])("of %s is %s", async (model, path) => {
    expect((await sent({}, { model })).url).toMatch(path)
  })

  it("takes media where there are some, and what it is told in any case", async () => {
    const seen = [userMsg([{ type: "text", text: "see" }, image])]
    expect((await sent({ messages: seen })).url).toMatch(multimodal)
    expect((await sent({ messages: seen }, { multimodal: false })).url).toMatch(text)
    expect((await sent({}, { multimodal: true })).url).toMatch(multimodal)
  })

  it("takes the media of tool results where they are shown", async () => {
    const history = [
      ...messages,
      { ...userMsg(""), role: "assistant", content: [looked] } as const,
      { ...userMsg(""), role: "tool", content: [shown] } as const,
    ]
    expect((await sent({ messages: history })).url).toMatch(text)
    const formatter = new DashScopeChatFormatter({ promoteToolResultImages: true })
    expect((await sent({ messages: history }, { formatter })).url).toMatch(multimodal)
    expect((await sent({ messages: seenBy(image) }, { formatter: "multi-agent" })).url).toMatch(multimodal)
  })

  const seenBy = (block: typeof image) => [{ ...userMsg(""), role: "assistant", content: [block] } as const]

  it("is where the option or the variables say", async () => {
    vi.stubEnv("DASHSCOPE_BASE_URL", "https://b/api/v1")
    expect((await sent()).url).toBe(`https://b/api/v1${text}`)
    vi.stubEnv("DASHSCOPE_HTTP_BASE_URL", "https://a/api/v1/")
    expect((await sent()).url).toBe(`https://a/api/v1${text}`)
    expect((await sent({}, { baseURL: "https://c/x?y=1" })).url).toBe(`https://c/x${text}?y=1`)
    // the address of the mode that speaks OpenAI's format
    vi.stubEnv("DASHSCOPE_HTTP_BASE_URL", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1")
    expect((await sent()).url).toBe(`https://dashscope-intl.aliyuncs.com/api/v1${text}`)
  })

  it("is asked with the headers of the options and the environment", async () => {
    vi.stubEnv("DASHSCOPE_API_HEADERS", '{"x-a":"1","x-b":2}')
    const { headers } = await sent({}, { headers: { "x-b": "3", "X-DashScope-DataInspection": "enable" } })
    expect(headers).toMatchObject({ "x-a": "1", "x-b": "3", "x-dashscope-datainspection": "enable" })
    vi.stubEnv("DASHSCOPE_API_HEADERS", "x-a: 1")
    await expect(sent()).rejects.toThrow("DASHSCOPE_API_HEADERS is not JSON")
  })

  it("needs a key", () => {
    expect(() => new DashScopeChatModel({ model: "qwen-max" })).toThrow("DASHSCOPE_API_KEY")
    vi.stubEnv("DASHSCOPE_API_KEY", "from the environment")
    expect(() => new DashScopeChatModel({ model: "qwen-max" })).not.toThrow()
  })
})

describe("tools", () => {
  const asked = async (request: Partial<ChatRequest<DashScopeParams>>) => {
    const { body, warnings } = await sent({ tools: [tool("a"), tool("b")], ...request })
    const { tools, tool_choice, parallel_tool_calls } = body.parameters
    const names = (tools as { function: { name: string } }[] | undefined)?.map((item) => item.function.name)
    return { names, tool_choice, parallel_tool_calls, warnings }
  }
  const named = (name: string) => ({ type: "function", function: { name } })

  it("are sent as functions, and chosen as the API can", async () => {
    expect(await asked({})).toMatchObject({ names: ["a", "b"], tool_choice: undefined, warnings: [] })
    expect(await asked({ toolChoice: "none" })).toMatchObject({ names: ["a", "b"], tool_choice: "none" })
    expect(await asked({ toolChoice: { name: "b" } })).toMatchObject({ tool_choice: named("b"), warnings: [] })
    expect(await asked({ params: { parallelToolCalls: true } })).toMatchObject({ parallel_tool_calls: true })
    expect(await asked({ tools: [], params: { parallelToolCalls: true } })).toMatchObject({
      names: undefined,
      parallel_tool_calls: undefined,
    })
    expect((await sent({ tools: [tool("a")] })).body.parameters["tools"]).toEqual([
      { type: "function", function: tool("a") },
    ])
  })

  it("are required where that can be said, and a warning tells where not", async () => {
    expect(await asked({ toolChoice: "required", tools: [tool("a")] })).toMatchObject({ tool_choice: named("a") })
    const warnings = ["forced_tool_choice"]
    expect(await asked({ toolChoice: "required" })).toMatchObject({ tool_choice: "auto", warnings })
    await expect(asked({ toolChoice: { name: "c" } })).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("FR-24 are not forced on a model that thinks", async () => {
    const body = streamOf([{ content: "a" }])
    const request = { tools: [tool("a")], toolChoice: { name: "a" }, params: { reasoning: "high" } } as const
    const thinking = await sent(request, {}, { body })
    expect(thinking.body.parameters["tool_choice"]).toBe("auto")
    expect(thinking.warnings).toEqual(["forced_tool_choice"])
    const always = await sent({ tools: [tool("a")], toolChoice: { name: "a" } }, { model: "qwq-plus" })
    expect(always.body.parameters["tool_choice"]).toBe("auto")
  })
})

describe("a structured answer", () => {
  it("is asked for as JSON with its shape in words", async () => {
    const { body, response } = await sent({ schema: person })
    expect(body.parameters).toEqual({ result_format: "message", response_format: { type: "json_object" } })
    const [, hint] = body.input.messages
    expect(hint?.["role"]).toBe("user")
    expect(hint?.["content"]).toContain(JSON.stringify(person))
    expect(response.structured).toEqual({ name: "Ann" })
  })

  it("may be one that the model is held to", async () => {
    const { body } = await sent({ schema: person, params: { structuredOutput: "json_schema" } })
    expect(body.parameters["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "response", schema: person, strict: true },
    })
    expect(body.input.messages).toHaveLength(1)
  })

  const called = whole(
    {
      content: "",
      tool_calls: [{ index: 0, id: "c1", function: { name: "final_answer", arguments: '{"name":"Bob"}' } }],
    },
    "tool_calls",
  )

  it("may be the arguments of a tool", async () => {
    const params: DashScopeParams = { structuredOutput: "tool" }
    const { body, response, warnings } = await sent({ schema: person, params }, {}, { body: called })
    expect(body.parameters["tool_choice"]).toEqual({ type: "function", function: { name: "final_answer" } })
    expect(body.input.messages).toHaveLength(1)
    expect(response).toMatchObject({ structured: { name: "Bob" }, stopReason: "stop" })
    expect(warnings).toEqual([])
  })

  it("is a tool beside others that may be called first", async () => {
    const { body, response } = await sent({ schema: person, tools: [tool("a")] }, {}, { body: called })
    expect(body.parameters).toMatchObject({ tool_choice: "auto", tools: [{}, { function: { name: "final_answer" } }] })
    expect(body.input.messages.at(-1)?.["content"]).toContain('"final_answer"')
    expect(response.structured).toEqual({ name: "Bob" })
    const own = await sent({ schema: person, tools: [tool("a")], toolChoice: { name: "a" } }, {}, { body: called })
    expect(own.body.parameters["tool_choice"]).toEqual({ type: "function", function: { name: "a" } })
    const none = await sent({ schema: person, tools: [tool("a")], toolChoice: "none" })
    expect(none.body.parameters).toMatchObject({ tool_choice: "none", response_format: { type: "json_object" } })
  })

  it("that is no object is the argument of a tool", async () => {
    const schema = { type: "array", items: { type: "string" } } as const
    const args = JSON.stringify({ value: ["a"] })
    const tool_calls = [{ index: 0, id: "c1", function: { name: "final_answer_value", arguments: args } }]
    const { body, response } = await sent({ schema }, {}, { body: whole({ content: "", tool_calls }, "tool_calls") })
    expect(body.parameters).not.toHaveProperty("response_format")
    expect(response.structured).toEqual(["a"])
  })

  it.each([
    ["qwen3-8b", true],
    ["qwen3-235b-a22b", true],
    ["qwen3-235b-a22b-instruct-2507", false],
    ["qwen3-0.6b", true],
    ["qwen3-max", false],
    ["qwen3.5-plus", true],
    ["qwen3-vl-32b-thinking", true],
    ["qwen-plus", false],
  ])("of %s knows whether it thinks by itself: %s", async (model, thinks) => {
    const { body } = await sent({ schema: person }, { model }, { body: called })
    expect(body.parameters["tool_choice"]).toBe(thinks ? "auto" : undefined)
    const off = await sent({ schema: person, params: { reasoning: "off" } }, { model })
    expect(off.body.parameters["response_format"]).toEqual({ type: "json_object" })
  })

  it("leaves no tool to call but its own where none may be called", async () => {
    const request = { schema: person, tools: [tool("a")], toolChoice: "none" } as const
    const { body } = await sent(request, { model: "qwq-plus" }, { body: called })
    expect(body.parameters["tools"]).toMatchObject([{ function: { name: "final_answer" } }])
  })

  it("FR-24 is a tool that is not forced where the model thinks", async () => {
    const body = streamOf(
      [
        {
          content: "",
          tool_calls: [{ index: 0, id: "c1", function: { name: "final_answer", arguments: '{"name":"Bob"}' } }],
        },
      ],
      "tool_calls",
    )
    const { body: asked, response } = await sent({ schema: person, params: { reasoning: "low" } }, {}, { body })
    expect(asked.parameters).toMatchObject({ tool_choice: "auto", enable_thinking: true })
    expect(asked.parameters).not.toHaveProperty("response_format")
    expect(response.structured).toEqual({ name: "Bob" })
  })
})

it("a conversation is sent whole each time, and with a hint at its end only where it belongs", async () => {
  const { fetch, asked } = memoryFetch(whole({ content: '{"name":"Ann"}' }))
  const model = new DashScopeChatModel({ model: "qwen-max", apiKey: "k", fetch })
  const conversation = {}
  const history = [userMsg("a"), userMsg("b")]
  await model.generate({ messages: history.slice(0, 1), conversation })
  await model.generate({ messages: history, conversation, schema: person })
  await model.generate({ messages: history, conversation })
  expect(asked.map(({ body }) => body.input.messages.length)).toEqual([1, 3, 2])
})
