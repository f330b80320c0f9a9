import { type AddressInfo } from "node:net"
import { createServer, type IncomingMessage } from "node:http"
import { assistantMsg, type ChatUsage, systemMsg, textOf, toolResultMsg, userMsg } from "@agentscope-ts/message"
import type { ChatRequest, ToolSchema } from "@agentscope-ts/model"
import { GoogleGenAI } from "@google/genai"
import { afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { chunk, memoryFetch, streamOf } from "./fixtures/memory-fetch.ts"
import { GeminiChatModel, type GeminiOptions, type GeminiParams } from "./index.ts"

afterEach(() => vi.unstubAllEnvs())

const whole = JSON.stringify({ ...chunk([{ text: "hello" }], { finishReason: "STOP" }), responseId: "r1" })
const look: ToolSchema = {
  name: "look",
  description: "Looks",
  parameters: { type: "object", properties: { at: { const: "x" } }, additionalProperties: false },
}
const hello = { messages: [userMsg("hi")] }

async function sent(request: Partial<ChatRequest<GeminiParams>> = {}, options: Partial<GeminiOptions> = {}) {
  const warnings: string[] = []
  const { fetch, asked } = memoryFetch(whole)
  const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch, maxRetries: 0, ...options })
  await model
    .generate({ ...hello, ...request }, { onWarning: ({ code }) => warnings.push(code) })
    .catch((error: unknown) => {
      if (request.schema === undefined) throw error
    })
  return { ...(asked[0] as (typeof asked)[number]), warnings }
}
const configOf = async (params: GeminiParams, model = "gemini-2.5-flash") => {
  const { body, warnings } = await sent({ params }, { model })
  return { ...(body["generationConfig"] as object | undefined), ...(warnings.length > 0 && { warnings }) }
}

