import { assistantMsg, replaceAmbient, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { FakeModel, PlainFormatter, type Send, saying } from "./fixtures/fake-model.ts"

const messages = [userMsg("Hi")]

describe("what reaches the provider", () => {
  test("params of the constructor under those of the request, one by one; undefined means not given", async () => {
    const model = new FakeModel(saying("Hello"), { params: { temperature: 0.5, seed: 1 } })
    await model.generate({ messages, params: { temperature: undefined, seed: 2, topP: 0.1 } })
    await model.generate({ messages })
    expect(model.requests[0]?.params).toEqual({ temperature: 0.5, seed: 2, topP: 0.1 })
    expect(model.requests[1]?.params).toBe(model.params)
  })

  test("whether a stream is wanted", async () => {
    const streaming: boolean[] = []
    const model = new FakeModel((request, sink) => {
      streaming.push(sink.streaming)
      saying("Hello")(request, sink)
    })
    await model.generate({ messages })
    await model.stream({ messages }).response
    expect(streaming).toEqual([false, true])
  })

  test("the history put right for the provider's dialect", async () => {
    const model = new FakeModel(saying("Hello"), { dialect: { provider: "fake", toolCallId: { pattern: /^\w+$/ } } })
    const call = { type: "tool_use", id: "a:1", name: "t", input: {} } as const
    await model.generate({ messages: [...messages, assistantMsg([call]), userMsg("go on")] })
    const sent = model.requests[0]?.messages ?? []
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"])
    expect(sent[2]?.content[0]).toMatchObject({ id: expect.stringMatching(/^\w+$/), state: "interrupted" })
  })

  test("of a conversation the messages sent before, as the same objects, in an array of its own", async () => {
    const model = new FakeModel(saying("Hello"))
    const conversation = {}
    const history = [userMsg("Hi \ud83d")]
    await model.generate({ messages: history, conversation })
    history.push(userMsg("there"))
    await model.generate({ messages: history, conversation })
    const [first, second] = model.requests.map((request) => request.messages)
    expect(first).toHaveLength(1)
    expect(second?.[0]).toBe(first?.[0])
    expect(second?.[0]).not.toBe(history[0])
  })

  test("two conversations of one model stay apart", async () => {
    const model = new FakeModel(saying("Hello"))
    await Promise.all(["a", "b"].map((text) => model.generate({ messages: [userMsg(text)], conversation: { text } })))
    expect(model.requests.map((request) => request.messages[0]?.content)).toEqual([
      [{ type: "text", text: "a" }],
      [{ type: "text", text: "b" }],
    ])
  })

  test("FR-15 what was wrong with the history is told to the listener of a driven stream, once", async () => {
    const warnings: string[] = []
    const model = new FakeModel(saying("Hello"))
    const call = { type: "tool_use", id: "a", name: "t", input: {} } as const
    const result = { type: "tool_result", id: "a", name: "t", output: [], state: "success" } as const
    const history = [...messages, assistantMsg([call]), toolResultMsg([result, result])]
    const conversation = {}
    for (let i = 0; i < 2; i++) {
      await model.stream({ messages: history, conversation }).drive({ onWarning: ({ code }) => warnings.push(code) })
    }
    expect(warnings).toEqual(["duplicate_tool_result"])
  })
})

describe("usage and cost", () => {
  const counted: Send = (_, sink) => {
    sink.emit({ type: "text_delta", index: 0, text: "Hello" })
    sink.finish({ stopReason: "stop", usage: { inputTokens: 1_000_000, outputTokens: 1_000_000 } })
  }

  test("the cost comes from the table, from the model's own price, or from the provider", async () => {
    const cost = async (model: FakeModel) => (await model.generate({ messages })).usage?.costUsd
    expect(await cost(new FakeModel(counted, { model: "gpt-4o-mini-2024-07-18" }))).toBeCloseTo(0.75)
    expect(await cost(new FakeModel(counted, { price: { inputPerMTok: 1, outputPerMTok: 2 } }))).toBe(3)
    expect(await cost(new FakeModel(counted))).toBeUndefined()
    const told: Send = (_, sink) => sink.finish({ stopReason: "stop", usage: { inputTokens: 1, costUsd: 9 } })
    expect(await cost(new FakeModel(told, { model: "gpt-4o" }))).toBe(9)
  })

  test("the time is the seam's, retries included", async () => {
    let now = 1000
    const restore = replaceAmbient({ now: () => now })
    const model = new FakeModel((request, sink, call) => {
      now += 25
      void counted(request, sink, call)
    })
    expect((await model.generate({ messages })).usage?.timeMs).toBe(25)
    restore()
  })

  test("without figures there is no usage", async () => {
    expect(await new FakeModel(saying("Hello")).generate({ messages })).not.toHaveProperty("usage")
  })
})

describe("structured output", () => {
  const Mood = z.object({ mood: z.enum(["good", "bad"]), score: z.number().default(1), why: z.string().optional() })
  const answer = (text: string) => new FakeModel(saying(text)).generate({ messages, schema: Mood })

  test("the answer's text is parsed and validated, with defaults, and nulls of optional values dropped", async () => {
    expect((await answer('{"mood":"good","why":null}')).structured).toEqual({ mood: "good", score: 1 })
  })

  test("a fence around it is no matter", async () => {
    expect((await answer('```json\n{"mood":"bad"}\n```')).structured?.mood).toBe("bad")
  })

  test.each([
    ["no JSON", "I feel good", /is not JSON/],
    ["another shape", '{"mood":"so so"}', /does not fit the schema: mood: /],
  ])("%s is malformed, and the text is in the details", async (_, text, message) => {
    const error = await answer(text).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "malformed_response", retryable: true, details: { text } })
    expect((error as Error).message).toMatch(message)
  })

  test("an answer cut by the limit of tokens says so and is not worth the same call again", async () => {
    const model = new FakeModel((_, sink) => {
      sink.emit({ type: "text_delta", index: 0, text: '{"mood":' })
      sink.finish({ stopReason: "length" })
    })
    const failed = model.generate({ messages, schema: Mood })
    await expect(failed).rejects.toMatchObject({ code: "malformed_response", retryable: false })
    await expect(failed).rejects.toThrow(/raise params.maxTokens/)
  })

  test("a model that calls a tool or refuses has no structured answer, and that is no error", async () => {
    const calling = new FakeModel((_, sink) => {
      sink.emit({ type: "tool_use_start", index: 0, id: "a", name: "t" })
      sink.finish({ stopReason: "tool_use" })
    })
    expect(await calling.generate({ messages, schema: Mood })).not.toHaveProperty("structured")
    const refusing = new FakeModel((_, sink) => sink.finish({ stopReason: "refusal" }))
    expect(await refusing.generate({ messages, schema: Mood })).not.toHaveProperty("structured")
  })

  test("a value from the provider itself is validated too", async () => {
    const model = (structured: unknown) =>
      new FakeModel((_, sink) => sink.finish({ stopReason: "tool_use", structured })).generate({
        messages,
        schema: Mood,
      })
    expect((await model({ mood: "good" })).structured).toEqual({ mood: "good", score: 1 })
    await expect(model({ mood: 1 })).rejects.toMatchObject({ code: "malformed_response" })
  })

  test("a JSON Schema literal will do, streamed as well", async () => {
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
    const stream = new FakeModel(saying('{"n":', "1}")).stream({ messages, schema })
    expect((await stream.response).structured).toEqual({ n: 1 })
  })
})

describe("the formatter", () => {
  test("is chosen by name, or given", () => {
    const [chat, multi, own] = [new PlainFormatter(), new PlainFormatter(), new PlainFormatter()]
    const formatters = { chat, "multi-agent": multi }
    expect(new FakeModel(saying(), { formatters }).formatter).toBe(chat)
    expect(new FakeModel(saying(), { formatters, formatter: "multi-agent" }).formatter).toBe(multi)
    expect(new FakeModel(saying(), { formatters, formatter: own }).formatter).toBe(own)
  })

  test("that the provider does not have is an error that names those it has", () => {
    expect(() => new FakeModel(saying(), { formatter: "multi-agent" })).toThrow(/fake has no "multi-agent".*"chat"/)
  })
})

test("tokens are counted by estimate", async () => {
  const model = new FakeModel(saying())
  const parameters = { type: "object" }
  const plain = await model.countTokens({ messages })
  expect(plain).toBeGreaterThan(0)
  expect(await model.countTokens({ messages, tools: [{ name: "t", parameters }] })).toBeGreaterThan(plain)
})
