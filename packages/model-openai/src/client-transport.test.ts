import { scriptedServer, until } from "@agentscope-ts/fixtures"
import { replaceAmbient, textOf, userMsg } from "@agentscope-ts/message"
import OpenAI, { AzureOpenAI } from "openai"
import { describe, expect, it } from "vitest"
import { memoryFetch, sse, chunk, streamOf } from "./fixtures/stream.ts"
import { DeepSeekChatModel, OpenAIChatModel, type OpenAIClient } from "./index.ts"

const request = { messages: [userMsg("hi")] }
const answer = streamOf([{ content: "Hello" }])

describe("the official client", () => {
  it("sends with its own key and endpoint; the answer is read as always", async () => {
    await using server = await scriptedServer((response) => void response.end(answer))
    const client = new OpenAI({ apiKey: "client-key", baseURL: `${server.url}/v1`, organization: "org" })
    const model = new OpenAIChatModel({ model: "m", client, params: { temperature: 0 } })
    expect(textOf(await model.stream(request).response)).toBe("Hello")
    expect(server.heads[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer client-key", "openai-organization": "org" },
    })
    expect(JSON.parse(server.bodies[0] ?? "")).toMatchObject({ model: "m", stream: true, temperature: 0 })
  })

  it("may be Azure's", async () => {
    await using server = await scriptedServer((response) => void response.end(answer))
    const client = new AzureOpenAI({ apiKey: "k", endpoint: server.url, apiVersion: "2024-10-21" })
    await new OpenAIChatModel({ model: "my-deployment", client }).stream(request).response
    expect(server.heads[0]?.url).toBe("/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21")
  })

  it("of DeepSeek's API is asked where it says, and its address stands in errors", async () => {
    await using server = await scriptedServer((response) => void response.writeHead(400).end("no"))
    const client = new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1` })
    const failing = new DeepSeekChatModel({ model: "m", client }).generate(request)
    await expect(failing).rejects.toThrow(`${server.url}/v1/chat/completions`)
  })

  it("makes requests that do not stream too", async () => {
    const { fetch, asked } = memoryFetch(
      JSON.stringify({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] }),
    )
    const model = new OpenAIChatModel({ model: "m", client: new OpenAI({ apiKey: "k", fetch }) })
    expect(textOf(await model.generate(request))).toBe("Hi")
    expect(asked[0]?.url).toBe("https://api.openai.com/v1/chat/completions")
  })

  it("retries by itself, so that we do not", async () => {
    let calls = 0
    const fetch = () => {
      calls++
      const status = calls < 3 ? 503 : 200
      return Promise.resolve(
        new Response(status === 200 ? answer : "busy", { status, headers: { "retry-after-ms": "1" } }),
      )
    }
    const client = new OpenAI({ apiKey: "k", fetch, maxRetries: 2 })
    await new OpenAIChatModel({ model: "m", client }).stream(request).response
    expect(calls).toBe(3)
    calls = -100
    await expect(new OpenAIChatModel({ model: "m", client }).stream(request).response).rejects.toMatchObject({
      code: "overloaded",
    })
    expect(calls).toBe(-97)
  })

  it.each([
    [401, { error: { message: "Incorrect key", code: "invalid_api_key" } }, "authentication"],
    [400, { error: { message: "too long", code: "context_length_exceeded" } }, "context_overflow"],
    [429, { error: { message: "slow" } }, "rate_limited"],
  ])("has its %i made one of our errors", async (status, body, code) => {
    const fetch = () => Promise.resolve(Response.json(body, { status, headers: { "retry-after": "7" } }))
    const model = new OpenAIChatModel({ model: "m", client: new OpenAI({ apiKey: "k", fetch, maxRetries: 0 }) })
    await expect(model.generate(request)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(body.error.message) as string,
      details: { status, retryAfterMs: 7000 },
    })
  })

  it("has its failures below HTTP made ours too", async () => {
    const refused = new OpenAI({ apiKey: "k", baseURL: "http://127.0.0.1:9/v1", maxRetries: 0 })
    await expect(new OpenAIChatModel({ model: "m", client: refused }).generate(request)).rejects.toMatchObject({
      code: "network",
    })
    await using server = await scriptedServer(() => {})
    const slow = new OpenAI({ apiKey: "k", baseURL: server.url, maxRetries: 0, timeout: 30 })
    await expect(new OpenAIChatModel({ model: "m", client: slow }).generate(request)).rejects.toMatchObject({
      code: "timeout",
    })
  })

  it("is stopped by the caller's signal", async () => {
    await using server = await scriptedServer((response) => void response.write(sse(chunk({ content: "half" }))))
    const controller = new AbortController()
    const client = new OpenAI({ apiKey: "k", baseURL: server.url })
    const stream = new OpenAIChatModel({ model: "m", client }).stream({ ...request, signal: controller.signal })
    await expect(stream.drive({ onDelta: () => controller.abort() })).rejects.toMatchObject({ code: "aborted" })
    expect(textOf(stream.partial())).toBe("half")
    await until(() => server.open() === 0)
  })

  it("goes through a tape", async () => {
    const inner = memoryFetch("never")
    const taped = memoryFetch(answer)
    const model = new OpenAIChatModel({ model: "m", client: new OpenAI({ apiKey: "k", fetch: inner.fetch }) })
    const restore = replaceAmbient({ transport: () => taped.fetch })
    try {
      expect(textOf(await model.stream(request).response)).toBe("Hello")
    } finally {
      restore()
    }
    expect([inner.asked.length, taped.asked.length]).toEqual([0, 1])
  })
})

it("takes the client's type as it is", () => {
  const client: OpenAIClient = new OpenAI({ apiKey: "k" })
  expect(client.baseURL).toBe("https://api.openai.com/v1")
})

it("does not load the client's package by itself", async () => {
  const { execFileSync } = await import("node:child_process")
  const script = `
    await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)})
    const { registerHooks } = await import("node:module")
    console.log("loaded")`
  const loader = `data:text/javascript,import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { if (/node_modules.openai/.test(url)) throw new Error("loaded " + url); return next(url, context) } })`
  const args = ["--conditions=@agentscope-ts/source", "--import", loader, "--input-type=module", "-e", script]
  expect(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }).trim()).toBe("loaded")
})