describe("where requests go", () => {
  it("is the Gemini API, with the key from the option or the SDK's variables", async () => {
    vi.stubEnv("GEMINI_API_KEY", "from-gemini")
    vi.stubEnv("GOOGLE_API_KEY", "")
    expect(await sent()).toMatchObject({
      url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
      headers: { "x-goog-api-key": "k" },
    })
    expect((await sent({}, { apiKey: undefined })).headers["x-goog-api-key"]).toBe("from-gemini")
    vi.stubEnv("GOOGLE_API_KEY", "from-google")
    vi.stubEnv("GOOGLE_GEMINI_BASE_URL", "https://proxy.example/gemini/")
    const { url, headers } = await sent({}, { apiKey: undefined, model: "tunedModels/mine", headers: { "x-a": "b" } })
    expect(url).toBe("https://proxy.example/gemini/v1beta/tunedModels/mine:generateContent")
    expect(headers).toMatchObject({ "x-goog-api-key": "from-google", "x-a": "b" })
  })

  it.each(["", "/v1beta", "/v1beta/", "/v1", "/v1beta/openai/"])(
    "has one version where the base URL ends with %j",
    async (ending) => {
      const { url } = await sent({}, { baseURL: `https://proxy.example/gemini${ending}` })
      expect(url).toBe("https://proxy.example/gemini/v1beta/models/gemini-2.5-flash:generateContent")
    },
  )

  it("is an error that names the variable where there is no key", () => {
    vi.stubEnv("GEMINI_API_KEY", "")
    vi.stubEnv("GOOGLE_API_KEY", "")
    const missing = expect.objectContaining({
      code: "missing_api_key",
      message: expect.stringContaining("GEMINI_API_KEY") as string,
    }) as Error
    expect(() => new GeminiChatModel({ model: "m" })).toThrow(missing)
    expect(() => new GeminiChatModel({ model: "m", vertex: { location: "us" } })).toThrow(/GOOGLE_API_KEY/)
  })

  it("is a stream's address for a stream", async () => {
    const { fetch, asked } = memoryFetch(streamOf([{ text: "a" }]))
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", baseURL: "https://x/?tag=1", fetch })
    expect(textOf(await model.stream(hello).response)).toBe("a")
    expect(asked[0]?.url).toBe("https://x/v1beta/models/gemini-2.5-flash:streamGenerateContent?tag=1&alt=sse")
  })

  it("is Vertex AI by project and location with a token, or in express mode with a key", async () => {
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", "")
    let count = 0
    const accessToken = async () => `t${++count}`
    const { url, headers } = await sent(
      {},
      { apiKey: undefined, vertex: { project: "p", location: "us-central1", accessToken } },
    )
    const path = "/v1/projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash:generateContent"
    expect(url).toBe(`https://us-central1-aiplatform.googleapis.com${path}`)
    expect(headers["authorization"]).toBe("Bearer t1")
    expect(headers["x-goog-api-key"]).toBeUndefined()
    expect(await sent({}, { vertex: {} })).toMatchObject({
      url: "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-flash:generateContent",
      headers: { "x-goog-api-key": "k" },
    })
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", "env")
    const eu = await sent(
      {},
      { apiKey: undefined, vertex: { location: "eu", accessToken: "t" }, apiVersion: "v1beta1" },
    )
    expect(eu.url).toMatch(/^https:\/\/aiplatform\.eu\.rep\.googleapis\.com\/v1beta1\/projects\/env\/locations\/eu\//)
    expect((await sent({}, { vertex: { project: "p" } })).url).toContain("/projects/p/locations/global/")
  })

  it("is found with a misspelt option or param", async () => {
    expect(() => new GeminiChatModel({ model: "m", apiKey: "k", vertexx: {} } as never)).toThrow(
      /did you mean "vertex"/,
    )
    await expect(sent({ params: { topk: 1 } as never })).rejects.toThrow(/topK/)
  })
})

/** A server that answers with the same body and keeps the requests. */
async function serve(body: string) {
  const heads: IncomingMessage[] = []
  const server = createServer((request, response) => {
    heads.push(request)
    request.resume().on("end", () => response.end(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heads, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

describe("a client of the SDK", () => {
  it("gives its address, key, version and headers", async () => {
    await using server = await serve(whole)
    const httpOptions = { baseUrl: server.url, headers: { "x-mine": "1" }, apiVersion: "v1alpha" }
    const client = new GoogleGenAI({ apiKey: "from-client", httpOptions })
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", client })
    expect(textOf(await model.generate(hello))).toBe("hello")
    const [head] = server.heads
    expect(head?.url).toBe("/v1alpha/models/gemini-2.5-flash:generateContent")
    expect(head?.headers).toMatchObject({ "x-goog-api-key": "from-client", "x-mine": "1" })
    expect(head?.headers["x-goog-api-client"]).toContain("google-genai-sdk")
  })

  it("gives the authentication of Vertex AI", async () => {
    await using server = await serve(whole)
    const client = new GoogleGenAI({
      vertexai: true,
      project: "p",
      location: "europe-west4",
      httpOptions: { baseUrl: server.url },
      googleAuthOptions: {
        authClient: { getRequestHeaders: () => Promise.resolve(new Headers({ authorization: "Bearer adc" })) } as never,
      },
    })
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", client })
    expect(textOf(await model.generate(hello))).toBe("hello")
    const [head] = server.heads
    expect(head?.url).toBe(
      "/v1beta1/projects/p/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent",
    )
    expect(head?.headers["authorization"]).toBe("Bearer adc")
  })

  it("must be one", () => {
    expect(() => new GeminiChatModel({ model: "m", client: {} as never })).toThrow(/no GoogleGenAI/)
  })
})

describe("what is asked for", () => {
  it("has the system message as instruction, and the rest as contents", async () => {
    const messages = [systemMsg("Be brief."), systemMsg("Be kind."), userMsg("hi"), systemMsg("Later.")]
    expect((await sent({ messages })).body).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "Be kind." }] },
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "user", parts: [{ text: "Later." }] },
      ],
    })
    const alone = await sent({ messages: [systemMsg("Be brief.")] })
    expect(alone.body).toEqual({ contents: [{ role: "user", parts: [{ text: "Be brief." }] }] })
  })

  it("has the settings under Gemini's names", async () => {
    const params: GeminiParams = {
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      maxTokens: 10,
      stop: ["END"],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseModalities: ["TEXT"],
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      cachedContent: "cachedContents/a",
      serverTools: [{ googleSearch: {} }],
      extraBody: {
        labels: { a: "b" },
        generationConfig: { mediaResolution: "LOW", topK: undefined },
        toolConfig: { includeServerSideToolInvocations: true },
      },
    }
    expect((await sent({ params, tools: [look], toolChoice: "auto" })).body).toEqual({
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 10,
        stopSequences: ["END"],
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        responseModalities: ["TEXT"],
        mediaResolution: "LOW",
      },
      toolConfig: { functionCallingConfig: { mode: "AUTO" }, includeServerSideToolInvocations: true },
      safetySettings: params.safetySettings,
      cachedContent: "cachedContents/a",
      labels: { a: "b" },
      tools: [
        {
          functionDeclarations: [
            {
              name: "look",
              description: "Looks",
              parameters: { type: "object", properties: { at: { type: "string", enum: ["x"] } } },
            },
          ],
        },
        { googleSearch: {} },
      ],
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
    })
    await expect(sent({ params: { extraBody: { contents: [] } } })).rejects.toThrow(/cannot hold contents/)
  })

  it.each([
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ name: "look" }, { mode: "ANY", allowedFunctionNames: ["look"] }],
  ] as const)("has the tool choice %j", async (toolChoice, functionCallingConfig) => {
    expect((await sent({ tools: [look], toolChoice })).body["toolConfig"]).toEqual({ functionCallingConfig })
  })

  it("has thinking as the model knows it", async () => {
    const thoughts = { includeThoughts: true }
    expect(await configOf({ reasoning: "low" })).toEqual({ thinkingConfig: { thinkingBudget: 1024, ...thoughts } })
    expect(await configOf({ reasoning: "off" })).toEqual({ thinkingConfig: { thinkingBudget: 0 } })
    expect(await configOf({ reasoning: { budgetTokens: 99 } })).toEqual({
      thinkingConfig: { thinkingBudget: 99, ...thoughts },
    })
    expect(await configOf({ reasoning: "off" }, "gemini-2.5-pro")).toMatchObject({
      thinkingConfig: { thinkingBudget: 128 },
      warnings: ["unsupported_param"],
    })
    const three = "gemini-3-flash-preview"
    expect(await configOf({ reasoning: "medium" }, three)).toEqual({
      thinkingConfig: { thinkingLevel: "medium", ...thoughts },
    })
    expect(await configOf({ reasoning: "off" }, three)).toMatchObject({
      thinkingConfig: { thinkingLevel: "minimal", includeThoughts: false },
      warnings: ["unsupported_param"],
    })
    expect(await configOf({ reasoning: "medium" }, "gemini-3-pro-preview")).toMatchObject({
      thinkingConfig: { thinkingLevel: "high" },
    })
    expect(await configOf({ reasoning: "high" }, "gemini-2.0-flash")).toEqual({ warnings: ["unsupported_param"] })
    // its answers count thoughts too
    expect(await configOf({ reasoning: { budgetTokens: 8000 }, maxTokens: 500 })).toMatchObject({
      maxOutputTokens: 8500,
      warnings: ["max_tokens_raised"],
    })
    expect(await configOf({ reasoning: "low", maxTokens: 2000 })).toMatchObject({ maxOutputTokens: 2000 })
    expect(await configOf({ reasoning: "low", thinkingConfig: { includeThoughts: false } })).toEqual({
      thinkingConfig: { thinkingBudget: 1024, includeThoughts: false },
    })
  })
})

