import { expect, test } from "vitest"
import {
  type AgentEvent,
  assistantMsg,
  createMsg,
  type EventBase,
  foldEvent,
  type Msg,
  type Reply,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  type ToolUseBlock,
  userMsg,
} from "./index.ts"

type Tail<T> = T extends EventBase ? Omit<T, keyof EventBase> & Partial<EventBase> : never
const base: EventBase = { replyId: "r1", agent: "Friday", path: [], seq: 0 }
const event = (tail: Tail<AgentEvent>) => ({ ...base, ...tail }) as AgentEvent
const fold = (events: readonly Tail<AgentEvent>[], start: readonly Msg[] = []) =>
  events.reduce<readonly Msg[]>((messages, tail) => foldEvent(messages, event(tail)), start)

const text = (value: string, index = 0, msgId = "m1"): Tail<AgentEvent> => ({
  type: "text_delta",
  msgId,
  index,
  text: value,
})
const call = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "look", input: { at: id } })
const [a, b] = [call("a"), call("b")]
const contents = (messages: readonly Msg[]) => messages.map((msg) => msg.content)

test("deltas for an unknown message start one; deltas for a known one grow it", () => {
  const messages = fold([text("Hel"), text("lo"), text("second", 1)])
  expect(messages).toEqual([
    {
      id: "m1",
      name: "Friday",
      role: "assistant",
      content: [
        { type: "text", text: "Hello" },
        { type: "text", text: "second" },
      ],
      timestamp: expect.stringMatching(/Z$/),
      metadata: { partial: true, replyId: "r1" },
    },
  ])
})

test("thinking grows beside text", () => {
  const think = (value: string): Tail<AgentEvent> => ({ type: "thinking_delta", msgId: "m1", index: 0, text: value })
  expect(contents(fold([think("h"), think("m"), text("so", 1)]))).toEqual([
    [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "so" },
    ],
  ])
})

test("a tool call shows its arguments so far, until its block is complete", () => {
  const started = fold([
    { type: "tool_use_start", msgId: "m1", index: 0, id: "a", name: "look" },
    { type: "tool_use_delta", msgId: "m1", index: 0, id: "a", json: '{"at"' },
    { type: "tool_use_delta", msgId: "m1", index: 0, id: "a", json: ':"a"}' },
  ])
  expect(contents(started)).toEqual([[{ type: "tool_use", id: "a", name: "look", input: {}, rawInput: '{"at":"a"}' }]])
  expect(contents(fold([{ type: "block_end", msgId: "m1", index: 0, block: a }], started))).toEqual([[a]])
})

test("a block that was never seen growing is there at its end", () => {
  const image = { type: "image", source: { type: "url", url: "a.png" } } as const
  expect(contents(fold([{ type: "block_end", msgId: "m1", index: 0, block: image }]))).toEqual([[image]])
})

test("of a stream that was joined late, what came before is empty", () => {
  expect(contents(fold([text("late", 2)]))).toEqual([
    [
      { type: "text", text: "" },
      { type: "text", text: "" },
      { type: "text", text: "late" },
    ],
  ])
  expect(contents(fold([{ type: "tool_use_delta", msgId: "m1", index: 0, id: "a", json: "}" }]))).toEqual([
    [{ type: "tool_use", id: "a", name: "", input: {}, rawInput: "}" }],
  ])
})

test("the message event takes the place of what grew, whatever came after it", () => {
  const final = createMsg({ id: "m1", name: "Friday", role: "assistant", content: "Hello!" })
  const question = userMsg("hi")
  const messages = fold([
    { type: "message", msg: question },
    text("Hel"),
    text("other agent", 0, "m2"),
    { type: "message", msg: final },
  ])
  expect(messages.map((msg) => msg.id)).toEqual([question.id, "m1", "m2"])
  expect(messages[1]).toBe(final)
})

test("messages that finish in another order than they began stand in the order of their finish", () => {
  const done = (id: string) => createMsg({ id, name: "F", role: "assistant", content: id })
  const events: Tail<AgentEvent>[] = [text("a", 0, "m1"), text("b", 0, "m2"), { type: "message", msg: done("m2") }]
  expect(fold(events).map((msg) => msg.id)).toEqual(["m2", "m1"])
  expect(fold([...events, { type: "message", msg: done("m1") }])).toMatchObject([{ id: "m2" }, { id: "m1" }])
})

test("a finished message that comes again takes its own place", () => {
  const [first, changed] = ["a", "b"].map((content) => createMsg({ id: "m1", name: "F", role: "assistant", content }))
  const messages = [first as Msg, userMsg("later")]
  expect(fold([{ type: "message", msg: changed as Msg }], messages)).toEqual([changed, messages[1]])
})

test("deltas that come again after their message was finished change nothing", () => {
  const done = fold([
    text("Hel"),
    { type: "message", msg: createMsg({ id: "m1", name: "F", role: "assistant", content: "Hello" }) },
  ])
  expect(
    fold([text("Hel"), { type: "block_end", msgId: "m1", index: 0, block: { type: "text", text: "x" } }], done),
  ).toBe(done)
})

