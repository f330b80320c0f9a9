import {
  AgentScopeError,
  assistantMsg,
  blocksOf,
  type ChatDelta,
  type Msg,
  replaceAmbient,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import type { CallEnd, CallSink, ChatResponse } from "@agentscope-ts/model"
import { AnswerReader, SseReader } from "@agentscope-ts/model/wire"
import { describe, expect, it } from "vitest"
import { ChunkReader } from "./chunk-reader.ts"
import { chunk, contentsOf, memoryFetch, sse, streamOf } from "./fixtures/memory-fetch.ts"
import { random } from "./fixtures/random-schema.ts"
import { GeminiChatModel } from "./index.ts"

const modelOf = (fetch: typeof globalThis.fetch) =>
  new GeminiChatModel({ model: "gemini-2.5-flash", apiKey: "k", baseURL: "https://x", fetch, maxRetries: 0 })
const call = (name: string, args: object = {}, rest: object = {}) => ({ functionCall: { name, args, ...rest } })
const request = { messages: [userMsg("go")] }

const answerOf = (stream: string): Promise<ChatResponse> => modelOf(memoryFetch(stream).fetch).stream(request).response

/** What a stream made before it failed, and how it failed. */
async function failed(stream: string): Promise<{ readonly partial: ChatResponse; readonly error: AgentScopeError }> {
  const running = modelOf(memoryFetch(stream).fetch).stream(request)
  const error: unknown = await running.response.catch((caught: unknown) => caught)
  if (!AgentScopeError.is(error)) throw new AgentScopeError({ code: "missing", message: "no error came" })
  return { partial: running.partial(), error }
}

describe("calls", () => {
  it.each([
    [
      "in one chunk",
      sse(chunk([call("get_weather", { city: "NYC" }), call("get_weather", { city: "LA" })], { finishReason: "STOP" })),
    ],
    ["over two chunks", streamOf([call("get_weather", { city: "NYC" }), call("get_weather", { city: "LA" })])],
  ])("FR-05 get ids of their own where Gemini gives none, %s, and each its result", async (_, stream) => {
    const response = await answerOf(stream)
    expect(response.stopReason).toBe("tool_use")
    const calls = toolUsesOf(response)
    expect(calls.map(({ input }) => input)).toEqual([{ city: "NYC" }, { city: "LA" }])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    const { fetch, asked } = memoryFetch(streamOf([{ text: "ok" }]))
    const results = toolResultMsg(calls.map((one) => toolResult(one, one.input["city"] as string)).toReversed())
    await modelOf(fetch).stream({ messages: [userMsg("go"), assistantMsg(response.content), results] }).response
    const [, made, answers] = contentsOf(asked)
    expect(made?.parts.map((part) => part["functionCall"]?.["id"])).toEqual(calls.map(({ id }) => id))
    expect(answers?.parts.map((part) => part["functionResponse"])).toEqual([
      { id: calls[0]?.id, name: "get_weather", response: { output: "NYC" } },
      { id: calls[1]?.id, name: "get_weather", response: { output: "LA" } },
    ])
  })

  it("FR-05 keep the provider's ids, but never one twice", async () => {
    const response = await answerOf(streamOf([call("a", {}, { id: "x1" }), call("b", {}, { id: "x1" }), call("c")]))
    const ids = toolUsesOf(response).map(({ id }) => id)
    expect(ids[0]).toBe("x1")
    expect(new Set(ids).size).toBe(3)
  })

  it("are put together from pieces with places, and told as they come", async () => {
    const piece = (partialArgs: readonly object[], rest: object = { willContinue: true }) => ({
      functionCall: { partialArgs, ...rest },
    })
    const deltas: ChatDelta[] = []
    const stream = streamOf([
      { functionCall: { name: "book", willContinue: true, id: "b1" }, thoughtSignature: "c2ln" },
      piece([{ jsonPath: "$.trip.to", stringValue: 'San "', willContinue: true }]),
      piece([{ jsonPath: "$.trip.to", stringValue: "José\n" }]),
      piece([
        { jsonPath: "$.trip.days[0]", numberValue: 3 },
        { jsonPath: "$.trip.days[1]", numberValue: 4.5 },
      ]),
      piece([
        { jsonPath: "$['a b']", boolValue: false },
        { jsonPath: "$.none", nullValue: "NULL_VALUE" },
      ]),
      piece([
        { jsonPath: "$.list[0].__proto__", stringValue: "safe" },
        { jsonPath: "$.list[1].k", stringValue: "" },
      ]),
      { functionCall: {} },
      call("next", { whole: true }),
    ])
    const running = modelOf(memoryFetch(stream).fetch).stream(request)
    const response = await running.drive({ onDelta: (delta) => deltas.push(delta) })
    const [book, next] = toolUsesOf(response)
    const text =
      '{"trip":{"to":"San \\"José\\n","days":[3,4.5]},"a b":false,"none":null,"list":[{"__proto__":"safe"},{"k":""}]}'
    const told = deltas.filter((delta) => delta.type === "tool_use_delta").filter(({ id }) => id === "b1")
    expect(told.length).toBeGreaterThan(4)
    expect(told.map(({ json }) => json).join("")).toBe(text)
    expect(book).toMatchObject({
      id: "b1",
      name: "book",
      opaque: { provider: "gemini", data: { thoughtSignature: "c2ln" } },
    })
    expect(JSON.stringify(book?.input)).toBe(text)
    expect(next?.input).toEqual({ whole: true })
  })

  it("are right when their pieces come out of order", async () => {
    const partialArgs = [
      { jsonPath: "$.a.x", numberValue: 1 },
      { jsonPath: "$.b", numberValue: 2 },
      { jsonPath: "$.a.y", numberValue: 3 },
    ]
    const response = await answerOf(streamOf([{ functionCall: { name: "f", partialArgs } }]))
    expect(toolUsesOf(response)[0]?.input).toEqual({ a: { x: 1, y: 3 }, b: 2 })
  })

  it("that are cut off are kept as far as they came, and run nothing", async () => {
    const cut = {
      functionCall: {
        name: "f",
        partialArgs: [{ jsonPath: "$.a", stringValue: "be", willContinue: true }],
        willContinue: true,
      },
    }
    const response = await answerOf(streamOf([cut], "MAX_TOKENS"))
    expect(response.stopReason).toBe("length")
    expect(toolUsesOf(response)).toMatchObject([{ name: "f", input: {}, rawInput: '{"a":"be' }])
  })
})

describe("ends", () => {
  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])(
    "FR-08 tells %s without content as a malformed call, which is asked for again and never a success",
    async (finishReason) => {
      const { fetch, asked } = memoryFetch(sse({ candidates: [{ finishReason }] }))
      const error: unknown = await modelOf(fetch)
        .stream(request)
        .response.catch((caught: unknown) => caught)
      if (!AgentScopeError.is(error)) throw new AgentScopeError({ code: "missing", message: "no error came" })
      expect(error.code).toBe("malformed_response")
      // once more, with a word on what was wrong
      expect(asked.length).toBe(2)
      expect(contentsOf(asked).length).toBeGreaterThan(1)
      const once = new GeminiChatModel({ model: "m", apiKey: "k", fetch, maxReasks: 0 })
      expect(await once.stream(request).response).toMatchObject({ content: [], stopReason: "malformed_tool_call" })
    },
  )

  it("FR-08 takes the answer to the second question", async () => {
    const bad = memoryFetch(sse({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] })).fetch
    const good = memoryFetch(streamOf([call("ls", { at: "." })])).fetch
    let count = 0
    const model = modelOf((...args) => (count++ === 0 ? bad : good)(...args))
    expect(toolUsesOf(await model.stream(request).response)).toMatchObject([{ name: "ls", input: { at: "." } }])
  })

  it.each(["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE", 3, 8])(
    "tells %s as a content filter",
    async (finishReason) => {
      const end = sse(chunk([{ text: "so far" }], { finishReason, finishMessage: "why" }))
      const response = await answerOf(end)
      expect(response.stopReason).toBe("content_filter")
      expect(textOf(response)).toBe("so far")
    },
  )

  it("takes a whole answer for complete that does not say why it ended, but no stream", async () => {
    const open = (...parts: readonly unknown[]) => ({ candidates: [{ content: { role: "model", parts } }] })
    const whole = (body: unknown) => modelOf(memoryFetch(JSON.stringify(body)).fetch).generate(request)
    expect(await whole(open({ text: "Hello" }))).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      stopReason: "stop",
    })
    const called = await whole(open({ functionCall: { name: "ls", args: {} } }))
    expect(called).toMatchObject({ content: [{ type: "tool_use", name: "ls", input: {} }], stopReason: "tool_use" })
    const failed = expect.objectContaining({ code: "malformed_response" }) as Error
    await expect(whole(open())).rejects.toThrow(failed)
    await expect(answerOf(sse(open({ text: "Hel" })))).rejects.toThrow(failed)
  })

  it("tells a blocked prompt, with the reason", async () => {
    const warnings: unknown[] = []
    const body = JSON.stringify({ promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "bad words" } })
    const response = await modelOf(memoryFetch(body).fetch).generate(request, {
      onWarning: (warning) => warnings.push(warning),
    })
    expect(response).toMatchObject({ content: [], stopReason: "content_filter" })
    expect(warnings).toEqual([{ code: "content_filtered", message: "The prompt was blocked (SAFETY). bad words" }])
  })

  it("fails, so that it is tried again, when the model said nothing and came to no usual end", async () => {
    for (const word of ["MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"]) {
      const { error } = await failed(sse({ candidates: [{ finishReason: word }] }))
      expect({ code: error.code, retryable: error.retryable }).toEqual({ code: "malformed_response", retryable: true })
    }
  })

  it("was stopped where Gemini does not say why, with words or without", async () => {
    for (const word of ["OTHER", "NO_IMAGE", "IMAGE_OTHER", 5]) {
      const empty = await answerOf(sse({ candidates: [{ finishReason: word }] }))
      expect(empty).toMatchObject({ content: [], stopReason: "content_filter" })
      expect((await answerOf(streamOf([{ text: "hi" }], word as string))).stopReason).toBe("content_filter")
    }
  })

  it("FR-07 makes an error inside the stream a typed one, and keeps what came", async () => {
    const broken =
      sse(chunk([{ text: "Hel" }])) +
      sse({ error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "7s" }] } })
    for (const stream of [broken, `[${broken.replaceAll("data: ", "").replaceAll("}\r\n\r\n{", "},{")}`]) {
      const { partial, error } = await failed(stream)
      expect(error).toMatchObject({ code: "rate_limited", retryable: true, details: { retryAfterMs: 7000 } })
      expect(partial).toMatchObject({ content: [{ type: "text", text: "Hel" }], stopReason: "error" })
    }
  })

  it("FR-07 fails when the stream ends without saying how, and keeps what came", async () => {
    for (const stream of [sse(chunk([{ text: "Hel" }])), `[${JSON.stringify(chunk([{ text: "Hel" }]))},\n{"candi`]) {
      const { partial, error } = await failed(stream)
      expect(error).toMatchObject({ code: "malformed_response", retryable: true })
      expect(textOf(partial)).toBe("Hel")
    }
    expect((await failed("")).error.code).toBe("malformed_response")
    expect((await failed("<html>")).error.code).toBe("malformed_response")
  })
})

