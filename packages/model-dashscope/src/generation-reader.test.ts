import { blocksOf, textOf, toolUsesOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { chunk, event, memoryFetch, streamOf } from "./fixtures/stream.ts"
import { DashScopeChatModel, type DashScopeParams } from "./index.ts"

const messages = [userMsg("hi")]
const modelOf = (text: string, params: DashScopeParams = {}, init: ResponseInit = {}) =>
  new DashScopeChatModel({
    model: "qwen-max",
    apiKey: "k",
    fetch: memoryFetch(text, init).fetch,
    maxRetries: 0,
    params,
  })

const answer = (text: string, params?: DashScopeParams): Promise<ChatResponse> =>
  modelOf(text, params).stream({ messages }).response

/** Text, thinking and calls of an answer. */
function saidBy(response: ChatResponse) {
  const thinking = blocksOf(response, "thinking").map((block) => block.thinking)
  const calls = toolUsesOf(response).map(({ id, name, input }) => ({ id, name, input }))
  return { text: textOf(response, ""), thinking: thinking.join(""), calls }
}

const call = (id: string, name: string | undefined, json: string, index: number | null = 0) => ({
  ...(index !== null && { index }),
  id,
  type: "function",
  function: { ...(name !== undefined && { name }), arguments: json },
})

describe("a stream", () => {
  const thoughts = ["Let me", " think", " about it."]
  const words = ["It is", " sunny", " in 杭州."]
  const json = ['{"city', '":"杭', '州"}']
  const sofar = (pieces: readonly string[], i: number) => pieces.slice(0, i + 1).join("")
  const said = {
    thinking: "Let me think about it.",
    text: "It is sunny in 杭州.",
    calls: [{ id: "c1", name: "f", input: { city: "杭州" } }],
  }

  const pieces = [
    ...thoughts.map((reasoning_content) => ({ content: "", reasoning_content })),
    ...words.map((content) => ({ content, reasoning_content: "" })),
    ...json.map((part, i) => ({
      content: "",
      tool_calls: [call(i === 0 ? "c1" : "", i === 0 ? "f" : undefined, part)],
    })),
  ]
  const totals = [
    ...thoughts.map((_, i) => ({ content: "", reasoning_content: sofar(thoughts, i) })),
    ...words.map((_, i) => ({ content: sofar(words, i), reasoning_content: said.thinking })),
    ...json.map((_, i) => ({
      content: said.text,
      reasoning_content: said.thinking,
      tool_calls: [call("c1", "f", sofar(json, i))],
    })),
  ]

  it("is read by what is new in each event", async () => {
    expect(saidBy(await answer(streamOf(pieces, "tool_calls")))).toEqual(said)
  })

  it.each([true, false])(
    "is read by all there is so far in each event, asked for pieces: %s",
    async (incrementalOutput) => {
      const text = streamOf(totals, "tool_calls", totals.at(-1))
      expect(saidBy(await answer(text, { incrementalOutput }))).toEqual(said)
    },
  )

  it("says each piece once, as it comes", async () => {
    for (const events of [pieces, totals]) {
      const deltas: string[] = []
      for await (const delta of modelOf(streamOf(events, "tool_calls")).stream({ messages })) {
        if (delta.type === "text_delta") deltas.push(delta.text)
      }
      expect(deltas).toEqual(words)
    }
  })

  it("has its texts in lists at the multimodal endpoint", async () => {
    const lists = (content: string) => ({ content: content === "" ? [] : [{ text: content }] })
    const inPieces = words.map((content) => ({ ...lists(content), reasoning_content: "" }))
    expect(saidBy(await answer(streamOf(inPieces, "stop", lists("")))).text).toBe(said.text)
    const inTotals = words.map((_, i) => lists(sofar(words, i)))
    expect(saidBy(await answer(streamOf(inTotals, "stop", inTotals.at(-1)))).text).toBe(said.text)
  })

  it("has a text and no choices where no messages were asked for", async () => {
    const events = words.map((text, i) => event({ output: { text, finish_reason: "null" }, request_id: "r" }, i + 1))
    const last = event({ output: { text: "", finish_reason: "stop" }, usage: { input_tokens: 1, output_tokens: 2 } }, 4)
    const response = await answer([...events, last].join(""))
    expect(saidBy(response).text).toBe(said.text)
    expect(response).toMatchObject({ id: "r", stopReason: "stop", usage: { inputTokens: 1, outputTokens: 2 } })
  })

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["tool_calls", "stop"],
    ["odd", "stop"],
  ])("that ends with %s stops by %s", async (word, stopReason) => {
    expect((await answer(streamOf([{ content: "a" }], word))).stopReason).toBe(stopReason)
  })

  it('has the word "null", null or nothing for a finish reason until there is one', async () => {
    for (const finish of ["null", null, ""]) {
      const text = event(chunk({ content: "a" }, finish)) + event(chunk({ content: "b" }, finish))
      await expect(answer(text)).rejects.toMatchObject({ code: "malformed_response" })
      expect(textOf(await answer(text + event(chunk({ content: "" }, "stop"))))).toBe("ab")
    }
  })
})