test("results show while their tools run, each in its place, and then as the round's message", () => {
  const part = (toolUse: ToolUseBlock, value: string): Tail<AgentEvent> => ({
    type: "tool_result_delta",
    toolUse,
    block: { type: "text", text: value },
  })
  const running = fold([part(a, "1"), part(b, "x"), part(a, "2")], [assistantMsg([a, b])])
  const results = running[1] as Msg
  expect(results).toMatchObject({ role: "tool", metadata: { partial: true } })
  expect(toolResultsOf(results)).toEqual([
    {
      type: "tool_result",
      id: "a",
      name: "look",
      output: [
        { type: "text", text: "1" },
        { type: "text", text: "2" },
      ],
      state: "suspended",
    },
    { type: "tool_result", id: "b", name: "look", output: [{ type: "text", text: "x" }], state: "suspended" },
  ])

  const [first, second] = [toolResult(a, "12"), toolResult(b, "xyz")]
  const oneDone = fold([{ type: "tool_result", toolUse: b, result: second }], running)
  expect(toolResultsOf(oneDone[1] as Msg)[1]).toBe(second)
  const msg = toolResultMsg([first, second])
  const done = fold(
    [{ type: "tool_result", toolUse: a, result: first }, { type: "message", msg }, text("next", 0, "m9")],
    oneDone,
  )
  expect(done).toHaveLength(3)
  expect(done[1]).toBe(msg)
  // a result that comes again
  expect(fold([part(a, "1"), { type: "tool_result", toolUse: a, result: first }], done)).toBe(done)
})

test("a result may come before the message with its call", () => {
  const final = createMsg({ id: "m1", name: "Friday", role: "assistant", content: [a] })
  const results = toolResultMsg([toolResult(a, "early")])
  const messages = fold([
    { type: "block_end", msgId: "m1", index: 0, block: a },
    { type: "tool_result", toolUse: a, result: toolResult(a, "early") },
    { type: "message", msg: final },
    { type: "message", msg: results },
  ])
  expect(messages).toEqual([final, results])
})

test("the next round, and another reply, have results of their own", () => {
  const [one, two] = [toolResultMsg([toolResult(a, "1")]), toolResultMsg([toolResult(b, "2")])]
  const events: Tail<AgentEvent>[] = [
    { type: "tool_result", toolUse: a, result: toolResult(a, "1") },
    { type: "message", msg: one },
    { type: "tool_result", toolUse: b, result: toolResult(b, "2") },
    { type: "tool_result", toolUse: a, result: toolResult(a, "sub"), replyId: "r2" },
  ]
  const running = fold(events)
  expect(running.map((msg) => toolResultsOf(msg).map(({ id }) => id))).toEqual([["a"], ["b"], ["a"]])
  expect(fold([{ type: "message", msg: two }], running).slice(0, 2)).toEqual([one, two])
})

test("a tool message with other results than those that run is a message of its own", () => {
  const outside = toolResultMsg([toolResult(call("z"), "from outside")])
  const messages = fold([
    { type: "tool_result", toolUse: a, result: toolResult(a, "1") },
    { type: "message", msg: outside },
  ])
  expect(messages).toHaveLength(2)
  expect(messages[0]).toBe(outside)
})

test.each<Tail<AgentEvent>>([
  { type: "reply_end", reply: createMsg({ name: "F", role: "assistant", content: "" }) as Reply<unknown> },
  { type: "error", error: { code: "network", message: "m", retryable: true } },
])("with the end of a reply ($type) what never became a message is gone; that of other replies stays", (end) => {
  const kept = userMsg("hi")
  const running = fold(
    [
      text("half"),
      { type: "tool_result", toolUse: a, result: toolResult(a, "1") },
      { ...text("other", 0, "m7"), replyId: "r2" },
    ],
    [kept],
  )
  expect(running).toHaveLength(4)
  const ended = fold([end], running)
  expect(ended.map((msg) => msg.id)).toEqual([kept.id, "m7"])
  expect(fold([end], ended)).toBe(ended)
})

test.each<Tail<AgentEvent>>([
  { type: "reply_start" },
  { type: "model_start", msgId: "m1", iteration: 1, model: "m" },
  { type: "model_end", msgId: "m1", stopReason: "stop" },
  { type: "tool_execution_start", toolUse: a },
  { type: "tool_progress", toolUse: a, data: 1 },
  { type: "pending", pending: { toolUse: a, kind: "approval", digest: "d" } },
  { type: "compaction", removed: 3, summary: userMsg("so far") },
  { type: "warning", code: "w", message: "m" },
  { type: "of the future" } as unknown as Tail<AgentEvent>,
])("$type changes nothing, and the same list comes back", (tail) => {
  const messages = fold([text("a")])
  expect(fold([tail], messages)).toBe(messages)
})