describe("parts of all kinds", () => {
  const parts = [
    { text: "I think", thought: true },
    { text: " hard.", thought: true, thoughtSignature: "dDA=" },
    { text: "Look" },
    { text: " here", thoughtSignature: "dDE=" },
    { text: ":" },
    { inlineData: { mimeType: "image/png", data: "cHJldmlldw==" }, thought: true },
    { inlineData: { mimeType: "image/png", data: "cGljdHVyZQ==" }, thoughtSignature: "dDI=" },
    { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "dDM=" },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
    { toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "s" }, thoughtSignature: "dDQ=" },
    call("ls"),
    { ...call("cat"), thoughtSignature: "dDU=" },
    { text: "", thoughtSignature: "dDY=" },
  ]

  it("FR-18 keep their signatures, each on its own, and go back as they came after being stored", async () => {
    const response = await answerOf(streamOf(parts))
    expect(textOf(response, "")).toBe("Look here:")
    expect(response.content.map(({ type }) => type)).toEqual(
      "thinking text text image thinking thinking thinking tool_use tool_use thinking".split(" "),
    )
    const stored = JSON.parse(JSON.stringify(assistantMsg(response.content))) as Msg
    const results = toolResultMsg(toolUsesOf(response).map((one) => toolResult(one, "done")))
    const { fetch, asked } = memoryFetch(streamOf([{ text: "ok" }]))
    await modelOf(fetch).stream({ messages: [userMsg("go"), stored, results] }).response
    const [, model] = contentsOf(asked)
    const ids = toolUsesOf(response).map(({ id }) => id)
    expect(model?.parts).toEqual([
      { text: "I think hard.", thought: true, thoughtSignature: "dDA=" },
      { text: "Look here", thoughtSignature: "dDE=" },
      { text: ":" },
      parts[6],
      parts[7],
      parts[8],
      parts[9],
      { functionCall: { name: "ls", args: {}, id: ids[0] } },
      { functionCall: { name: "cat", args: {}, id: ids[1] }, thoughtSignature: "dDU=" },
      parts[12],
    ])
  })

  it("are joined where a sound comes in pieces", async () => {
    const sound = (data: string) => ({ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data } })
    const pieces = ["AAECAw==", "BAU=", "Bgc="]
    const response = await answerOf(streamOf(pieces.map(sound)))
    expect(response.content).toEqual([
      { type: "audio", source: { type: "base64", mediaType: "audio/L16;codec=pcm;rate=24000", data: "AAECAwQFBgc=" } },
    ])
  })

  it("tell where a grounded answer comes from, which does not go back", async () => {
    const groundingMetadata = { webSearchQueries: ["ruby"], groundingChunks: [{ web: { uri: "https://a" } }] }
    const response = await answerOf(sse(chunk([{ text: "4.0" }], { finishReason: "STOP", groundingMetadata })))
    expect(blocksOf(response, "thinking")).toEqual([
      { type: "thinking", thinking: "", opaque: { provider: "gemini", data: { groundingMetadata } } },
    ])
    const { fetch, asked } = memoryFetch(streamOf([{ text: "ok" }]))
    await modelOf(fetch).stream({ messages: [userMsg("go"), assistantMsg(response.content), userMsg("and?")] }).response
    expect(JSON.stringify(asked[0]?.body)).not.toContain("ruby")
  })
})

