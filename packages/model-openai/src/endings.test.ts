import { getEventListeners } from "node:events"
import { scriptedServer, until } from "@agentscope-ts/fixtures"
import { type ChatDelta, replaceAmbient, textOf, userMsg } from "@agentscope-ts/message"
import { withFallback } from "@agentscope-ts/model"
import { afterEach, describe, expect, it, vi } from "vitest"
import { chunk, sse, streamOf } from "./fixtures/stream.ts"
import { OpenAIChatModel, type OpenAIOptions } from "./index.ts"

const request = { messages: [userMsg("hi")] }
const unhandled = vi.fn<(error: unknown) => void>()
process.on("unhandledRejection", unhandled)
afterEach(() => expect(unhandled).not.toHaveBeenCalled())

describe("endings over a real connection", () => {
  const partly =
    sse(chunk({ content: "Hel" })) +
    sse(chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] })) +
    sse(chunk({ content: "lo" }))
  const kept = [
    { type: "text", text: "Hel" },
    { type: "tool_use", id: "c", name: "f", input: {} },
    { type: "text", text: "lo" },
  ]
  const modelAt = (url: string, options: Partial<OpenAIOptions> = {}) =>
    new OpenAIChatModel({ model: "m", apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0, ...options })

  it("keeps what came when the connection drops", async () => {
    await using server = await scriptedServer((response) => {
      response.write(partly)
      setTimeout(() => response.destroy(), 10)
    })
    const stream = modelAt(server.url, { maxRetries: 2 }).stream(request)
    await expect(stream.response).rejects.toMatchObject({ code: "network", retryable: true })
    expect(stream.partial()).toMatchObject({ stopReason: "error", content: kept })
    // something was said: not tried again
    expect(server.bodies).toHaveLength(1)
  })

  it("loses nothing when the connection drops after the end of the answer", async () => {
    await using server = await scriptedServer((response) => {
      response.write(partly + sse(chunk({}, { finish_reason: "stop" })))
      setTimeout(() => response.destroy(), 10)
    })
    expect(await modelAt(server.url).stream(request).response).toMatchObject({ stopReason: "tool_use", content: kept })
  })

  it.each([
    ["[DONE]", "data: [DONE]\n\n", 250],
    ["a finish reason", "", 5000],
  ])("does not wait for a server that never ends after %s", async (_, done, graceMs) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await scriptedServer(
      (response) => void response.write(streamOf([{ content: "all" }]).replace("data: [DONE]\n\n", done)),
    )
    const answer = modelAt(server.url).stream(request).response
    let waited = 0
    const clock = setInterval(() => {
      waited += 50
      vi.advanceTimersByTime(50)
    }, 1)
    expect(textOf(await answer)).toBe("all")
    clearInterval(clock)
    // the clock runs while the answer is on its way, too
    expect(waited).toBeGreaterThanOrEqual(graceMs)
    expect(waited).toBeLessThan(graceMs + 4000)
    vi.useRealTimers()
    await until(() => server.open() === 0)
  })

  it("gives up a server that falls silent in the middle", async () => {
    await using server = await scriptedServer((response) => void response.write(partly))
    const stream = modelAt(server.url, { timeoutMs: 50 }).stream(request)
    await expect(stream.response).rejects.toMatchObject({ code: "timeout", retryable: true })
    expect(stream.partial().content).toEqual(kept)
    await until(() => server.open() === 0)
  })

  it("FR-12 ends at once when aborted in the middle of a delta", async () => {
    await using server = await scriptedServer(
      (response) => void response.write(`${partly}data: {"id":"chatcmpl-1","cho`),
    )
    const controller = new AbortController()
    const stream = modelAt(server.url).stream({ ...request, signal: controller.signal })
    const deltas: ChatDelta[] = []
    const consumed = (async () => {
      for await (const delta of stream) {
        deltas.push(delta)
        if (delta.type === "text_delta" && delta.text === "lo") setTimeout(() => controller.abort("enough"), 5)
      }
    })()
    await expect(consumed).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    await expect(stream.response).rejects.toMatchObject({ code: "aborted" })
    expect(stream.partial()).toMatchObject({ stopReason: "interrupted", content: kept })
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
    await until(() => server.open() === 0)
  })

  it("closes the connection when the consumer leaves", async () => {
    await using server = await scriptedServer((response) => void response.write(partly))
    for await (const _ of modelAt(server.url).stream(request)) break
    await until(() => server.open() === 0)
  })

  it("fails the call with what a consumer throws, and closes the connection", async () => {
    await using server = await scriptedServer((response) => void response.write(partly))
    const mine = new RangeError("mine")
    const onDelta = () => {
      throw mine
    }
    await expect(modelAt(server.url).stream(request).drive({ onDelta })).rejects.toBe(mine)
    await until(() => server.open() === 0)
  })

  it("FR-10 waits as long as the server says before it asks again", async () => {
    const waits: number[] = []
    const restore = replaceAmbient({ sleep: (ms) => (waits.push(ms), Promise.resolve()) })
    try {
      await using server = await scriptedServer((response, _, count) => {
        if (count > 2) return void response.end(streamOf([{ content: "ok" }]))
        response.writeHead(429, count === 1 ? { "retry-after-ms": "1500", "retry-after": "9" } : { "retry-after": "2" })
        response.end('{"error":{"message":"slow down"}}')
      })
      expect(textOf(await modelAt(server.url, { maxRetries: 2 }).stream(request).response)).toBe("ok")
      expect(waits).toEqual([1500, 2000])
    } finally {
      restore()
    }
  })

  it("FR-10 does not wait for a day", async () => {
    await using server = await scriptedServer((response) => {
      response.writeHead(429, { "retry-after": "86400" })
      response.end("{}")
    })
    const error: unknown = await modelAt(server.url, { maxRetries: 2 })
      .generate(request)
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: "rate_limited", details: { retryAt: expect.any(String) as string } })
    expect(server.bodies).toHaveLength(1)
  })

  it("asks again when nothing was said yet", async () => {
    await using server = await scriptedServer((response, _, count) => {
      if (count === 1) response.destroy()
      else if (count === 2) response.writeHead(503).end("busy")
      else response.end(streamOf([{ content: "ok" }]))
    })
    const restore = replaceAmbient({ sleep: () => Promise.resolve() })
    try {
      expect(textOf(await modelAt(server.url, { maxRetries: 2 }).stream(request).response)).toBe("ok")
    } finally {
      restore()
    }
  })

  it("FR-11 leaves nothing on a signal that fifty calls share, and warns of nothing", async () => {
    const warned = vi.fn<(warning: Error) => void>()
    process.on("warning", warned)
    await using server = await scriptedServer((response) => response.end(streamOf([{ content: "ok" }])))
    const model = modelAt(server.url)
    const { signal } = new AbortController()
    for (let i = 0; i < 50; i++) {
      await model.stream({ ...request, signal }).response
      expect(getEventListeners(signal, "abort")).toHaveLength(0)
    }
    await Promise.all(Array.from({ length: 50 }, () => model.generate({ ...request, signal }).catch(() => {})))
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", warned)
    expect(warned).not.toHaveBeenCalled()
    expect(server.open()).toBeLessThanOrEqual(50)
  })

  it("falls over to another model", async () => {
    await using server = await scriptedServer((response) => response.end(streamOf([{ content: "second" }])))
    const model = withFallback([modelAt("http://127.0.0.1:1"), modelAt(server.url)])
    expect(textOf(await model.stream(request).response)).toBe("second")
  })
})