test("a retry makes void what was said of the answer, and nothing else", () => {
  const retry: Tail<AgentEvent> = {
    type: "retry",
    attempt: 1,
    delayMs: 0,
    error: { code: "malformed_response", message: "m", retryable: true },
  }
  const kept = fold([{ type: "message", msg: assistantMsg("earlier") }])
  expect(fold([retry], kept)).toBe(kept)
  const said = fold([text("wrong")], kept)
  expect(fold([retry], said)).toEqual(kept)
  const again = fold([retry, text("right")], said)
  expect(again.map((msg) => msg.content)).toEqual([
    [{ type: "text", text: "earlier" }],
    [{ type: "text", text: "right" }],
  ])
})

test("lists and messages given are never changed", () => {
  const deepFreeze = <T>(value: T): T => {
    if (typeof value === "object" && value !== null)
      for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner)
    return value
  }
  let messages: readonly Msg[] = deepFreeze([userMsg("hi")])
  const results = toolResultMsg([toolResult(a, "12")])
  const events: Tail<AgentEvent>[] = [
    text("a"),
    text("b"),
    { type: "tool_use_start", msgId: "m1", index: 1, id: "a", name: "look" },
    { type: "tool_use_delta", msgId: "m1", index: 1, id: "a", json: "{}" },
    { type: "block_end", msgId: "m1", index: 1, block: a },
    { type: "tool_result_delta", toolUse: a, block: { type: "text", text: "1" } },
    { type: "tool_result_delta", toolUse: a, block: { type: "text", text: "2" } },
    { type: "message", msg: createMsg({ id: "m1", name: "F", role: "assistant", content: [a] }) },
    { type: "message", msg: results },
  ]
  for (const tail of events) {
    const next = foldEvent(messages, event(tail))
    expect(next).not.toBe(messages)
    messages = deepFreeze(next)
  }
  expect(messages).toHaveLength(3)
})

test("after a whole run the list holds exactly the messages of its message events", () => {
  const question = userMsg("What is up there?")
  const first = createMsg({
    id: "m1",
    name: "Friday",
    role: "assistant",
    content: [{ type: "thinking", thinking: "look" }, a, b],
  })
  const results = toolResultMsg([toolResult(a, "sky"), toolResult(b, "stars")])
  const answer = createMsg({
    id: "m2",
    name: "Friday",
    role: "assistant",
    content: "Stars.",
    finishReason: "completed",
  })
  const events: Tail<AgentEvent>[] = [
    { type: "reply_start" },
    { type: "message", msg: question },
    { type: "model_start", msgId: "m1", iteration: 1, model: "m" },
    { type: "thinking_delta", msgId: "m1", index: 0, text: "lo" },
    { type: "thinking_delta", msgId: "m1", index: 0, text: "ok" },
    { type: "tool_use_start", msgId: "m1", index: 1, id: "a", name: "look" },
    { type: "tool_use_delta", msgId: "m1", index: 1, id: "a", json: '{"at":"a"}' },
    { type: "block_end", msgId: "m1", index: 1, block: a },
    { type: "tool_execution_start", toolUse: a },
    { type: "tool_use_start", msgId: "m1", index: 2, id: "b", name: "look" },
    { type: "tool_result", toolUse: a, result: toolResult(a, "sky") },
    { type: "block_end", msgId: "m1", index: 2, block: b },
    { type: "model_end", msgId: "m1", stopReason: "tool_use" },
    { type: "message", msg: first },
    { type: "tool_result_delta", toolUse: b, block: { type: "text", text: "sta" } },
    { type: "tool_result", toolUse: b, result: toolResult(b, "stars") },
    { type: "message", msg: results },
    { type: "model_start", msgId: "m2", iteration: 2, model: "m" },
    text("Sta", 0, "m2"),
    text("rs.", 0, "m2"),
    { type: "model_end", msgId: "m2", stopReason: "stop" },
    { type: "message", msg: answer },
    { type: "reply_end", reply: answer as Reply<unknown> },
  ]
  // at each step, also of a client that joined there, the finished messages are those of the events so far
  let messages: readonly Msg[] = []
  const carried: Msg[] = []
  for (const tail of events) {
    messages = foldEvent(messages, event(tail))
    if (tail.type === "message") carried.push(tail.msg)
    expect(messages.filter((msg) => msg.metadata?.["partial"] !== true)).toEqual(carried)
  }
  expect(messages).toEqual([question, first, results, answer])
  for (let joined = 0; joined < events.length; joined++) {
    const late = fold(events.slice(joined))
    expect(late).toEqual(carried.slice(carried.length - late.length))
  }
})

test("FR-35 a delta costs the same however long its text has grown", () => {
  const history = Array.from({ length: 100 }, (_, i) => userMsg(`m${i}`))
  const time = (count: number) => {
    let messages: readonly Msg[] = history
    const start = performance.now()
    for (let i = 0; i < count; i++) messages = foldEvent(messages, event(text("some words ")))
    const each = (performance.now() - start) / count
    expect(messages.at(-1)?.content[0]).toMatchObject({ text: "some words ".repeat(count) })
    return each
  }
  const best = (count: number) => Math.min(...Array.from({ length: 3 }, () => time(count)))
  const [few, many] = [best(2000), best(40_000)]
  // joining or copying the text each time would make this 20 times
  expect(many).toBeLessThan(few * 6 + 0.002)
})