describe("tool calls", () => {
  const callsOf = async (pieces: readonly (readonly object[])[]) => {
    const events = pieces.map((tool_calls) => ({ content: "", tool_calls }))
    return saidBy(await answer(streamOf(events, "tool_calls"))).calls
  }

  it("FR-01 without arguments have none", async () => {
    expect(await callsOf([[call("c1", "now", "")]])).toEqual([{ id: "c1", name: "now", input: {} }])
  })

  it("FR-02 go on under an empty id, and under their own", async () => {
    const expected = [{ id: "call_a", name: "get_weather", input: { city: "北京" } }]
    const [head, tail] = ['{"ci', 'ty":"北京"}']
    expect(await callsOf([[call("call_a", "get_weather", head)], [call("", undefined, tail)]])).toEqual(expected)
    expect(await callsOf([[call("call_a", "get_weather", head)], [call("call_a", "", tail)]])).toEqual(expected)
    expect(await callsOf([[call("call_a", "", "")], [call("", "get_weather", head)], [call("", "", tail)]])).toEqual(
      expected,
    )
  })

  it("FR-03 are two where all have the index 0", async () => {
    expect(await callsOf([[call("c1", "write", '{"path":"a"}')], [call("c2", "write", '{"path":"b"}')]])).toEqual([
      { id: "c1", name: "write", input: { path: "a" } },
      { id: "c2", name: "write", input: { path: "b" } },
    ])
  })

  it("FR-04 end with a brace of another event", async () => {
    const pieces = [[call("call_28", "look", '{"k":["品牌"]')], [call("", undefined, "}")]]
    expect(await callsOf(pieces)).toEqual([{ id: "call_28", name: "look", input: { k: ["品牌"] } }])
  })

  it("FR-05 of one name, without ids, are given one each", async () => {
    const calls = await callsOf([[call("", "f", '{"city":"NYC"}', 0), call("", "f", '{"city":"LA"}', 1)]])
    expect(calls.map(({ input }) => input)).toEqual([{ city: "NYC" }, { city: "LA" }])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it("without indexes are told apart by their places, in totals too", async () => {
    const all = [call("a", "f", '{"n":1}', null), call("b", "f", '{"n":2}', null)]
    const part = [call("a", "f", '{"n":', null), call("b", "f", '{"n":', null)]
    const expected = [
      { id: "a", name: "f", input: { n: 1 } },
      { id: "b", name: "f", input: { n: 2 } },
    ]
    expect(await callsOf([all])).toEqual(expected)
    expect(await callsOf([part, all, all])).toEqual(expected)
  })

  it("without a name are no calls", async () => {
    const text = streamOf([{ content: "", tool_calls: [call("c1", "", "{}")] }], "tool_calls")
    await expect(answer(text)).rejects.toMatchObject({ code: "malformed_response" })
  })
})

describe("usage", () => {
  it("FR-09 is the last that was told, and absent where none was", async () => {
    const { usage } = await answer(streamOf([{ content: "a" }, { content: "b" }]))
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 3 })
    expect(usage).not.toHaveProperty("cachedInputTokens")
    const silent = event({ output: { choices: [{ message: { content: "a" }, finish_reason: "stop" }] } })
    expect((await answer(silent)).usage).toBeUndefined()
  })

  it("has what came from the cache, what went there, and reasoning", async () => {
    const usage = {
      input_tokens: 20,
      output_tokens: 30,
      prompt_tokens_details: { cached_tokens: 5, cache_creation_input_tokens: 7 },
      output_tokens_details: { reasoning_tokens: 12 },
    }
    expect((await answer(event({ ...chunk({ content: "a" }, "stop"), usage }))).usage).toMatchObject({
      inputTokens: 20,
      outputTokens: 30,
      cachedInputTokens: 5,
      cacheWriteTokens: 7,
      reasoningTokens: 12,
    })
  })
})

