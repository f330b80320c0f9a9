import { blocksOf, textOf, toolUsesOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { done, line, memoryFetch, streamOf } from "./fixtures/stream.ts"
import { OllamaChatModel } from "./index.ts"

const messages = [userMsg("hi")]
const modelOf = (text: string, init: ResponseInit = {}) =>
  new OllamaChatModel({ model: "m", fetch: memoryFetch(text, init).fetch, maxRetries: 0 })
const answer = (text: string): Promise<ChatResponse> => modelOf(text).stream({ messages }).response
const call = (name: string, args: unknown, rest: object = {}) => ({ ...rest, function: { name, arguments: args } })
const callsOf = (response: ChatResponse) => toolUsesOf(response).map(({ name, input }) => [name, input])

describe("a stream", () => {
  it("has thinking, text and calls in its lines", async () => {
    const said = [{ thinking: "Let me" }, { thinking: " look." }, { content: "On " }, { content: "it." }]
    const response = await answer(streamOf([...said, { tool_calls: [call("f", { a: 1 })] }]))
    expect(blocksOf(response, "thinking").map((block) => block.thinking)).toEqual(["Let me look."])
    expect(textOf(response)).toBe("On it.")
    expect(callsOf(response)).toEqual([["f", { a: 1 }]])
    expect(response.stopReason).toBe("tool_use")
  })

  it("may have blank lines, CRLF and no end to its last line", async () => {
    const text = `\n${line({ content: "a" })}\r\n${done()}`
    expect(textOf(await answer(text.replaceAll("}\n", "}\r\n").trimEnd()))).toBe("a")
  })

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["load", "stop"],
    [undefined, "stop"],
  ])("that is done for the reason %s stops by %s", async (done_reason, stopReason) => {
    expect((await answer(streamOf([{ content: "a" }], { done_reason }))).stopReason).toBe(stopReason)
  })

  it("that ends before it is done can be tried again, and what came is kept", async () => {
    const stream = modelOf(line({ content: "Hello" })).stream({ messages })
    await expect(stream.response).rejects.toMatchObject({ code: "malformed_response", retryable: true })
    expect(textOf(stream.partial())).toBe("Hello")
  })
})

describe("tool calls", () => {
  it("FR-05 of one name, without ids, are given one each, in one line or several", async () => {
    const pair = [call("get_weather", { city: "NYC" }), call("get_weather", { city: "LA" })]
    for (const lines of [[{ tool_calls: pair }], pair.map((one) => ({ tool_calls: [one] }))]) {
      const response = await answer(streamOf(lines))
      expect(callsOf(response)).toEqual([
        ["get_weather", { city: "NYC" }],
        ["get_weather", { city: "LA" }],
      ])
      expect(new Set(toolUsesOf(response).map(({ id }) => id)).size).toBe(2)
    }
  })

  it("keep the ids that they have", async () => {
    const calls = [call("f", {}, { id: "call_a" }), call("f", {}, { id: "" }), call("f", {}, { id: "call_a" })]
    const ids = toolUsesOf(await answer(streamOf([{ tool_calls: calls }]))).map(({ id }) => id)
    expect(ids[0]).toBe("call_a")
    expect(new Set(ids).size).toBe(3)
  })

  it("FR-03 are as many as there are where all have the index 0", async () => {
    const calls = ["a", "b", "b"].map((path) => ({ function: { index: 0, name: "write", arguments: { path } } }))
    const response = await answer(streamOf(calls.map((one) => ({ tool_calls: [one] }))))
    expect(callsOf(response).map(([, input]) => input)).toEqual([{ path: "a" }, { path: "b" }, { path: "b" }])
  })

  it.each([
    [
      { city: "北京", n: { list: [1] } },
      { city: "北京", n: { list: [1] } },
    ],
    ['{"city":"北京"}', { city: "北京" }],
    [{}, {}],
    ["", {}],
    [null, {}],
    [undefined, {}],
  ])("FR-01 FR-02 have their arguments as an object, as text, or none: %j", async (args, input) => {
    expect(callsOf(await answer(streamOf([{ tool_calls: [call("f", args)] }])))).toEqual([["f", input]])
  })

  it("without a name are no calls", async () => {
    await expect(answer(streamOf([{ tool_calls: [call("", {}, { id: "c1" })] }]))).rejects.toMatchObject({
      code: "malformed_response",
    })
  })
})

describe("usage", () => {
  it("FR-09 has the figures that came, and is absent where none did", async () => {
    expect((await answer(streamOf([{ content: "a" }]))).usage).toMatchObject({ inputTokens: 10, outputTokens: 3 })
    const none = { prompt_eval_count: undefined, eval_count: undefined }
    expect((await answer(streamOf([{ content: "a" }], none))).usage).toBeUndefined()
  })
})

