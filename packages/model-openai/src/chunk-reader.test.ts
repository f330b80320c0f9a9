import {
  AgentScopeError,
  blocksOf,
  createMsg,
  textOf,
  toolResultMsg,
  toolResult,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, it, vi } from "vitest"
import { chunk, memoryFetch, read, sse, streamOf } from "./fixtures/stream.ts"
import { OpenAIChatModel, type OpenAIOptions } from "./index.ts"

function modelOf(text: string, options: Partial<OpenAIOptions> = {}) {
  const { fetch, asked } = memoryFetch(text)
  return {
    model: new OpenAIChatModel({ model: "m", apiKey: "k", fetch, maxRetries: 0, maxReasks: 0, ...options }),
    asked,
  }
}

const request = { messages: [userMsg("hi")] }
const stream = (text: string) => modelOf(text).model.stream(request)
const generate = (body: unknown) => modelOf(JSON.stringify(body)).model.generate(request)

/** What a stream that must fail fails with, and what is left of it. */
async function failureOf(text: string) {
  const failing = stream(text)
  const error = await failing.response.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!AgentScopeError.is(error)) throw error ?? new TypeError("the stream did not fail")
  return { error, partial: failing.partial() }
}

describe("a message that ends a stream with all of it once more", () => {
  const whole = (message: object) =>
    sse({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
  const call = { id: "c", type: "function", function: { name: "look", arguments: '{"a":1}' } }

  it.each([
    ["the same", [{ content: "He" }, { content: "llo" }], { content: "Hello" }, "Hello", ""],
    ["more", [{ content: "He" }], { content: "Hello" }, "Hello", ""],
    [
      "thinking",
      [{ reasoning_content: "Hm" }, { content: "Hi" }],
      { reasoning_content: "Hm", content: "Hi" },
      "Hi",
      "Hm",
    ],
    ["all", [{ role: "assistant" }], { reasoning: "Hm", content: "Hi" }, "Hi", "Hm"],
  ] as const)("adds only what was not said: %s", async (what, deltas, message, said, thought) => {
    // what follows a call is a text of its own
    for (const repeats of what === "more" ? [[]] : [[], [call]]) {
      const calls = repeats.map((one) => ({ tool_calls: [{ index: 0, ...one }] }))
      const text = [...deltas, ...calls].map((delta) => sse(chunk(delta))).join("")
      const response = await stream(`${text}${whole({ ...message, tool_calls: repeats })}data: [DONE]\n\n`).response
      expect(textOf(response)).toBe(said)
      expect(
        blocksOf(response, "thinking")
          .map(({ thinking }) => thinking)
          .join(""),
      ).toBe(thought)
      expect(toolUsesOf(response)).toHaveLength(repeats.length)
      expect(response).toMatchObject({
        usage: { inputTokens: 3 },
        stopReason: repeats.length > 0 ? "tool_use" : "stop",
      })
    }
  })
})

describe("pictures of an answer", () => {
  const url = "data:image/png;base64,iVBORw0KGgo="
  const source = { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" }
  const part = { type: "image_url", image_url: { url } }
  const bare = { type: "image_url", image_url: "https://h/a.png" }

  it.each([
    ["in a field of their own", { content: "Here", images: [part] }, source],
    ["as parts of the content", { content: [{ type: "text", text: "Here" }, part] }, source],
    ["by their place", { content: "Here", images: [bare] }, { type: "url", url: "https://h/a.png" }],
  ])("are blocks: %s", async (_, message, expected) => {
    const streamed = stream(streamOf([{ role: "assistant", content: "" }, message, { content: "" }], "stop")).response
    for (const response of [await generate({ choices: [{ message, finish_reason: "stop" }] }), await streamed]) {
      expect(textOf(response)).toBe("Here")
      expect(blocksOf(response, "image")).toMatchObject([{ type: "image", source: expected }])
    }
  })
})

describe("text and thinking", () => {
  it.each([
    ["reasoning_content", { reasoning_content: "so" }],
    ["reasoning", { reasoning: "so" }],
    ["both, of which one counts", { reasoning_content: "so", reasoning: "so" }],
    [
      "content parts",
      {
        content: [
          {
            type: "thinking",
            thinking: [
              { type: "text", text: "s" },
              { type: "text", text: "o" },
            ],
          },
        ],
      },
    ],
    ["content parts with a text", { content: [{ type: "thinking", thinking: "so" }] }],
    ["reasoning_details alone", { reasoning_details: [{ type: "reasoning.summary", summary: "so" }] }],
  ])("are read from %s, streamed or not", async (_, delta) => {
    const streamed = await stream(streamOf([delta, { content: "yes" }])).response
    const parts: unknown = (delta as { content?: unknown }).content
    const text = Array.isArray(parts)
      ? { content: [...(parts as object[]), { type: "text", text: "yes" }] }
      : { ...delta, content: "yes" }
    const whole = await generate({ choices: [{ message: text, finish_reason: "stop" }] })
    for (const response of [streamed, whole]) {
      expect(blocksOf(response, "thinking").map(({ thinking }) => thinking)).toEqual(["so"])
      expect(textOf(response)).toBe("yes")
    }
  })

  it("become a block each time the kind changes", async () => {
    const deltas = [
      { reasoning: "a" },
      { reasoning: "b" },
      { content: "c" },
      { reasoning: "d" },
      { content: "e" },
      { content: "f" },
    ]
    const { content } = await stream(streamOf(deltas)).response
    expect(content).toEqual([
      { type: "thinking", thinking: "ab" },
      { type: "text", text: "c" },
      { type: "thinking", thinking: "d" },
      { type: "text", text: "ef" },
    ])
  })

  it("come as deltas while they come, under the provider's id", async () => {
    const chunks: unknown[] = []
    for await (const delta of stream(
      streamOf([{ role: "assistant", content: "" }, { content: "a" }, { content: "b" }]),
    ))
      chunks.push(delta)
    expect(chunks).toEqual([
      { type: "text_delta", index: 0, text: "a" },
      { type: "text_delta", index: 0, text: "b" },
      { type: "block_end", index: 0, block: { type: "text", text: "ab" } },
    ])
    expect((await stream(streamOf([{ content: "a" }])).response).id).toBe("chatcmpl-1")
  })

  it("are taken from the first choice only", async () => {
    const other = sse({ id: "1", choices: [{ index: 1, delta: { content: "no" }, finish_reason: "length" }] })
    const both = sse({
      id: "1",
      choices: [
        { index: 1, delta: { content: "no" } },
        { index: 0, delta: { content: "yes" } },
      ],
    })
    const response = await stream(other + both + streamOf([])).response
    expect(response).toMatchObject({ stopReason: "stop", content: [{ text: "yes" }] })
  })

  it("are read without parsing once the frame of the chunks is known", async () => {
    const text = streamOf(Array.from({ length: 500 }, () => ({ content: "word " })))
    const parse = vi.spyOn(JSON, "parse")
    const response = await stream(text).response
    const parsed = parse.mock.calls.length
    parse.mockRestore()
    expect(textOf(response)).toBe("word ".repeat(500))
    expect(parsed).toBeLessThan(50)
  })
})

describe("the end", () => {
  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["content_filter", "content_filter"],
    ["sensitive", "content_filter"],
    ["eos", "stop"],
    ["tool_calls", "stop"],
    ["function_call_filter: MALFORMED_FUNCTION_CALL", "malformed_tool_call"],
  ])("%s without calls is %s", async (word, stopReason) => {
    expect((await stream(streamOf([{ content: "a" }], word)).response).stopReason).toBe(stopReason)
    const whole = { choices: [{ message: { content: "a" }, finish_reason: word }] }
    expect((await generate(whole)).stopReason).toBe(stopReason)
  })

  it("is a refusal when the model says why it does not answer", async () => {
    const streamed = await stream(streamOf([{ refusal: "I" }, { refusal: " cannot" }])).response
    const whole = await generate({
      choices: [{ message: { content: null, refusal: "I cannot" }, finish_reason: "stop" }],
    })
    expect([streamed, whole].map(({ stopReason, content, refusal }) => ({ stopReason, content, refusal }))).toEqual([
      { stopReason: "refusal", content: [], refusal: "I cannot" },
      { stopReason: "refusal", content: [], refusal: "I cannot" },
    ])
  })

  it("leaves arguments that the limit cut off unparsed", async () => {
    const call = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a":"b' } }] }
    const response = await stream(streamOf([call], "length")).response
    expect(response.stopReason).toBe("length")
    expect(toolUsesOf(response)).toEqual([{ type: "tool_use", id: "c", name: "f", input: {}, rawInput: '{"a":"b' }])
  })

  it("needs no [DONE], and no finish reason before a [DONE]", async () => {
    const text = sse(chunk({ content: "a" }))
    expect((await stream(text + sse(chunk({}, { finish_reason: "stop" }))).response).stopReason).toBe("stop")
    expect((await stream(`${text}data: [DONE]\n\n`).response).stopReason).toBe("stop")
    expect((await stream(`${text}data:[DONE]`).response).stopReason).toBe("stop")
    expect((await generate({ choices: [{ message: { content: "a" } }] })).stopReason).toBe("stop")
  })

  it("FR-07 is an error when the stream just ends", async () => {
    for (const text of [sse(chunk({ content: "half" })), `${sse(chunk({ content: "half" }))}data: {"id":"x","cho`]) {
      const { error, partial } = await failureOf(text)
      expect(error).toMatchObject({ code: "malformed_response", retryable: true })
      expect(partial).toMatchObject({ stopReason: "error", content: [{ type: "text", text: "half" }] })
    }
    expect((await failureOf("")).error.code).toBe("malformed_response")
    expect((await failureOf(": nothing but comments\n\n")).error.code).toBe("malformed_response")
  })
})

describe("FR-07 an error inside a 200 stream", () => {
  const call = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a":1}' } }] }
  const before = sse(chunk({ content: "Why did" })) + sse(chunk(call)) + sse(chunk({ content: " more" }))

  it.each([
    ["an error object", sse({ choices: [], error: { code: 502, message: "provider_unavailable" } }), "server_error"],
    [
      "an error without choices",
      sse({ error: { message: "had an error", type: "server_error", code: null } }),
      "server_error",
    ],
    ["an error as text", sse({ error: "Overloaded, try again" }), "overloaded"],
    [
      "an error of a choice",
      sse({ choices: [{ index: 0, delta: {}, error: { code: 429, message: "slow down" } }] }),
      "rate_limited",
    ],
    [
      "vLLM's form",
      sse({ object: "error", message: "engine died", type: "InternalServerError", code: 500 }),
      "server_error",
    ],
    ["an error event", 'event: error\ndata: {"type":"overloaded_error","message":"Overloaded"}\n\n', "overloaded"],
    ["an error event that is no JSON", "event: error\ndata: upstream timed out\n\n", "timeout"],
    ["a finish reason", sse(chunk({}, { finish_reason: "error" })), "server_error"],
    ["a lack of resources", sse(chunk({}, { finish_reason: "insufficient_system_resource" })), "overloaded"],
    ["a list", 'data: [{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]\n\n', "overloaded"],
    ["a chunk that is no JSON", 'data: {"id":\n\n', "malformed_response"],
  ])("told by %s is typed and retryable, and keeps what came", async (_, event, code) => {
    const { error, partial } = await failureOf(before + event)
    expect(error).toMatchObject({ code, retryable: true })
    expect(partial.stopReason).toBe("error")
    expect(partial.content).toEqual([
      { type: "text", text: "Why did" },
      { type: "tool_use", id: "c", name: "f", input: { a: 1 } },
      { type: "text", text: " more" },
    ])
  })

  it("is not retryable where trying again cannot help", async () => {
    const event = sse({ error: { code: "context_length_exceeded", message: "too long" } })
    expect((await failureOf(before + event)).error).toMatchObject({ code: "context_overflow", retryable: false })
  })

  it("is found in a whole answer, and in JSON where a stream was asked for", async () => {
    const body = { error: { message: "busy", code: 503 } }
    await expect(generate(body)).rejects.toMatchObject({ code: "overloaded", retryable: true })
    expect((await failureOf(JSON.stringify(body))).error).toMatchObject({ code: "overloaded" })
    expect((await failureOf("<html>login</html>")).error.message).toContain("It looks like a web page")
    await expect(generate({ choices: [] })).rejects.toMatchObject({ code: "malformed_response" })
    await expect(generate([])).rejects.toMatchObject({ code: "server_error" })
  })

  it("is not seen in a healthy chunk with empty error fields", async () => {
    const text = sse({ ...chunk({ content: "a" }), error: null }) + streamOf([{ content: "b" }])
    expect(textOf(await stream(text).response)).toBe("ab")
  })
})

it("reads JSON where a stream was asked for, and a stream where JSON was", async () => {
  const completion = { id: "x", choices: [{ message: { content: "whole" }, finish_reason: "stop" }] }
  expect(textOf(await stream(`\n  \n${JSON.stringify(completion)}`).response)).toBe("whole")
  expect(textOf(await modelOf(`\n: ping\n\n${streamOf([{ content: "streamed" }])}`).model.generate(request))).toBe(
    "streamed",
  )
})

describe("OpenRouter's reasoning details", () => {
  const deltas = [
    { reasoning: "Let", reasoning_details: [{ type: "reasoning.text", text: "Let", index: 0, format: "f" }] },
    { reasoning: " me", reasoning_details: [{ type: "reasoning.text", text: " me", index: 0 }] },
    { content: "", reasoning_details: [{ type: "reasoning.text", signature: "sig", index: 0 }] },
    { tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: "{}" } }] },
    { reasoning_details: [{ type: "reasoning.encrypted", data: "ab", index: 1 }] },
    { reasoning_details: [{ type: "reasoning.encrypted", data: "cd", index: 1 }] },
  ]
  const text = { type: "reasoning.text", text: "Let me", index: 0, format: "f", signature: "sig" }
  const encrypted = { type: "reasoning.encrypted", data: "abcd", index: 1 }

  async function nextRequest(provider: string) {
    const { model } = modelOf(streamOf(deltas, "tool_calls"), { provider: "openrouter", baseURL: "https://h/v1" })
    const response = await model.stream(request).response
    const [use] = toolUsesOf(response)
    if (!use) throw new TypeError("no call")
    const next = modelOf(streamOf([{ content: "done" }]), { provider, baseURL: "https://h/v1" })
    const assistant = createMsg({
      name: "a",
      role: "assistant",
      content: JSON.parse(JSON.stringify(response.content)) as typeof response.content,
    })
    await next.model.stream({ messages: [userMsg("hi"), assistant, toolResultMsg([toolResult(use, "ok")])] }).response
    return { response, messages: next.asked[0]?.body["messages"] as readonly object[] }
  }

  it("are kept with the thinking and go back to the same provider as they were", async () => {
    const { response, messages } = await nextRequest("openrouter")
    expect(response.content).toEqual([
      { type: "thinking", thinking: "Let me", opaque: { provider: "openrouter", data: { reasoning_details: [text] } } },
      { type: "tool_use", id: "c1", name: "f", input: {} },
      { type: "thinking", thinking: "", opaque: { provider: "openrouter", data: { reasoning_details: [encrypted] } } },
    ])
    expect(messages[1]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      reasoning_details: [text, encrypted],
    })
  })

  it("go to nobody else", async () => {
    const { messages } = await nextRequest("groq")
    expect(JSON.stringify(messages)).not.toContain("reasoning_details")
  })
})

