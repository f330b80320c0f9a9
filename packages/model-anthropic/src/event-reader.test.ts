import type { ChatDelta } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { blockEvents, readStream, sse, streamOf } from "./fixtures/answers.ts"
import { EventReader } from "./event-reader.ts"
import { Recorder } from "./fixtures/answers.ts"

const text = (text: string) => ({ type: "text_delta", text })
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json })
const callStart = { type: "tool_use", id: "t1", name: "look", input: {} }
const blocksIn = (deltas: readonly ChatDelta[]) =>
  deltas.flatMap((delta) => (delta.type === "block_end" ? [delta.block] : []))
const argumentsIn = (deltas: readonly ChatDelta[]) =>
  deltas.map((delta) => (delta.type === "tool_use_delta" ? delta.json : "")).join("")
const opaque = (data: object) => ({ provider: "anthropic", data })

describe("a Messages stream", () => {
  it("FR-19 gives thinking its signature, wherever it was cut", () => {
    const thinking = blockEvents(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "I " },
      { type: "thinking_delta", thinking: "should" },
      { type: "signature_delta", signature: "Eq" },
      { type: "signature_delta", signature: "QB" },
    )
    const { deltas } = readStream(streamOf([thinking, blockEvents(1, callStart, json("{}"))], "tool_use"))
    expect(blocksIn(deltas)).toEqual([
      { type: "thinking", thinking: "I should", opaque: opaque({ signature: "EqQB" }) },
    ])
    expect(deltas.slice(0, 2).map(({ type }) => type)).toEqual(["thinking_delta", "thinking_delta"])
  })

  it("carries redacted thinking, server tools and blocks that nobody knows, as they came and in order", () => {
    const redacted = { type: "redacted_thinking", data: "RWRh" }
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} }
    const found = {
      type: "web_search_tool_result",
      tool_use_id: "s1",
      content: [{ type: "web_search_result", url: "u" }],
    }
    const unknown = { type: "compaction", content: "a", parts: [1], note: null }
    const { deltas } = readStream(
      streamOf([
        blockEvents(0, redacted),
        blockEvents(1, search, json(""), json('{"query"'), json(':"q"}')),
        blockEvents(2, found),
        blockEvents(3, unknown, { type: "compaction_delta", content: "b", parts: [2], note: "n" }),
        blockEvents(4, { type: "text", text: "" }, text("so")),
      ]),
    )
    const data = [
      redacted,
      { ...search, input: { query: "q" } },
      found,
      { ...unknown, content: "ab", parts: [1, 2], note: "n" },
    ]
    expect(blocksIn(deltas)).toEqual(data.map((data) => ({ type: "thinking", thinking: "", opaque: opaque(data) })))
  })

  it("keeps citations with their text", () => {
    const citation = (cited_text: string) => ({
      type: "citations_delta",
      citation: { type: "char_location", cited_text },
    })
    const cited = blockEvents(0, { type: "text", text: "", citations: [] }, citation("a"), text("x"), citation("b"))
    const citations = [citation("a").citation, citation("b").citation]
    const { deltas } = readStream(streamOf([cited, blockEvents(1, { type: "text", text: "y" })]))
    expect(blocksIn(deltas)).toEqual([{ type: "text", text: "x", opaque: opaque({ citations }) }])
    expect(deltas.at(-1)).toEqual({ type: "text_delta", index: 1, text: "y" })
  })

  it("takes arguments from the start of a call where no pieces follow, and none for {}", () => {
    const whole = { ...callStart, input: { a: [1] } }
    expect(argumentsIn(readStream(streamOf([blockEvents(0, whole)])).deltas)).toBe('{"a":[1]}')
    expect(argumentsIn(readStream(streamOf([blockEvents(0, callStart, json(""))])).deltas)).toBe("")
    expect(argumentsIn(readStream(streamOf([blockEvents(0, callStart, json('{"a"'), json(":1}"))])).deltas)).toBe(
      '{"a":1}',
    )
  })

  it("keeps with a call who made it, unless it was the model itself", () => {
    const caller = { type: "code_execution_20260120", tool_id: "s1" }
    const { deltas } = readStream(streamOf([blockEvents(0, { ...callStart, caller }, json('{"a":1}'))]))
    expect(blocksIn(deltas)).toEqual([
      { type: "tool_use", id: "t1", name: "look", input: { a: 1 }, opaque: opaque({ caller }) },
    ])
    expect(
      blocksIn(readStream(streamOf([blockEvents(0, { ...callStart, caller: { type: "direct" } })])).deltas),
    ).toEqual([])
  })

  it("gives a call without an id one, and ends as malformed where a call has no name", () => {
    const { deltas } = readStream(streamOf([blockEvents(0, { ...callStart, id: "" }, json("{}"))], "tool_use"))
    expect(deltas.map((delta) => ("id" in delta ? delta.id : ""))).toEqual(["call_id-1", "call_id-1"])
    const nameless = readStream(streamOf([blockEvents(0, { ...callStart, name: "" }, json("{}"))], "tool_use"))
    expect([nameless.deltas, nameless.ends[0]?.stopReason]).toEqual([[], "malformed_tool_call"])
  })

  it("FR-09 takes the last telling of usage, and all input for the input", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 5 }
    const cache = { cache_read_input_tokens: 20, cache_creation_input_tokens: 7, cache_creation }
    const usage = { input_tokens: 3, ...cache, output_tokens: 15 }
    const first = `${streamOf([]).split("event: message_delta")[0]}`
    const middle = sse({ type: "message_delta", delta: {}, usage: { ...usage, output_tokens: 15 } })
    const last = { output_tokens: 30, output_tokens_details: { thinking_tokens: 4 }, cache_read_input_tokens: null }
    const end =
      sse({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last }) + sse({ type: "message_stop" })
    expect(readStream(first + middle + end).ends[0]?.usage).toEqual({
      inputTokens: 30,
      outputTokens: 30,
      cachedInputTokens: 20,
      cacheWriteTokens: 7,
      cacheWriteLongTokens: 5,
      reasoningTokens: 4,
    })
  })

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_use"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["something_new", "stop"],
  ])("ends by %s with %s", (word, stopReason) => {
    expect(readStream(streamOf([], word)).ends).toEqual([expect.objectContaining({ id: "msg_1", stopReason })])
  })

  it("tells the words of a refusal, and of a paused turn that it can go on", () => {
    const stop_details = { type: "refusal", explanation: "no" }
    const refused = streamOf([]).replace(
      '"stop_reason":"end_turn"',
      `"stop_reason":"refusal","stop_details":${JSON.stringify(stop_details)}`,
    )
    expect(readStream(refused).ends[0]).toMatchObject({ stopReason: "refusal", refusal: "no" })
    const paused = readStream(streamOf([], "pause_turn"))
    expect([paused.ends[0]?.stopReason, paused.warnings]).toEqual(["stop", ["turn_paused"]])
  })

  it("FR-07 fails with what an error event says, after all that came before it", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
    const begun = streamOf([blockEvents(0, { type: "text", text: "" }, text("half"))]).split(
      "event: message_delta",
    )[0] as string
    for (const told of [
      sse(error),
      `data: ${JSON.stringify(error)}\n\n`,
      `event: error\ndata: ${JSON.stringify({ error: error.error })}\n\n`,
    ]) {
      const { deltas, ends, error: message } = readStream(begun + told)
      expect(deltas).toEqual([{ type: "text_delta", index: 0, text: "half" }])
      expect(ends).toEqual([])
      expect(message).toContain("Overloaded")
    }
    expect(readStream(`${begun}event: error\ndata: upstream died\n\n`).error).toContain("upstream died")
  })

  it("FR-07 has no end where the stream just ends; after a stop reason it has one", () => {
    const whole = streamOf([blockEvents(0, { type: "text", text: "" }, text("a"))])
    const [before = "", after = ""] = whole.split("event: message_delta")
    expect(readStream(before).ends).toEqual([])
    const [delta] = after.split("event: message_stop")
    expect(readStream(`${before}event: message_delta${delta}`).ends).toHaveLength(1)
  })

  it("reads on over events and deltas that nobody knows, and blocks that were never started or stopped", () => {
    const start = streamOf([]).split("event: message_delta")[0] as string
    const odd = [
      { type: "brand_new", x: 1 },
      { type: "content_block_delta", index: 0, delta: text("a") },
      { type: "content_block_delta", index: 0, delta: { type: "new_delta", text: "?" } },
      { type: "content_block_delta", index: 5, delta: json("?") },
      { type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "", signature: "s" } },
      { type: "content_block_start", index: 2, content_block: callStart },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]
    const { deltas, ends, error } = readStream(
      `: hello\n\n${start}${odd.map((event) => sse(event)).join("")}data: [DONE]\n\n`,
    )
    expect(error).toBeUndefined()
    expect(ends).toHaveLength(1)
    expect(deltas.map(({ type }) => type)).toEqual(["text_delta", "block_end", "tool_use_start"])
  })

  it("tells each block with its own text, whatever comes late, twice or between", () => {
    const start = { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }
    const [piece, signed] = [
      (thinking: string) => ({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking } }),
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    ]
    const stop = { type: "content_block_stop", index: 0 }
    const other = { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }
    const spoken = { type: "content_block_delta", index: 1, delta: text("x") }
    const thoughts = (...events: Parameters<typeof streamOf>[0][number]) => {
      const { deltas } = readStream(streamOf([events]))
      return blocksIn(deltas).map((block) => block.type === "thinking" && block.thinking)
    }
    expect(thoughts(start, piece("a"), start, piece("b"), signed, stop)).toEqual(["ab"])
    expect(thoughts(piece("a"), start, piece("b"), signed, stop)).toEqual(["ab"])
    expect(thoughts(start, piece("a"), stop, piece("b"), signed, stop)).toEqual(["ab"])
    expect(thoughts(start, piece("a"), other, piece("b"), signed, stop)).toEqual(["ab"])
    // the text closed the first part
    expect(thoughts(start, piece("a"), other, spoken, piece("b"), signed, stop)).toEqual(["b"])
    expect(thoughts(start, piece("a"), signed, stop, piece("b"), signed, stop)).toEqual(["a", "b"])
  })

  describe("runs no call without its arguments", () => {
    const call = (index: unknown, id: string, input: unknown = {}) => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name: "look", input },
    })
    const piece = (index: unknown, partial_json: string) => ({
      type: "content_block_delta",
      index,
      delta: json(partial_json),
    })
    const stop = (index: unknown) => ({ type: "content_block_stop", index })
    const said = (index: unknown, words: string) => ({ type: "content_block_delta", index, delta: text(words) })
    const speech = (index: unknown) => ({
      type: "content_block_start",
      index,
      content_block: { type: "text", text: "" },
    })
    const [none, nothing] = [undefined, null]

    it.each<[string, Parameters<typeof streamOf>[0][number], object]>([
      [
        "side by side",
        [
          call(0, "a"),
          call(1, "b"),
          piece(0, '{"x"'),
          piece(1, '{"y":'),
          piece(0, ":1}"),
          piece(1, "2}"),
          stop(0),
          stop(1),
        ],
        { a: '{"x":1}', b: '{"y":2}' },
      ],
      [
        "side by side without ends",
        [call(0, "a", { x: 1 }), call(1, "b"), piece(1, '{"y":2}')],
        { a: '{"x":1}', b: '{"y":2}' },
      ],
      [
        "ends in another order",
        [call(0, "a"), call(1, "b"), piece(1, '{"y":2}'), stop(1), piece(0, '{"x":1}'), stop(0)],
        { a: '{"x":1}', b: '{"y":2}' },
      ],
      [
        "a text's end after the call's start",
        [speech(0), said(0, "A"), call(1, "a"), piece(1, '{"x"'), stop(0), piece(1, ":1}"), stop(1)],
        { text: "A", a: '{"x":1}' },
      ],
      [
        "a text within a call",
        [call(1, "a"), piece(1, '{"x"'), speech(0), said(0, "A"), piece(1, ":1}"), stop(0), stop(1)],
        { text: "A", a: '{"x":1}' },
      ],
      [
        "starts first",
        [speech(0), call(1, "a"), said(0, "A"), piece(1, '{"x":1}'), stop(0), stop(1)],
        { text: "A", a: '{"x":1}' },
      ],
      ["arguments after the end", [call(0, "a"), stop(0), piece(0, '{"x":1}')], { a: '{"x":1}' }],
      [
        "all of index 0",
        [
          speech(0),
          said(0, "A"),
          stop(0),
          call(0, "a"),
          piece(0, '{"x":1}'),
          stop(0),
          call(0, "b"),
          piece(0, '{"y":2}'),
          stop(0),
        ],
        { text: "A", a: '{"x":1}', b: '{"y":2}' },
      ],
      [
        "all of index 0 without ends",
        [speech(0), said(0, "A"), call(0, "a"), piece(0, '{"x":1}'), call(0, "b"), piece(0, '{"y":2}')],
        { text: "A", a: '{"x":1}', b: '{"y":2}' },
      ],
      [
        "no index",
        [
          speech(none),
          said(none, "A"),
          stop(none),
          call(none, "a"),
          piece(none, '{"x":1}'),
          stop(none),
          call(none, "b"),
          stop(none),
        ],
        { text: "A", a: '{"x":1}', b: "" },
      ],
      [
        "no index but in starts",
        [speech(0), said(nothing, "A"), stop(nothing), call(1, "a"), piece(nothing, '{"x":1}')],
        { text: "A", a: '{"x":1}' },
      ],
      [
        "a start after the end again",
        [call(0, "a"), stop(0), call(0, "a"), piece(0, '{"x":1}'), stop(0)],
        { a: '{"x":1}' },
      ],
      [
        "arguments as a text",
        [call(0, "a", '{"x":1}'), stop(0), call(1, "b", "{}"), stop(1), call(2, "c", "no JSON")],
        { a: '{"x":1}', b: "", c: "no JSON" },
      ],
    ])("%s", (_, events, expected) => {
      const { deltas, ends } = readStream(streamOf([events], "tool_use"))
      const told: Record<string, string> = {}
      for (const delta of deltas) {
        if (delta.type === "tool_use_start") told[delta.id] = ""
        if (delta.type === "tool_use_delta") told[delta.id] += delta.json
        if (delta.type === "text_delta") told["text"] = (told["text"] ?? "") + delta.text
      }
      expect(told).toEqual(expected)
      expect(ends).toHaveLength(1)
    })

    it("also of tools of the provider's own", () => {
      const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} }
      const start = { type: "content_block_start", index: 0, content_block: search }
      const events = [start, call(1, "a"), piece(0, '{"q"'), piece(1, "{}"), piece(0, ":1}"), stop(1), stop(0)]
      const { deltas } = readStream(streamOf([events], "tool_use"))
      expect(blocksIn(deltas)).toEqual([
        { type: "thinking", thinking: "", opaque: opaque({ ...search, input: { q: 1 } }) },
      ])
    })

    it("in long answers that need no parsing", () => {
      const long = (id: string) => [
        call(0, id),
        piece(0, '["'),
        ...Array.from({ length: 60 }, () => piece(0, id)),
        piece(0, '"]'),
        stop(0),
      ]
      const { deltas } = readStream(streamOf([long("a"), long("b")], "tool_use"))
      const of = (id: string) => argumentsIn(deltas.filter((delta) => "id" in delta && delta.id === id))
      expect([of("a"), of("b")]).toEqual([`["${"a".repeat(60)}"]`, `["${"b".repeat(60)}"]`])
    })
  })

  it("closes the body itself soon after the last event, and later after a stop reason alone", () => {
    const reader = new EventReader(new Recorder(), { label: "anthropic/m" })
    const tell = (event: object) => {
      const data = JSON.stringify(event)
      reader.onEvent(data, 0, data.length, "")
    }
    tell({ type: "message_start", message: {} })
    expect(reader.graceMs).toBeUndefined()
    tell({ type: "message_delta", delta: { stop_reason: "end_turn" } })
    expect(reader.graceMs).toBe(5000)
    tell({ type: "message_stop" })
    expect(reader.graceMs).toBe(250)
  })
})