/** What a stream does to a sink, all of it or its error, with the events of a frame read with or without parsing. */
function effects(text: string, patience: number, cuts: readonly number[] = []) {
  const deltas: ChatDelta[] = []
  const ends: CallEnd[] = []
  const sink: CallSink = {
    streaming: true,
    begin: () => {},
    warn: () => {},
    emit: (delta) => deltas.push(delta),
    finish: (end) => ends.push(end),
  }
  const reader = new ChunkReader(sink, { label: "gemini/m", frames: patience })
  const events = new SseReader(reader.onEvent, undefined, reader.shortcut)
  let ids = 0
  const restore = replaceAmbient({ newId: () => `id-${++ids}` })
  let error: unknown
  try {
    let from = 0
    for (const to of [...cuts.toSorted((a, b) => a - b), text.length]) {
      events.push(text.slice(from, to))
      from = Math.max(from, to)
    }
    events.end()
    reader.complete()
  } catch (caught) {
    error = (caught as Error).message
  } finally {
    restore()
  }
  return { deltas, ends, error }
}

it("reads a stream that comes as a list while it comes", () => {
  const deltas: ChatDelta[] = []
  const [nothing, emit] = [() => {}, (delta: ChatDelta) => void deltas.push(delta)]
  const sink: CallSink = { streaming: true, begin: nothing, warn: nothing, emit, finish: nothing }
  const reader = new AnswerReader(new ChunkReader(sink, { label: "gemini/m" }))
  reader.push(`\n[${JSON.stringify(chunk([{ text: 'so ]"' }]))},`)
  expect(deltas).toEqual([{ type: "text_delta", index: 0, text: 'so ]"' }])
})

