import { scriptedServer } from "@agentscope-ts/fixtures"
import {
  AgentScopeError,
  replaceAmbient,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  createMsg,
  userMsg,
} from "@agentscope-ts/message"
import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { memoryFetch, streamOf } from "./fixtures/stream.ts"
import { DeepSeekChatModel, OpenAIChatModel, type OpenAIOptions, type OpenAIWireMessage } from "./index.ts"

const request = { messages: [userMsg("hi")] }
const unhandled = vi.fn<(error: unknown) => void>()
process.on("unhandledRejection", unhandled)

afterEach(() => {
  vi.unstubAllEnvs()
  expect(unhandled).not.toHaveBeenCalled()
})

class GroqChatModel extends OpenAIChatModel {
  constructor(options: OpenAIOptions) {
    super({
      ...options,
      provider: "groq",
      apiKeyEnv: "GROQ_API_KEY",
      baseURL: options.baseURL ?? "https://api.groq.com/openai/v1",
    })
  }
}

/** What a model sends. */
async function sent(Model: new (options: OpenAIOptions) => OpenAIChatModel, options: Partial<OpenAIOptions> = {}) {
  const { fetch, asked } = memoryFetch(streamOf([{ content: "ok" }]))
  await new Model({ model: "m", apiKey: "key", fetch, ...options }).stream(request).response
  if (!asked[0]) throw new TypeError("nothing was sent")
  return asked[0]
}

describe("options", () => {
  it("lead to OpenAI unless they say otherwise", async () => {
    expect(await sent(OpenAIChatModel)).toMatchObject({
      url: "https://api.openai.com/v1/chat/completions",
      headers: { authorization: "Bearer key", "content-type": "application/json", "user-agent": "agentscope-ts" },
      body: {
        model: "m",
        stream: true,
        messages: [{ role: "user", name: "user", content: [{ type: "text", text: "hi" }] }],
      },
    })
    const { url } = await sent(OpenAIChatModel, { baseURL: "http://localhost:8000/v1/" })
    expect(url).toBe("http://localhost:8000/v1/chat/completions")
  })

  it("fall back on the variables of OpenAI's own client", async () => {
    vi.stubEnv("OPENAI_API_KEY", "from-env")
    vi.stubEnv("OPENAI_BASE_URL", "https://gateway/v1")
    vi.stubEnv("OPENAI_ORG_ID", "org")
    vi.stubEnv("OPENAI_PROJECT_ID", "proj")
    const { url, headers } = await sent(OpenAIChatModel, { apiKey: undefined })
    expect(url).toBe("https://gateway/v1/chat/completions")
    expect(headers).toMatchObject({
      authorization: "Bearer from-env",
      "openai-organization": "org",
      "openai-project": "proj",
    })
    expect((await sent(OpenAIChatModel, { organization: "mine" })).headers["openai-organization"]).toBe("mine")
    // what is OpenAI's goes to nobody else
    const groq = await sent(GroqChatModel)
    expect(groq.url).toBe("https://api.groq.com/openai/v1/chat/completions")
    expect(groq.headers).not.toHaveProperty("openai-organization")
  })

  it("put own headers over the usual ones", async () => {
    const { headers } = await sent(OpenAIChatModel, { headers: { Authorization: "Basic x", "X-Team": "a" } })
    expect(headers).toMatchObject({ authorization: "Basic x", "x-team": "a" })
  })

  it("name the variable of a missing key", () => {
    vi.stubEnv("OPENAI_API_KEY", "")
    vi.stubEnv("GROQ_API_KEY", "")
    vi.stubEnv("DEEPSEEK_API_KEY", "")
    for (const [Model, variable] of [
      [OpenAIChatModel, "OPENAI_API_KEY"],
      [GroqChatModel, "GROQ_API_KEY"],
      [DeepSeekChatModel, "DEEPSEEK_API_KEY"],
    ] as const) {
      expect(() => new Model({ model: "m" })).toThrow(
        expect.objectContaining({
          code: "missing_api_key",
          message: expect.stringContaining(variable) as string,
        }) as Error,
      )
    }
    // a server of one's own needs none
    expect(new OpenAIChatModel({ model: "m", provider: "vllm", baseURL: "http://localhost:8000/v1" }).provider).toBe(
      "vllm",
    )
    expect(() => new OpenAIChatModel({ model: "m", provider: "my-cloud", baseURL: "https://h/v1" })).toThrow(
      "MY_CLOUD_API_KEY",
    )
  })

  it("need no key under a tape, which takes the transport's place", async () => {
    vi.stubEnv("OPENAI_API_KEY", "")
    const { fetch, asked } = memoryFetch(streamOf([{ content: "taped" }]))
    const restore = replaceAmbient({ transport: () => fetch })
    try {
      const model = new OpenAIChatModel({ model: "m" })
      expect(textOf(await model.stream(request).response)).toBe("taped")
      expect(asked).toHaveLength(1)
    } finally {
      restore()
    }
  })

  const wrong = (options: unknown) => () => new OpenAIChatModel({ model: "m", apiKey: "k", ...(options as object) })

  it.each([
    [{ apikey: "k" }, 'did you mean "apiKey"?'],
    [{ api_key: "k", apiKey: undefined }, 'OpenAIChatModel has no option "api_key": did you mean "apiKey"?'],
    [{ baseUrl: "https://h" }, 'did you mean "baseURL"?'],
    [{ base_url: "https://h" }, 'did you mean "baseURL"?'],
    [{ formater: "chat" }, 'did you mean "formatter"?'],
    [{ params: { max_tokens: 5 } }, 'has no param "max_tokens". Did you mean "maxTokens"?'],
    [{ params: { top_k: 5 } }, "go into params.extraBody"],
    [{ model: "" }, 'needs the name of a model: new OpenAIChatModel({ model: "…" })'],
    [{ baseURL: "localhost:8000" }, "give a baseURL that starts with https:// or http://"],
    [{ provider: "vllm" }, 'The provider "vllm" needs a baseURL'],
    [{ formatter: "multiagent" }, '"multi-agent"'],
    [{ apiKey: "line\nbreak" }, "has a character that a header cannot have"],
  ])("%j: %s", (options, message) => {
    expect(wrong(options)).toThrow(message)
  })

  it("find a misspelt param of a request too", async () => {
    const model = new OpenAIChatModel({ model: "m", apiKey: "k", fetch: memoryFetch("").fetch })
    const params = { maxToken: 1 } as object
    await expect(model.generate({ ...request, params })).rejects.toThrow('Did you mean "maxTokens"?')
  })
})