describe("a whole message", () => {
  const whole = (body: unknown) => {
    const sink = new Recorder()
    new EventReader(sink, { label: "anthropic/m" }).whole(typeof body === "string" ? body : JSON.stringify(body))
    return sink
  }

  it("may have a text for its content, and texts for the inputs of its calls", () => {
    expect(whole({ content: "a", stop_reason: "end_turn" }).deltas).toEqual([
      { type: "text_delta", index: 0, text: "a" },
    ])
    const calls = ['{"x":1}', { y: 2 }].map((input, i) => ({ ...callStart, id: `t${i}`, input }))
    expect(argumentsIn(whole({ content: calls, stop_reason: "tool_use" }).deltas)).toBe('{"x":1}{"y":2}')
  })

  it("keeps who made its calls with each of them", () => {
    const caller = { type: "code_execution_20260120", tool_id: "s1" }
    const calls = ["t1", "t2"].map((id) => ({ ...callStart, id, caller }))
    const ended = blocksIn(whole({ content: calls, stop_reason: "tool_use" }).deltas)
    expect(ended.map(({ opaque }) => opaque?.data)).toEqual([{ caller }, { caller }])
  })

  it("is read as a stream of the same blocks is", () => {
    const content = [
      { type: "thinking", thinking: "t", signature: "s" },
      { type: "text", text: "a" },
      { ...callStart, input: { x: 1 } },
    ]
    const { deltas, ends } = whole({
      id: "msg_1",
      content,
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 2 },
    })
    expect(deltas.map(({ type }) => type)).toEqual([
      "thinking_delta",
      "block_end",
      "text_delta",
      "tool_use_start",
      "tool_use_delta",
    ])
    expect(ends).toEqual([expect.objectContaining({ id: "msg_1", stopReason: "tool_use" })])
  })

  it("FR-07 that is an error, or nothing that the API sends, fails", () => {
    const error = { type: "error", error: { type: "api_error", message: "boom" } }
    expect(() => whole(error)).toThrow("boom")
    expect(() => whole({ message: "nobody is here" })).toThrow("has no content")
    expect(() => whole([])).toThrow("failed within its answer")
    expect(() => whole("<html>")).toThrow("web page")
  })
})
