import {
  AgentScopeError,
  type ChatDelta,
  replaceAmbient,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { type ChatRequest, type ChatStream, Formatter } from "@agentscope-ts/model"
import { describe, expect, test, vi } from "vitest"
import { ScriptedModel } from "./scripted-model.ts"
import type { ScriptedStep } from "./scripted-step.ts"

const ask: ChatRequest = { messages: [userMsg("Hello")] }
const generate = (step: ScriptedStep, request: ChatRequest = ask) => new ScriptedModel([step]).generate(request)
async function collect(stream: ChatStream): Promise<ChatDelta[]> {
  const deltas: ChatDelta[] = []
  for await (const delta of stream) deltas.push(delta)
  return deltas
}
const finishTool = { name: "generate_response", parameters: { type: "object" } }

describe("the script of a ScriptedModel", () => {
  test.each([
    ["hi", /takes a list of steps and got a text: write new ScriptedModel\(\["hi"\]\)/],
    [undefined, /takes a list of steps and got nothing: write new ScriptedModel\(\["Hello!"\]\)/],
    [{ text: "hi" }, /takes a list of steps and got an object/],
    [
      ["ok", { txt: "hi" }],
      /^Step 2 of a ScriptedModel has the unknown part "txt": .*thinking.* Did you mean "text"\?$/,
    ],
    [[{ toolUse: [] }], /unknown part "toolUse".* Did you mean "toolUses"\?$/],
    [[{ toolUses: [{ input: {} }] }], /^Step 1 of a ScriptedModel has toolUses\[0\] without a name: write toolUses/],
    [["hi", { toolUses: [{ name: "add" }] }], /^Step 2 of a ScriptedModel has toolUses\[0\] without an input/],
    [[{ toolUses: { name: "add", input: {} } }], /toolUses that are no list/],
    [[{ toolUses: [null] }], /without a name/],
    [[7], /^Step 1 of a ScriptedModel is the number 7: a step is a text/],
    [[["hi"]], /^Step 1 of a ScriptedModel is a list/],
    [[Promise.resolve("hi")], /^Step 1 of a ScriptedModel is a promise/],
  ])("is refused at once where it is none: %j", (script, message) => {
    const make = () => new ScriptedModel(script as never)
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: "invalid_step" }))
  })

  test("may have functions, whose answers are looked at when they come", async () => {
    const error = generate((() => ({ txt: "hi" })) as never)
    await expect(error).rejects.toMatchObject({ code: "invalid_step" })
    await expect(error).rejects.toThrow(/^Step 1 .* Did you mean "text"\?$/)
  })
})