it("gives spoken answers as text and one block of sound", async () => {
  const sound = ["one", "two!", "three"].map((part) => Buffer.from(part).toString("base64"))
  const deltas = [
    { audio: { id: "a1", transcript: "Hel" } },
    ...sound.map((data) => ({ audio: { data } })),
    { audio: { transcript: "lo" } },
    { audio: { expires_at: 1 } },
  ]
  const { fetch } = memoryFetch(streamOf(deltas))
  const params = { extraBody: { modalities: ["text", "audio"], audio: { voice: "x", format: "pcm16" } } }
  const response = await new OpenAIChatModel({ model: "m", apiKey: "k", fetch, params }).stream(request).response
  expect(response.content).toEqual([
    { type: "text", text: "Hello" },
    {
      type: "audio",
      source: { type: "base64", mediaType: "audio/pcm16", data: Buffer.from("onetwo!three").toString("base64") },
    },
  ])
  const whole = await generate({
    choices: [{ message: { content: null, audio: { data: "AAAA", transcript: "Hi" } }, finish_reason: "stop" }],
  })
  expect(whole.content).toEqual([
    { type: "text", text: "Hi" },
    { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "AAAA" } },
  ])
})

it("survives chunks that are odd in every field", () => {
  const odd: unknown[] = [
    null,
    0,
    "",
    "x",
    [],
    {},
    [null],
    [{}],
    [{ delta: null }],
    [{ delta: "x" }],
    [{ delta: { tool_calls: "x" } }],
  ]
  for (const value of odd) {
    for (const key of ["id", "choices", "usage", "x_groq", "object"]) {
      const text = sse({ [key]: value }) + streamOf([{ content: "a" }])
      expect(read(text, true).ends, `${key} = ${JSON.stringify(value)}`).toHaveLength(1)
    }
    for (const key of [
      "content",
      "reasoning",
      "tool_calls",
      "function_call",
      "audio",
      "refusal",
      "reasoning_details",
    ]) {
      const text = sse(chunk({ [key]: value })) + streamOf([{ content: "a" }])
      expect(read(text, true).error, `${key} = ${JSON.stringify(value)}`).toBeUndefined()
    }
  }
})
