import { type ChatDelta, type Msg, textOf, type ToolUseBlock, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { ChatModelInit } from "./chat-model.ts"
import { FakeModel, type Send } from "./fixtures/fake-model.ts"
import type { ChatStreamSink } from "./stream/chat-stream.ts"

const messages = [userMsg("How are you?")]
const schema = { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] } as const
const good = '{"mood":"good"}'
const usage = { inputTokens: 10, outputTokens: 4 }

type Step = string | { text?: string; calls?: readonly ToolUseBlock[]; malformed?: boolean }
/** Answers step by step, the last step for ever. */
const answering = (steps: readonly Step[], options: Partial<ChatModelInit> = {}) => {
  const send: Send = (_, sink, call) => {
    const step = steps[Math.min(call, steps.length - 1)] ?? ""
    const { text, calls = [], malformed = false } = typeof step === "string" ? { text: step } : step
    if (text) for (const piece of text.match(/.{1,5}/gs) ?? []) sink.emit({ type: "text_delta", index: 0, text: piece })
    for (const [i, block] of calls.entries()) sink.emit({ type: "block_end", index: i + 1, block })
    sink.finish({ stopReason: malformed ? "malformed_tool_call" : "stop", usage })
  }
  return new FakeModel(send, options)
}
const last = ({ requests }: FakeModel): readonly Msg[] => requests.at(-1)?.messages ?? []

describe("an answer that does not fit the schema", () => {
  test("is asked for again with the bad answer and what is wrong with it", async () => {
    const model = answering(['{"mood":1}', good])
    expect((await model.generate({ messages, schema })).structured).toEqual({ mood: "good" })
    expect(last(model).map((msg) => [msg.role, textOf(msg)])).toEqual([
      ["user", "How are you?"],
      ["assistant", '{"mood":1}'],
      ["user", expect.stringMatching(/does not fit the schema that was asked for: mood: .*Expected "string"/)],
    ])
  })

  test("is an error after that, with the text", async () => {
    for (const [options, requests] of [
      [{}, 2],
      [{ maxReasks: 0 }, 1],
      [{ maxReasks: 3 }, 4],
    ] as const) {
      const model = answering(["I am fine"], options)
      await expect(model.generate({ messages, schema })).rejects.toMatchObject({
        code: "malformed_response",
        retryable: true,
        message: "The answer of fake/fake-1 is not JSON. It was to fit the request's schema.",
        details: { text: "I am fine" },
      })
      expect(model.requests).toHaveLength(requests)
    }
  })

  test("cut by the limit of tokens it is not asked for again", async () => {
    const model = new FakeModel((_, sink) => {
      sink.emit({ type: "text_delta", index: 0, text: '{"mood":' })
      sink.finish({ stopReason: "length" })
    })
    await expect(model.generate({ messages, schema })).rejects.toThrow(/raise params.maxTokens/)
    expect(model.requests).toHaveLength(1)
  })

  test("beside a tool call it is left: the tool may run already, and there will be another answer", async () => {
    const model = new FakeModel((_, sink) => {
      sink.emit({ type: "tool_use_start", index: 0, id: "c1", name: "look" })
      sink.finish({ stopReason: "stop", structured: { mood: 1 } })
    })
    const response = await model.stream({ messages, schema }).drive({ onToolUse: () => {}, onRetry: () => {} })
    expect(response).toMatchObject({ stopReason: "tool_use", content: [{ name: "look" }] })
    expect(response).not.toHaveProperty("structured")
    expect(model.requests).toHaveLength(1)
  })

  test("figures and cost of all answers are added up", async () => {
    const model = answering(["no", "no", good], { maxReasks: 2, price: { inputPerMTok: 1, outputPerMTok: 10 } })
    const { usage } = await model.generate({ messages, schema })
    expect(usage).toMatchObject({ inputTokens: 30, outputTokens: 12, costUsd: expect.closeTo(150e-6, 9) })
    const stream = answering(["no"]).stream({ messages, schema })
    await expect(stream.response).rejects.toThrow()
    expect(stream.partial()).toMatchObject({
      stopReason: "error",
      usage: { inputTokens: 20 },
      content: [{ text: "no" }],
    })
  })

  test("the conversation's own history stays as it was", async () => {
    const model = answering(["no", good, good])
    const conversation = {}
    await model.generate({ messages, schema, conversation })
    await model.generate({ messages: [...messages, userMsg("And now?")], schema, conversation })
    expect(model.requests.map((request) => [request.messages.length, request.conversation === conversation])).toEqual([
      [1, true],
      [3, false],
      [2, true],
    ])
  })
})