describe("long streams", () => {
  const usage = (tokens: number) => ({
    usageMetadata: {
      promptTokenCount: 4,
      candidatesTokenCount: tokens,
      totalTokenCount: 4 + tokens,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 4 }],
    },
    responseId: "r",
  })
  const words = Array.from({ length: 40 }, (_, i) => ['wo"rd ', "", "né\n", "\\", "🌍"][i % 5] as string)
  const event = (part: object, i: number, rest: object = {}) => sse({ ...chunk([part], rest), ...usage(i) })
  const piece = (text: string) => ({
    functionCall: { partialArgs: [{ jsonPath: "$.text", stringValue: text, willContinue: true }], willContinue: true },
  })
  const stream = [
    ...words.map((text, i) => event({ text, thought: true }, i)),
    ...words.map((text, i) => event({ text }, 100 + i)),
    event({ functionCall: { name: "write", willContinue: true } }, 150),
    ...words.map((text, i) => event(piece(text), 200 + i)),
    event({ functionCall: {} }, 300),
    sse({ ...chunk([], { finishReason: "STOP" }), usageMetadata: { promptTokenCount: 5 } }),
  ].join("")

  it("are read the same without parsing each event, however they are cut, to the last figure", () => {
    const parsed = effects(stream, 1e9)
    expect(parsed.error).toBeUndefined()
    expect(parsed.ends[0]?.usage).toMatchObject({ inputTokens: 5, outputTokens: 300 })
    const last = sse({ ...chunk([], { finishReason: "STOP" }), usageMetadata: { promptTokenCount: 5 } })
    const texts = words.map((text, i) => event({ text }, 100 + i)).join("")
    expect(effects(texts + last, 1).ends[0]?.usage).toMatchObject({ outputTokens: 139 })
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed)
      const cuts = Array.from({ length: seed * 3 }, () => Math.floor(next() * stream.length))
      expect(effects(stream, 1, cuts)).toEqual(parsed)
    }
  })

  it("are read the same when they are damaged", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const next = random(seed)
      const at = Math.floor(next() * stream.length)
      const put = ['"', "\\", "{", "}", "\n", "x", "", "\u0000", '"error":{"code":500},'][
        Math.floor(next() * 9)
      ] as string
      const damaged = stream.slice(0, at) + put + stream.slice(at + Math.floor(next() * 3))
      expect(effects(damaged, 1), `seed ${seed}`).toEqual(effects(damaged, 1e9))
    }
  })
})
