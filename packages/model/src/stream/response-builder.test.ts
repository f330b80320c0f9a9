import { type ChatDelta, replaceAmbient, type ToolUseBlock } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { ResponseBuilder } from "./response-builder.ts"

function build(...deltas: ChatDelta[]) {
  const builder = new ResponseBuilder("m", true)
  const seen: ChatDelta[] = []
  const calls: ToolUseBlock[] = []
  builder.attach({ onDelta: (delta) => seen.push(delta), onToolUse: (block) => calls.push(block) })
  for (const delta of deltas) builder.emit(delta)
  return { builder, seen, calls }
}
const text = (text: string, index = 0): ChatDelta => ({ type: "text_delta", index, text })
const thinking = (text: string, index = 0): ChatDelta => ({ type: "thinking_delta", index, text })
const start = (index: number, id: string, name = "t"): ChatDelta => ({ type: "tool_use_start", index, id, name })
const args = (index: number, id: string, json: string): ChatDelta => ({ type: "tool_use_delta", index, id, json })

describe("text and thinking", () => {
  test("deltas of a block become one block, and each delta reaches the consumer as the same object", () => {
    const deltas = [text("Hel"), text("lo")]
    const { builder, seen } = build(...deltas)
    builder.finish({ stopReason: "stop" })
    expect(seen[0]).toBe(deltas[0])
    expect(seen[1]).toBe(deltas[1])
    expect(seen[2]).toEqual({ type: "block_end", index: 0, block: { type: "text", text: "Hello" } })
    expect(builder.response().content).toEqual([{ type: "text", text: "Hello" }])
    expect(builder.response().stopReason).toBe("stop")
  })

  test("opening a block closes an open text or thinking block", () => {
    const { seen } = build(thinking("Hm"), text("So", 1))
    expect(seen.map(({ type }) => type)).toEqual(["thinking_delta", "block_end", "text_delta"])
    expect(seen[1]).toEqual({ type: "block_end", index: 0, block: { type: "thinking", thinking: "Hm" } })
  })

  test("empty deltas open nothing and are not passed on", () => {
    const { builder, seen } = build(text(""), thinking("", 1))
    builder.finish({ stopReason: "stop" })
    expect(builder.started).toBe(false)
    expect(seen).toEqual([])
    expect(builder.response().content).toEqual([])
  })

  test("indices with gaps, and one index for two blocks, come out as places in the content", () => {
    const { builder, seen } = build(thinking("a", 0), text("b", 0), start(5, "c"), text("d", 0))
    builder.finish({ stopReason: "stop" })
    const opened = seen.filter(({ type }) => type !== "block_end").map(({ index }) => index)
    expect(opened).toEqual([0, 1, 2, 3])
    expect(builder.response().content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "text"])
  })

  test("a whole block from the provider stands in place of what its deltas made", () => {
    const block = { type: "thinking", thinking: "I should", opaque: { provider: "p", data: "c2ln" } } as const
    const { builder, seen } = build(
      thinking("I "),
      thinking("should"),
      { type: "block_end", index: 0, block },
      text("!", 1),
    )
    builder.finish({ stopReason: "stop" })
    expect(builder.response().content[0]).toBe(block)
    expect(seen.filter(({ type, index }) => type === "block_end" && index === 0)).toHaveLength(1)
  })

  test("what follows a whole block at its index is a block of its own", () => {
    const block = { type: "text", text: "one" } as const
    const { builder, seen } = build({ type: "block_end", index: 0, block }, text("two"), text(" three"))
    builder.finish({ stopReason: "stop" })
    expect(builder.response().content).toEqual([block, { type: "text", text: "two three" }])
    expect(seen.map(({ index }) => index)).toEqual([0, 1, 1, 1])
  })

  test("a whole block that nothing announced has its place", () => {
    const block = { type: "image", source: { type: "url", url: "https://x.example/i.png" } } as const
    const { builder } = build(text("Look"), { type: "block_end", index: 1, block }, text("Nice", 2))
    builder.finish({ stopReason: "stop" })
    expect(builder.response().content).toEqual([{ type: "text", text: "Look" }, block, { type: "text", text: "Nice" }])
  })
})