describe("FR-07 a failure", () => {
  const said = event(chunk({ content: "Hello" }))
  const failure = { code: "Throttling.RateQuota", message: "too fast", request_id: "r-9" }

  it.each([
    ["as an event of its own", event(failure, 2, "error")],
    ["as a usual event", event(failure, 2)],
    ["as an error object", event({ error: failure }, 2)],
  ])("in a stream, told %s, keeps what was said", async (_, failed) => {
    const stream = modelOf(said + failed).stream({ messages })
    await expect(stream.response).rejects.toMatchObject({ code: "rate_limited", retryable: true })
    await expect(stream.response).rejects.toThrow("dashscope/qwen-max failed within its answer: too fast")
    expect(textOf(stream.partial())).toBe("Hello")
  })

  it("that is no JSON is told as it is", async () => {
    await expect(answer(event("upstream is gone", 1, "error"))).rejects.toThrow(
      "failed within its answer: upstream is gone",
    )
  })

  it("of a stream that ends in the middle can be tried again", async () => {
    await expect(answer(said)).rejects.toMatchObject({ code: "malformed_response", retryable: true })
  })

  it.each([
    [400, "DataInspectionFailed", "content_filtered", false],
    [400, "InvalidParameter", "invalid_request", false],
    [401, "InvalidApiKey", "authentication", false],
    [400, "Arrearage", "quota_exceeded", false],
    [429, "Throttling", "rate_limited", true],
    [500, "InternalError.Algo", "server_error", true],
  ])("%i %s is the error %s", async (status, code, expected, retryable) => {
    const body = JSON.stringify({ code, message: "Test", request_id: "r-9" })
    const failed = modelOf(body, {}, { status, headers: { "content-type": "application/json" } })
    await expect(failed.generate({ messages })).rejects.toMatchObject({ code: expected, retryable })
  })

  it("in an answer that began well is one too, and so is an answer of nothing", async () => {
    const whole = (value: unknown) => modelOf(JSON.stringify(value)).generate({ messages })
    await expect(whole({ ...failure, status_code: 429 })).rejects.toMatchObject({ code: "rate_limited" })
    await expect(whole({ output: {}, request_id: "r" })).rejects.toMatchObject({ code: "malformed_response" })
    await expect(whole([])).rejects.toMatchObject({ code: "server_error" })
    // some have an empty code beside their output
    const fine = { code: "", message: "", ...JSON.parse(JSON.stringify(chunk({ content: "ok" }, "stop"))) } as object
    expect(textOf(await whole(fine))).toBe("ok")
  })
})

it("an answer that is one value is read as a whole", async () => {
  const message = {
    content: "Yes",
    reasoning_content: "Hm",
    tool_calls: [call("c1", "f", '{"a":1}'), call("c1", "f", "{}")],
  }
  const response = await modelOf(JSON.stringify(chunk(message, "tool_calls"))).generate({ messages })
  expect(saidBy(response)).toMatchObject({ text: "Yes", thinking: "Hm" })
  const calls = toolUsesOf(response)
  expect(calls.map(({ input }) => input)).toEqual([{ a: 1 }, {}])
  expect(calls[0]?.id).not.toBe(calls[1]?.id)
})

describe("media of an answer", () => {
  const url = "https://example.com/a"
  const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1").toString("base64")
  const generated = (text: string) => modelOf(text).generate({ messages })

  it("stand as blocks among the text of a whole answer", async () => {
    const content = [{ text: "One:" }, { image: `${url}.png` }, { text: "Two:" }, { type: "video", video: { url } }]
    const { content: blocks } = await generated(JSON.stringify(chunk({ content }, "stop")))
    expect(blocks).toMatchObject([
      { type: "text", text: "One:" },
      { type: "image", source: { type: "url", url: `${url}.png` } },
      { type: "text", text: "Two:" },
      { type: "video", source: { type: "url", url } },
    ])
    const inline = await generated(
      JSON.stringify(chunk({ content: [{ image: "data:image/png;base64,AAAA" }] }, "stop")),
    )
    expect(inline.content).toMatchObject([{ type: "image", source: { type: "base64", mediaType: "image/png" } }])
  })

  it("are told once in a stream, by pieces or by totals", async () => {
    const [text, image] = [{ text: "Look: " }, { image: url }]
    for (const events of [
      [{ content: [text] }, { content: [image] }],
      [{ content: [text] }, { content: [text, image] }, { content: [text, image] }],
    ]) {
      const response = await answer(streamOf(events, "stop", { content: events.length > 2 ? [text, image] : [] }))
      expect(response.content).toMatchObject([
        { type: "text", text: "Look: " },
        { type: "image", source: { url } },
      ])
    }
  })

  it("are sounds beside the text: by their URL, or else put together from their pieces", async () => {
    const sound = (audio: object, finish_reason: string | null) => ({
      output: { audio, finish_reason },
      request_id: "r",
    })
    const whole = await generated(JSON.stringify(sound({ data: "", url }, "stop")))
    expect(whole.content).toMatchObject([{ type: "audio", source: { type: "url", url } }])
    const pieces = [wav, Buffer.from("abcd").toString("base64")].map((data) => sound({ data, url: "" }, null))
    const streamed = async (last: object) => {
      const text = [...pieces, sound(last, "stop")].map((data, i) => event(data, i + 1)).join("")
      return (await answer(text)).content
    }
    expect(await streamed({ data: "", url })).toMatchObject([{ type: "audio", source: { type: "url", url } }])
    const [joined, ...more] = blocksOf({ content: await streamed({ data: "", url: "" }) }, "audio")
    expect(more).toEqual([])
    expect(joined?.source).toMatchObject({ type: "base64", mediaType: "audio/wav" })
    const data = joined?.source.type === "base64" ? joined.source.data : ""
    expect(Buffer.from(data, "base64").toString("latin1")).toBe("RIFF\x24\0\0\0WAVEfmt abcd")
  })
})