describe("providers", () => {
  it("in three lines get what compatible endpoints take", async () => {
    const { headers, body } = await sent(GroqChatModel, { params: { maxTokens: 5 } })
    expect(headers["authorization"]).toBe("Bearer key")
    expect(body).toMatchObject({ max_tokens: 5, messages: [{ role: "user", content: "hi" }] })
  })

  it("of Azure take their key in a header of its own, and a query behind the path", async () => {
    const options = { provider: "azure", baseURL: "https://x.azure.com/openai/deployments/d?api-version=1" }
    const { url, headers } = await sent(OpenAIChatModel, options)
    expect(url).toBe("https://x.azure.com/openai/deployments/d/chat/completions?api-version=1")
    expect(headers).toMatchObject({ "api-key": "key" })
    expect(headers).not.toHaveProperty("authorization")
  })

  it("with rules for ids get ids that fit, the same for call and result", async () => {
    const use = { type: "tool_use", id: "functions.look:0", name: "look", input: {} } as const
    const messages = [
      ...request.messages,
      createMsg({ name: "a", role: "assistant", content: [use] }),
      toolResultMsg([toolResult(use, "ok")]),
    ]
    const { fetch, asked } = memoryFetch(streamOf([{ content: "ok" }]))
    await new OpenAIChatModel({ model: "m", apiKey: "k", provider: "mistral", baseURL: "https://h/v1", fetch }).stream({
      messages,
    }).response
    const wire = (asked[0]?.body["messages"] ?? []) as readonly OpenAIWireMessage[]
    const [, assistant, tool] = wire
    expect(tool?.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(assistant?.tool_calls?.[0]?.id).toBe(tool?.tool_call_id)
  })
})

describe("DeepSeekChatModel", () => {
  it("speaks DeepSeek's way", async () => {
    expect(await sent(DeepSeekChatModel, { params: { maxTokens: 5, reasoning: "high" } })).toMatchObject({
      url: "https://api.deepseek.com/chat/completions",
      body: {
        max_tokens: 5,
        thinking: { type: "enabled" },
        reasoning_effort: "high",
        messages: [{ role: "user", content: "hi" }],
      },
    })
    expect((await sent(DeepSeekChatModel, { params: { reasoning: "off" } })).body["thinking"]).toEqual({
      type: "disabled",
    })
    expect((await sent(DeepSeekChatModel, { formatter: "multi-agent" })).body["messages"]).toEqual([
      { role: "user", content: expect.stringContaining("user: hi") as string },
    ])
  })

  it("speaks it too where a compatible endpoint bears DeepSeek's name", async () => {
    const options = { provider: "deepseek", baseURL: "https://h/v1", params: { reasoning: "off" } } as const
    expect((await sent(OpenAIChatModel, options)).body).toMatchObject({
      thinking: { type: "disabled" },
      messages: [{ role: "user", content: "hi" }],
    })
  })

  it("says the shape of JSON in words", async () => {
    const { fetch, asked } = memoryFetch(streamOf([{ content: '{"n":1}' }]))
    const model = new DeepSeekChatModel({ model: "m", apiKey: "k", fetch })
    const { structured } = await model.stream({ ...request, schema: z.object({ n: z.number() }) }).response
    expect(structured).toEqual({ n: 1 })
    expect(asked[0]?.body["response_format"]).toEqual({ type: "json_object" })
    const messages = asked[0]?.body["messages"] as { role: string; content: string }[]
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"])
    expect(messages[0]?.content).toContain('"n":{"type":"number"}')
  })
})

it("FR-28 reads the null of a strict schema as absent", async () => {
  const { fetch } = memoryFetch(streamOf([{ content: '{"a":"x","b":null}' }]))
  const schema = z.object({ a: z.string(), b: z.string().optional() })
  const { structured } = await new OpenAIChatModel({ model: "m", apiKey: "k", fetch }).stream({ ...request, schema })
    .response
  expect(structured).toEqual({ a: "x" })
})

describe("a conversation", () => {
  it("is sent whole each time, and formatted once", async () => {
    const { fetch, asked } = memoryFetch(streamOf([{ content: "ok" }]))
    const model = new OpenAIChatModel({ model: "m", apiKey: "k", fetch })
    const format = vi.spyOn(model.formatter, "formatMessage")
    const messages = [userMsg("0")]
    const conversation = {}
    for (let i = 1; i < 10; i++) {
      const { content } = await model.stream({ messages: [...messages], conversation }).response
      messages.push(createMsg({ name: "a", role: "assistant", content }), userMsg(String(i)))
    }
    expect(asked.at(-1)?.body["messages"]).toHaveLength(17)
    expect(asked.map(({ body }) => (body["messages"] as unknown[]).length)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17])
    expect(format).toHaveBeenCalledTimes(17)
    const plain = memoryFetch(streamOf([{ content: "ok" }]))
    await new OpenAIChatModel({ model: "m", apiKey: "k", fetch: plain.fetch }).stream({
      messages: messages.slice(0, -2),
    }).response
    expect(plain.asked[0]?.body).toEqual(asked.at(-1)?.body)
  })

  it("may be asked twice at a time", async () => {
    await using server = await scriptedServer((response) => response.end(streamOf([{ content: "ok" }])))
    const model = new OpenAIChatModel({ model: "m", apiKey: "k", baseURL: server.url })
    const conversation = {}
    const ask = (text: string) => model.stream({ messages: [userMsg(text.repeat(50_000))], conversation }).response
    await Promise.all(["a", "b", "c", "d"].map(ask))
    const texts = server.bodies.map(
      (body) => (JSON.parse(body) as { messages: [{ content: [{ text: string }] }] }).messages[0].content[0].text,
    )
    expect(texts.map((text) => `${text[0]}${text.length}`).toSorted()).toEqual(["a50000", "b50000", "c50000", "d50000"])
  })
})

it("makes requests that do not stream for generate", async () => {
  const { fetch, asked } = memoryFetch(
    JSON.stringify({ id: "x", choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }),
  )
  const response = await new OpenAIChatModel({ model: "m", apiKey: "k", fetch }).generate(request)
  expect(response).toMatchObject({ id: "x", model: "m", stopReason: "stop" })
  expect(asked[0]?.body).not.toHaveProperty("stream")
  expect(toolUsesOf(response)).toEqual([])
})

it("fails with errors of one kind only", async () => {
  const fetch = () => Promise.resolve(new Response("{", { status: 200 }))
  const error: unknown = await new OpenAIChatModel({ model: "m", apiKey: "k", fetch, maxRetries: 0 })
    .generate(request)
    .catch((caught: unknown) => caught)
  expect(AgentScopeError.is(error, "malformed_response")).toBe(true)
})