describe("tool calls", () => {
  test("FR-01 a call whose arguments are empty text has the input {} and may run", () => {
    for (const pieces of [[], [""], [" "], ["{}"]]) {
      const { builder, calls } = build(start(0, "c1", "now"), ...pieces.map((json) => args(0, "c1", json)))
      builder.finish({ stopReason: "tool_use" })
      expect(calls).toEqual([{ type: "tool_use", id: "c1", name: "now", input: {} }])
    }
  })

  test.each([
    '{"a":1,}',
    '{"c":"line1\nline2"}',
    '{{"a":1}}',
    '{"c":"\\x00"}',
    '{"a":',
    "[1]",
    '"text"',
    "null",
    "nope",
  ])("FR-31 arguments %j, which are no JSON object, are kept as rawInput, and the input is {}", (json) => {
    const { builder, calls } = build(start(0, "c1"), args(0, "c1", json))
    builder.finish({ stopReason: "tool_use" })
    expect(calls).toEqual([{ type: "tool_use", id: "c1", name: "t", input: {}, rawInput: json }])
  })

  test("a call is complete as soon as a later block opens and its arguments are whole", () => {
    const { calls } = build(start(0, "a"), args(0, "a", '{"x"'), args(0, "a", ":1}"), start(1, "b"))
    expect(calls).toEqual([{ type: "tool_use", id: "a", name: "t", input: { x: 1 } }])
  })

  test("calls whose arguments come interleaved by index stay apart", () => {
    const { builder, calls } = build(
      start(0, "a"),
      start(1, "b"),
      args(1, "b", '{"b":'),
      args(0, "a", '{"a":'),
      args(1, "b", "2}"),
      args(0, "a", "1}"),
    )
    expect(calls).toEqual([])
    builder.finish({ stopReason: "tool_use" })
    expect(calls.map(({ id, input }) => [id, input])).toEqual([
      ["a", { a: 1 }],
      ["b", { b: 2 }],
    ])
  })

  test("a call that is unfinished when another opens can still be finished", () => {
    const { builder, calls } = build(
      start(0, "a"),
      args(0, "a", '{"a":{}'),
      start(1, "b"),
      args(0, "a", "}"),
      start(2, "c"),
    )
    expect(calls.map(({ id }) => id)).toEqual(["a"])
    builder.finish({ stopReason: "stop" })
    expect(calls.map(({ id }) => id)).toEqual(["a", "b", "c"])
    expect(builder.response().content.map((block) => (block as ToolUseBlock).id)).toEqual(["a", "b", "c"])
  })

  test("white space after complete arguments does no harm, anything else is malformed", () => {
    const { builder } = build(start(0, "a"), args(0, "a", "{}"), start(1, "b"), args(0, "a", "\n"))
    expect(() => builder.emit(args(0, "a", '{"again":1}'))).toThrow(/went on after they were complete/)
    expect(() => builder.emit(args(7, "z", "{}"))).toThrow(/never started/)
  })

  test("an answer with calls that says it just stopped has stopped for its calls", () => {
    const { builder } = build(start(0, "a"))
    builder.finish({ stopReason: "stop" })
    expect(builder.response().stopReason).toBe("tool_use")
  })

  test("a call cut off by the limit of tokens before its arguments came must not run", () => {
    const { builder, calls } = build(start(0, "a", "remove_all"))
    builder.finish({ stopReason: "length" })
    expect(calls).toEqual([{ type: "tool_use", id: "a", name: "remove_all", input: {}, rawInput: "" }])
  })

  test("a whole call from the provider keeps its opaque data", () => {
    const block = { type: "tool_use", id: "a", name: "t", input: {}, opaque: { provider: "g", data: "s" } } as const
    const { calls } = build(start(0, "a"), { type: "block_end", index: 0, block })
    expect(calls[0]).toBe(block)
  })
})