describe("structured output", () => {
  const schema = z.object({ city: z.string() })
  const answer = (parts: readonly unknown[]) => JSON.stringify(chunk(parts, { finishReason: "STOP" }))

  it("is Gemini's own without tools, and from Gemini 3 on with them", async () => {
    const config = {
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", required: ["city"] },
      },
    }
    expect((await sent({ schema })).body).toMatchObject(config)
    const { body } = await sent({ schema, tools: [look] }, { model: "gemini-3-pro-preview" })
    expect(body).toMatchObject(config)
    expect(body["toolConfig"]).toBeUndefined()
    const { fetch } = memoryFetch(answer([{ text: '{"city":"Rome"}' }]))
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch })
    expect((await model.generate({ ...hello, schema })).structured).toEqual({ city: "Rome" })
  })

  it("is a tool that must be called, before Gemini 3 with tools", async () => {
    const { fetch, asked } = memoryFetch(answer([{ functionCall: { name: "final_answer", args: { city: "Rome" } } }]))
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch })
    const response = await model.generate({ ...hello, schema, tools: [look] })
    expect(response).toMatchObject({ structured: { city: "Rome" }, stopReason: "stop" })
    expect(asked[0]?.body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "ANY" } })
    const [tools] = (asked[0]?.body["tools"] ?? []) as { functionDeclarations: { name: string }[] }[]
    expect(tools?.functionDeclarations.map(({ name }) => name)).toEqual(["look", "final_answer"])
    const { body } = await sent({ schema, tools: [look], toolChoice: "none" })
    expect(body["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["final_answer"] },
    })
  })
})