describe("FR-07 an error in a stream", () => {
  it.each([
    [{ error: "model runner has unexpectedly stopped" }, "model runner has unexpectedly stopped"],
    [{ error: { message: "out of memory" } }, "out of memory"],
    ["odd", "ollama/m failed within its answer: odd"],
    [[1], "a line is no object"],
  ])("keeps what was said: %j", async (value, message) => {
    const stream = modelOf(`${line({ content: "Hello" })}${JSON.stringify(value)}\n`).stream({ messages })
    await expect(stream.response).rejects.toMatchObject({ code: "server_error", retryable: true })
    await expect(stream.response).rejects.toThrow(message)
    expect(textOf(stream.partial())).toBe("Hello")
  })
})

describe("an answer that is one value", () => {
  const whole = { message: { content: "Yes", thinking: "Hm" }, done: true, done_reason: "stop", eval_count: 2 }

  it("may stand on several lines, or come as a stream although none was asked for", async () => {
    expect(textOf(await modelOf(JSON.stringify(whole, null, 2)).generate({ messages }))).toBe("Yes")
    expect(textOf(await modelOf(streamOf([{ content: "Y" }, { content: "es" }])).generate({ messages }))).toBe("Yes")
  })

  it("is none where it is a web page or nothing", async () => {
    await expect(modelOf("<html>").generate({ messages })).rejects.toThrow("It looks like a web page")
    await expect(modelOf("<html>").stream({ messages }).response).rejects.toThrow("It looks like a web page")
    await expect(modelOf("").generate({ messages })).rejects.toMatchObject({ code: "malformed_response" })
  })
})

describe("an answer of a gateway", () => {
  const said = streamOf([{ thinking: "Hm" }, ...Array.from({ length: 30 }, (_, i) => ({ content: `${i} ` }))])
  const values = said.trim().split("\n")
  const text = Array.from({ length: 30 }, (_, i) => `${i} `).join("")
  const pieces = (body: string, size: number) =>
    Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size))
  const cut = (body: string, size: number) => {
    const encoder = new TextEncoder()
    const stream = new ReadableStream({
      start: (controller) => {
        for (const piece of pieces(body, size)) controller.enqueue(encoder.encode(piece))
        controller.close()
      },
    })
    return new OllamaChatModel({ model: "m", fetch: () => Promise.resolve(new Response(stream)), maxRetries: 0 })
  }

  it.each([
    ["data", values.map((value) => `data: ${value}\n\n`).join("")],
    [
      "data, numbers and comments",
      `: hello\n\n${values.map((value, i) => `id: ${i}\nevent: x\ndata:${value}\r\n\r\n`).join("")}data: [DONE]\n\n`,
    ],
    ["no blank lines", values.map((value) => `data: ${value}\n`).join("")],
    ["no frames at all", `\ufeff\n${said}`],
  ])("may stand in the frames of events: %s", async (_, body) => {
    for (const size of [1, 7, body.length]) {
      for (const response of [
        await cut(body, size).stream({ messages }).response,
        await cut(body, size).generate({ messages }),
      ]) {
        expect(textOf(response)).toBe(text)
        expect(blocksOf(response, "thinking")).toHaveLength(1)
        expect(response.usage).toMatchObject({ inputTokens: 10, outputTokens: 3 })
      }
    }
  })

  it("may be one value on many lines although a stream was asked for", async () => {
    const body = JSON.stringify(
      { message: { content: "Yes" }, done: true, prompt_eval_count: "7", eval_count: 2 },
      null,
      2,
    )
    for (const size of [1, 2, body.length]) {
      const response = await cut(body, size).stream({ messages }).response
      expect(textOf(response)).toBe("Yes")
      expect(response.usage).toMatchObject({ inputTokens: 7, outputTokens: 2 })
    }
    await expect(cut(body.slice(0, -4), 3).stream({ messages }).response).rejects.toMatchObject({
      code: "malformed_response",
      retryable: true,
    })
  })

  it("tells with an error in its stream how grave that is", async () => {
    const failed = `${line({ content: "A" })}${JSON.stringify({ error: "upstream", status_code: 503 })}\n`
    await expect(answer(failed)).rejects.toMatchObject({ code: "overloaded", retryable: true })
    const denied = JSON.stringify({ error: "no", status_code: 401 })
    await expect(answer(denied)).rejects.toMatchObject({ code: "authentication", retryable: false })
  })
})