describe("the end", () => {
  test("figures that were not sent stay absent, and no figures are no usage", () => {
    const { builder } = build(text("a"))
    builder.finish({ stopReason: "stop", usage: { inputTokens: undefined, outputTokens: undefined } })
    expect(builder.response()).not.toHaveProperty("usage")
    builder.finish({ stopReason: "stop", usage: { inputTokens: 40, outputTokens: 10, reasoningTokens: undefined } })
    expect(builder.response().usage).toEqual({ inputTokens: 40, outputTokens: 10, timeMs: expect.any(Number) })
  })

  test("usage that is told before the end stays when the answer breaks off", () => {
    const builder = new ResponseBuilder("m", true)
    builder.begin({ id: "msg_1", usage: { inputTokens: 12, cachedInputTokens: 4, outputTokens: 1 } })
    builder.begin({ usage: { outputTokens: 7 } })
    builder.fail(false)
    builder.begin({ usage: { outputTokens: 8 } })
    const usage = { inputTokens: 12, cachedInputTokens: 4, outputTokens: 7, timeMs: expect.any(Number) }
    expect(builder.response()).toMatchObject({ id: "msg_1", stopReason: "error", usage })
  })

  test("usage that comes after the end is added", () => {
    const { builder } = build(text("a"))
    builder.finish({ stopReason: "stop", usage: { inputTokens: 3, cachedInputTokens: 1 } })
    builder.finish({ stopReason: "stop", id: "resp_1", usage: { outputTokens: 4 } })
    expect(builder.response()).toMatchObject({
      id: "resp_1",
      usage: { inputTokens: 3, cachedInputTokens: 1, outputTokens: 4 },
    })
  })

  test("the id is the provider's, told early or at the end, else one of our own that stays", () => {
    const own = build(text("a")).builder
    const { id } = own
    own.finish({ stopReason: "stop" })
    expect(id).toMatch(/^[\w-]{16}$/)
    expect(own.response().id).toBe(id)
    const { builder } = build()
    builder.begin({ id: "chatcmpl-1" })
    builder.finish({ stopReason: "stop", id: undefined })
    expect(builder.response().id).toBe("chatcmpl-1")
  })

  test("after a failure nothing is heard any more, and what there was is kept", () => {
    const { builder, seen } = build(text("Hel"))
    builder.fail(true)
    builder.emit(text("lo"))
    builder.finish({ stopReason: "stop" })
    expect(seen).toHaveLength(1)
    expect(builder.response()).toMatchObject({ stopReason: "interrupted", content: [{ type: "text", text: "Hel" }] })
  })

  test("the partial answer of a cut stream has its open call with the text so far, so that it never runs", () => {
    const { builder, calls } = build(start(0, "a"), args(0, "a", '{"x":1}'))
    builder.fail(false)
    expect(calls).toEqual([])
    expect(builder.response()).toMatchObject({
      stopReason: "error",
      content: [{ id: "a", input: {}, rawInput: '{"x":1}' }],
    })
  })
})

test("time is counted from the start of the call, not from when the stream was made, over all attempts", () => {
  let now = 1000
  const restore = replaceAmbient({ now: () => now })
  const builder = new ResponseBuilder("m", true)
  now = 2000
  builder.start("m")
  now = 2500
  builder.start("spare")
  now = 3000
  builder.finish({ stopReason: "stop", usage: { inputTokens: 1 } })
  expect(builder.response()).toMatchObject({
    createdAt: new Date(2000).toISOString(),
    model: "spare",
    usage: { timeMs: 1000 },
  })
  restore()
})

test("a consumer that comes late hears first what it missed", () => {
  const builder = new ResponseBuilder("m", true)
  const deltas = [thinking("Hm"), text("So", 1), start(2, "a"), args(2, "a", "{}"), start(3, "b"), args(3, "b", '{"x')]
  for (const delta of deltas) builder.emit(delta)
  const late = new ResponseBuilder("m", true)
  builder.attach({ onDelta: (delta) => late.emit(delta) })
  builder.emit(args(3, "b", '":1}'))
  builder.finish({ stopReason: "stop" })
  late.finish({ stopReason: "stop" })
  expect(late.response().content).toEqual(builder.response().content)
})