describe("the answers of a ScriptedModel", () => {
  test("a text, an answer and a function of the request, nested or not", async () => {
    const model = new ScriptedModel([
      "one",
      { text: "two" },
      ({ messages }) =>
        () =>
          `three to ${textOf(messages[0]!)}`,
    ])
    const texts = []
    for (let i = 0; i < 3; i++) texts.push(textOf(await model.generate(ask)))
    expect(texts).toEqual(["one", "two", "three to Hello"])
  })

  test("thinking, text and calls stand in this order; the stop reason follows from the calls", async () => {
    const response = await generate({
      toolUses: [
        { name: "add", input: { a: 1 } },
        { id: "mine", name: "now", input: "" },
      ],
      thinking: "hm",
      text: "Let me see.",
      usage: { inputTokens: 5, outputTokens: 7 },
    })
    expect(response.content).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "call_1", name: "add", input: { a: 1 } },
      { type: "tool_use", id: "mine", name: "now", input: {} },
    ])
    expect(response.stopReason).toBe("tool_use")
    expect(response.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 })
    expect((await generate("x")).stopReason).toBe("stop")
    expect((await generate({ text: "x", stopReason: "length" })).stopReason).toBe("length")
  })

  test("call ids count over the model's life and pass over ids that the script took", async () => {
    const call = { toolUses: [{ name: "f", input: {} }] }
    const model = new ScriptedModel([call, { toolUses: [{ id: "call_2", name: "f", input: {} }] }, call])
    const ids = []
    for (let i = 0; i < 3; i++) ids.push(toolUsesOf(await model.generate(ask))[0]?.id)
    expect(ids).toEqual(["call_1", "call_2", "call_3"])
  })

  test("arguments given as text go out as they are, also when they are no JSON", async () => {
    const response = await generate({ toolUses: [{ name: "add", input: '{"a": 1' }] })
    expect(toolUsesOf(response)[0]).toMatchObject({ input: {}, rawInput: '{"a": 1' })
  })

  test("a structured value is its JSON text, or a call of the finish tool where the request has one", async () => {
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
    const plain = await generate({ structured: { n: 1 } }, { ...ask, schema })
    expect(plain).toMatchObject({ structured: { n: 1 }, stopReason: "stop" })
    const called = await generate({ text: "Done.", structured: { n: 2 } }, { ...ask, tools: [finishTool] })
    expect(textOf(called)).toBe("Done.")
    expect(toolUsesOf(called)).toMatchObject([{ name: "generate_response", input: { n: 2 } }])
    expect(called.stopReason).toBe("tool_use")
    expect(textOf(await generate({ structured: [1] }, { ...ask, tools: [finishTool] }))).toBe("[1]")
    await expect(generate({ text: "Here:", structured: { n: 3 } })).rejects.toMatchObject({ code: "invalid_step" })
  })

  test("figures that a step does not give are not invented", async () => {
    expect((await generate("x")).usage).toBeUndefined()
  })

  test("a function that gives no step is named by its number", async () => {
    const model = new ScriptedModel(["x", (() => undefined) as unknown as ScriptedStep])
    await model.generate(ask)
    await expect(model.generate(ask)).rejects.toThrow(/Step 2 .* is nothing/)
    const later = (async () => "x") as unknown as ScriptedStep
    await expect(generate(later)).rejects.toThrow(/is a promise/)
  })
})