describe("what was streamed is made void only where a retry says so", () => {
  const driven = async (model: FakeModel, more: ChatStreamSink = {}) => {
    const told: unknown[] = []
    const response = await model.stream({ messages, schema }).drive({
      onDelta: (delta) => told.push(delta.type === "text_delta" ? delta.text : delta.type),
      onRetry: ({ attempt, delayMs, error }) => told.push([attempt, delayMs, error.code]),
      ...more,
    })
    return { response, told }
  }

  test("a listener hears of the retry, and the new answer's blocks begin at 0", async () => {
    const deltas: ChatDelta[] = []
    const { response, told } = await driven(answering(["no", good]))
    expect(told).toEqual(["no", "block_end", [1, 0, "malformed_response"], '{"moo', 'd":"g', 'ood"}', "block_end"])
    expect(response.content).toEqual([{ type: "text", text: good }])
    await driven(answering(["no", good]), { onDelta: (delta) => deltas.push(delta) })
    expect(deltas.every(({ index }) => index === 0)).toBe(true)
  })

  test("snapshots start over", async () => {
    const seen: string[] = []
    for await (const { content } of answering(["no", good]).stream({ messages, schema }).snapshots()) {
      seen.push(textOf({ content }))
    }
    expect(seen).toEqual(["no", "no", '{"moo', '{"mood":"g', good, good, good])
  })

  test("a plain loop over the deltas cannot hear of it, and so gets the error", async () => {
    const model = answering(["no", good])
    const seen: string[] = []
    const read = async () => {
      for await (const delta of model.stream({ messages, schema }))
        if (delta.type === "text_delta") seen.push(delta.text)
    }
    await expect(read()).rejects.toMatchObject({ code: "malformed_response" })
    expect(seen).toEqual(["no"])
    expect(model.requests).toHaveLength(1)
  })

  test("a listener without onRetry gets the error as well; one that hears no deltas has seen nothing", async () => {
    await expect(driven(answering(["no", good]), { onRetry: undefined } as never)).rejects.toThrow(/not JSON/)
    expect((await answering(["no", good]).stream({ messages, schema }).drive({})).structured).toEqual({ mood: "good" })
    const response = answering(["no", good]).stream({ messages, schema }).response
    expect((await response).structured).toEqual({ mood: "good" })
  })
})

describe("FR-08 a tool call that the provider could not read", () => {
  const call: ToolUseBlock = { type: "tool_use", id: "c1", name: "look", input: {} }

  test("is asked for again with an explanation", async () => {
    const model = answering([{ malformed: true }, { calls: [call] }])
    const response = await model.generate({ messages })
    expect(response).toMatchObject({ stopReason: "tool_use", content: [call], usage: { inputTokens: 20 } })
    expect(last(model).map((msg) => [msg.role, textOf(msg)])).toEqual([
      ["user", "How are you?"],
      ["user", expect.stringContaining("Your last tool call could not be read")],
    ])
  })

  test("is a typed error after that, never an empty answer", async () => {
    for (const streaming of [true, false]) {
      const model = answering([{ malformed: true }])
      const answer = streaming ? model.stream({ messages }).response : model.generate({ messages })
      await expect(answer).rejects.toMatchObject({ code: "malformed_response", retryable: true })
      expect(model.requests).toHaveLength(2)
    }
  })

  test("thinking alone does not go back: it is no turn", async () => {
    const model = new FakeModel((_, sink, call) => {
      if (call === 0) sink.emit({ type: "thinking_delta", index: 0, text: "Hm." })
      else sink.emit({ type: "text_delta", index: 0, text: "Fine." })
      sink.finish({ stopReason: call === 0 ? "malformed_tool_call" : "stop" })
    })
    expect((await model.generate({ messages })).content).toEqual([{ type: "text", text: "Fine." }])
    expect(last(model).map(({ role }) => role)).toEqual(["user", "user"])
  })

  test("words before it go back with it, and are void where somebody can be told", async () => {
    const model = answering([{ text: "Let me look.", malformed: true }, "It is fine."])
    const told: string[] = []
    const response = await model.stream({ messages }).drive({
      onDelta: (delta) => delta.type === "block_end" && told.push(textOf({ content: [delta.block] })),
      onRetry: () => told.push("retry"),
    })
    expect(told).toEqual(["Let me look.", "retry", "It is fine."])
    expect(response).toMatchObject({ stopReason: "stop", content: [{ text: "It is fine." }] })
    expect(last(model).map((msg) => textOf(msg))).toEqual(["How are you?", "Let me look.", expect.any(String)])
  })

  test("words before it are no answer when it comes again and again", async () => {
    const model = answering([{ text: "Let me look.", malformed: true }])
    const stream = model.stream({ messages })
    await expect(stream.drive({ onDelta: () => {}, onRetry: () => {} })).rejects.toMatchObject({
      code: "malformed_response",
    })
    expect(stream.partial()).toMatchObject({ stopReason: "error", content: [{ text: "Let me look." }] })
  })

  test("words that nobody can be told are void stand, with the reason why they ended", async () => {
    const model = answering([{ text: "Let me look.", malformed: true }])
    let text = ""
    const stream = model.stream({ messages })
    for await (const delta of stream) if (delta.type === "text_delta") text += delta.text
    expect(text).toBe("Let me look.")
    expect(await stream.response).toMatchObject({ stopReason: "malformed_tool_call", content: [{ text }] })
  })

  test("beside one that came whole, whose tool may run already, it is left to the caller", async () => {
    const model = answering([{ calls: [call], malformed: true }])
    const started: string[] = []
    const response = await model
      .stream({ messages })
      .drive({ onToolUse: ({ id }) => started.push(id), onRetry: () => {} })
    expect(started).toEqual(["c1"])
    expect(response).toMatchObject({ stopReason: "malformed_tool_call", content: [call] })
    expect(model.requests).toHaveLength(1)
  })

  test("without any asking again it is the caller's affair", async () => {
    const response = await answering([{ malformed: true }], { maxReasks: 0 }).generate({ messages })
    expect(response).toMatchObject({ stopReason: "malformed_tool_call", content: [] })
  })
})