describe("a conversation", () => {
  it("is sent whole each time, and its tools' media as the model takes them", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqPhfDwADggGAWjR9awAAAABJRU5ErkJggg=="
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } } as const
    const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const
    const messages = [userMsg("hi")]
    const conversation = {}
    for (const model of ["gemini-2.5-flash", "gemini-3-flash-preview"]) {
      const { fetch, asked } = memoryFetch(whole)
      const gemini = new GeminiChatModel({ model, apiKey: "k", fetch })
      await gemini.generate({ messages, conversation })
      const grown = [
        ...messages,
        assistantMsg([call]),
        toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output: [image], state: "success" }]),
      ]
      await gemini.generate({ messages: grown, conversation })
      const [first, second] = asked.map(({ body }) => body["contents"] as unknown[])
      expect(second?.slice(0, 1)).toEqual(first)
      // once only: in the result, or after it
      expect(JSON.stringify(second).split(png).length).toBe(2)
      expect(second?.length).toBe(model.includes("3") ? 3 : 4)
    }
  })
})

it("sends what was said before a call with the call, as the conversation grows", async () => {
  const { fetch, asked } = memoryFetch(whole)
  const gemini = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch })
  const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const
  const result = { type: "tool_result", id: "c1", name: "look", output: [], state: "success" } as const
  const messages = [userMsg("hi"), assistantMsg("Let me see.")]
  const conversation = {}
  await gemini.generate({ messages, conversation })
  const grown = [...messages, assistantMsg([call]), toolResultMsg([result])]
  await gemini.generate({ messages: grown, conversation })
  await gemini.generate({ messages: [...grown, assistantMsg("Seen."), userMsg("And?")], conversation })
  const contents = asked.map(({ body }) => body["contents"] as { role: string; parts: unknown[] }[])
  expect(contents[0]?.map(({ role }) => role)).toEqual(["user", "model"])
  expect(contents[1]?.map(({ role, parts }) => `${role} ${parts.length}`)).toEqual(["user 1", "model 2", "user 1"])
  expect(contents[2]?.slice(0, 3)).toEqual(contents[1])
  expect(contents[2]?.map(({ role }) => role)).toEqual(["user", "model", "user", "model", "user"])
})

describe("countTokens", () => {
  it("asks Gemini for all that a request holds", async () => {
    const { fetch, asked } = memoryFetch(JSON.stringify({ totalTokens: 31 }))
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch })
    expect(await model.countTokens({ messages: [systemMsg("s"), userMsg("hi")], tools: [look] })).toBe(31)
    expect(asked[0]?.url).toMatch(/v1beta\/models\/gemini-2\.5-flash:countTokens$/)
    expect(asked[0]?.body).toMatchObject({
      generateContentRequest: {
        model: "models/gemini-2.5-flash",
        systemInstruction: { parts: [{ text: "s" }] },
        tools: [{ functionDeclarations: [{ name: "look" }] }],
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
      },
    })
    const vertex = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch, vertex: {} })
    expect(await vertex.countTokens(hello)).toBe(31)
    expect(asked[1]?.body).toEqual({ contents: [{ role: "user", parts: [{ text: "hi" }] }] })
  })

  it("estimates where Gemini does not say", async () => {
    const { fetch } = memoryFetch("{}", { status: 404 })
    const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch })
    expect(await model.countTokens(hello)).toBeGreaterThan(0)
    await expect(model.countTokens({ ...hello, signal: AbortSignal.abort() })).rejects.toThrow()
  })
})

it("tells time and figures of a call", async () => {
  const body = JSON.stringify({
    ...JSON.parse(whole),
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, thoughtsTokenCount: 2 },
  })
  const model = new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", fetch: memoryFetch(body).fetch })
  const { id, usage } = await model.generate(hello)
  expect(id).toBe("r1")
  expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 3, reasoningTokens: 2 } satisfies Partial<ChatUsage>)
  expect(usage?.costUsd).toBeGreaterThan(0)
})