describe("streaming", () => {
  const step: ScriptedStep = {
    thinking: "I should look at the weather.",
    text: "Ich schaue nach 🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍.",
    toolUses: [{ name: "weather", input: { city: "杭州", unit: "celsius" } }],
  }

  test("comes in several deltas, the same each time, and makes the same response as generate", async () => {
    const [a, b] = [new ScriptedModel([step]).stream(ask), new ScriptedModel([step]).stream(ask)]
    const deltas = await collect(a)
    expect(deltas).toEqual(await collect(b))
    const texts = deltas.flatMap((delta) => (delta.type === "text_delta" ? [delta.text] : []))
    expect(texts.length).toBeGreaterThan(3)
    expect(texts.every((text) => text.isWellFormed())).toBe(true)
    expect(deltas.filter((delta) => delta.type === "tool_use_delta").length).toBeGreaterThan(1)
    expect((await a.response).content).toEqual((await generate(step)).content)
  })

  test("the consumer has its turn between two deltas: an abort after the first leaves the rest unsaid", async () => {
    const controller = new AbortController()
    const stream = new ScriptedModel([step]).stream({ ...ask, signal: controller.signal })
    const seen: ChatDelta[] = []
    const run = (async () => {
      for await (const delta of stream) {
        seen.push(delta)
        controller.abort()
      }
    })()
    await expect(run).rejects.toMatchObject({ code: "aborted" })
    expect(seen).toHaveLength(1)
    await expect(stream.response).rejects.toMatchObject({ code: "aborted" })
  })

  test("streams under fake timers", async () => {
    vi.useFakeTimers()
    try {
      expect((await collect(new ScriptedModel([step]).stream(ask))).length).toBeGreaterThan(3)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("errors and waits", () => {
  test("an AgentScopeError of a step comes out as it is, and is not retried", async () => {
    const error = new AgentScopeError({ code: "rate_limited", message: "slow down", retryable: true })
    const model = new ScriptedModel([{ error }, "next"])
    await expect(model.generate(ask)).rejects.toBe(error)
    expect(model.requests).toHaveLength(1)
    expect(textOf(await model.generate(ask))).toBe("next")
  })

  test("what stands before an error is streamed and kept in the partial response", async () => {
    const error = new AgentScopeError({ code: "network", message: "cut", retryable: true })
    const stream = new ScriptedModel([{ text: "half an ans", error }]).stream(ask)
    await expect(collect(stream)).rejects.toMatchObject({ code: "network" })
    await expect(stream.response).rejects.toBe(error)
    expect(textOf(stream.partial())).toBe("half an ans")
  })

  test("a delay runs on the ambient clock", async () => {
    const waits: number[] = []
    const restore = replaceAmbient({ sleep: async (ms) => void waits.push(ms) })
    try {
      expect(textOf(await generate({ text: "late", delayMs: 60_000 }))).toBe("late")
      expect(waits).toEqual([60_000])
    } finally {
      restore()
    }
  })

  test("an abort ends a delay at once", async () => {
    const controller = new AbortController()
    const pending = generate({ text: "late", delayMs: 60_000 }, { ...ask, signal: controller.signal })
    setImmediate(() => controller.abort())
    await expect(pending).rejects.toMatchObject({ code: "aborted" })
  })
})

describe("a script and its calls", () => {
  test("a call past the end says how long the script is and what was asked", async () => {
    const model = new ScriptedModel([{ toolUses: [{ id: "c", name: "add", input: {} }] }])
    const response = await model.generate(ask)
    const call = toolUsesOf(response)[0]!
    const messages = [
      ...ask.messages,
      { ...userMsg(""), role: "assistant" as const, content: response.content },
      toolResultMsg([toolResult(call, "42")]),
    ]
    const error: unknown = await model.generate({ messages }).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "unexpected_call", details: { calls: 2, steps: 1 }, retryable: false })
    expect(String(error)).toMatch(/call 2.* has 1 step\. .*result of add \(success\): "42"/)
    await expect(new ScriptedModel([]).generate(ask)).rejects.toThrow(/from user user: "Hello"/)
  })

  test("steps that are left are an error of assertDone and of using, and are described", async () => {
    const steps: ScriptedStep[] = ["one", "two", () => "x", { toolUses: [{ name: "add", input: {} }] }]
    const run = async () => {
      using model = new ScriptedModel(steps)
      await model.generate(ask)
    }
    const error: unknown = await run().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "unused_steps", details: { calls: 1, steps: 4 } })
    expect(String(error)).toMatch(/step 2 is "two"; step 3 is a function; step 4 is a call of add/)
    const model = new ScriptedModel(["one"])
    expect(() => model.assertDone()).toThrow(/called 0 times/)
    await model.generate(ask)
    expect(() => model.assertDone()).not.toThrow()
  })

  test("the script is fixed when the model is made", async () => {
    const steps: ScriptedStep[] = ["one"]
    const model = new ScriptedModel(steps)
    steps.pop()
    expect(textOf(await model.generate(ask))).toBe("one")
  })

  test("a request stays as it was sent when its conversation grows", async () => {
    const messages = [userMsg("Hello")]
    const conversation = {}
    const model = new ScriptedModel(["one", "two"])
    const tools = [finishTool]
    await model.generate({ messages, conversation, tools, params: { temperature: 0 } })
    messages.push(userMsg("More"))
    await model.generate({ messages, conversation })
    expect(model.requests.map((request) => request.messages.map((msg) => textOf(msg)))).toEqual([
      ["Hello"],
      ["Hello", "More"],
    ])
    expect(model.requests[0]).toMatchObject({ tools: [{ name: "generate_response" }], params: { temperature: 0 } })
  })

  test("its formatter gives the messages as they are", async () => {
    const { formatter } = new ScriptedModel([])
    expect(formatter).toBeInstanceOf(Formatter)
    expect(await formatter.format(ask.messages)).toEqual(ask.messages)
  })
})
