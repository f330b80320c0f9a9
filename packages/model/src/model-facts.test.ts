import { assistantMsg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { FakeModel, saying } from "./fixtures/fake-model.ts"
import { factsOf, modelFacts } from "./model-facts.ts"
import { priceOf, priceTable } from "./prices.ts"
import { withRetry } from "./with-retry.ts"

describe("factsOf", () => {
  test.each([
    ["gpt-4o", "gpt-4o"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["openai/gpt-4.1-mini", "gpt-4.1-mini"],
    ["gpt-5-chat-latest", "gpt-5-chat"],
    ["claude-opus-4-0", "claude-opus-4"],
    ["claude-3-5-haiku-20241022", "claude-3-5-haiku"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku"],
    ["models/gemini-2.5-flash", "gemini-2.5-flash"],
    ["gemini-2.0-flash-001", "gemini-2.0-flash"],
    ["gemini-2.5-pro-preview-06-05", "gemini-2.5-pro"],
    ["publishers/google/models/gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"],
    ["qwen-plus-2025-07-28", "qwen-plus"],
    ["mistral-large-latest", "mistral-large"],
    ["llama3.1:8b", "llama3.1"],
    ["gemma3:1b", "gemma3:1b"],
    ["gemma3:4b", "gemma3"],
  ])("%s is %s", (name, plain) => {
    expect(factsOf(name)).toBe(modelFacts[plain])
  })

  test.each([
    "gpt-4o-mini-transcribe",
    "gpt-4o-nova",
    "mistral-large-2411",
    "toString",
    "",
    "qwen3-max-vl",
    "o3-deep-research",
  ])("%j is not guessed at", (name) => {
    expect(factsOf(name)).toEqual({})
    expect(priceOf(name)).toBeUndefined()
  })

  test("a date with a row of its own has that row", () => {
    expect(priceOf("gpt-4o-2024-05-13")?.inputPerMTok).toBe(5)
  })

  test("a tuned model, and one with a tag, has the facts but not the price", () => {
    for (const name of ["ft:gpt-4o-mini-2024-07-18:org::id", "deepseek/deepseek-chat:free", "mistral-small:24b"]) {
      expect(factsOf(name).contextWindow).toBeGreaterThan(100_000)
      expect(factsOf(name)).not.toHaveProperty("price")
      expect(priceOf(name)).toBeUndefined()
    }
  })

  test("a table of one's own takes its place", () => {
    const mine = { contextWindow: 5 }
    expect(factsOf("mine-latest", { ...modelFacts, mine })).toBe(mine)
    expect(factsOf("gpt-4o", { mine })).toEqual({})
  })
})

test("the rows are plausible", () => {
  for (const [name, { contextWindow = 0, maxOutputTokens = 1, inputs, price }] of Object.entries(modelFacts)) {
    expect(contextWindow, name).toBeGreaterThan(maxOutputTokens)
    expect(inputs, name).toContain("text")
    expect(priceTable[name], name).toBe(price)
  }
})

describe("a model", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 }
  const cost = async (options: object) => {
    const model = new FakeModel((_, sink) => sink.finish({ stopReason: "stop", usage }), options)
    return (await model.generate({ messages: [userMsg("Hi")] })).usage?.costUsd
  }

  test("has the facts of its name, and those of its options over them", () => {
    expect(new FakeModel(saying(), { model: "gpt-4o" })).toMatchObject({
      facts: modelFacts["gpt-4o"],
      contextWindow: 128_000,
    })
    const own = new FakeModel(saying(), { model: "gpt-4o", facts: { contextWindow: 9, inputs: ["text"] } })
    expect(own).toMatchObject({ contextWindow: 9, facts: { contextWindow: 9, inputs: ["text"], tools: true } })
    expect(
      new FakeModel(saying(), { model: "gpt-4o", facts: { contextWindow: 9 }, contextWindow: 8 }).contextWindow,
    ).toBe(8)
    expect(withRetry(own, {})).toMatchObject({ contextWindow: 9, facts: own.facts })
  })

  test("costs what its facts say, unless it is local", async () => {
    expect(await cost({ model: "gpt-4o" })).toBe(2.5)
    expect(await cost({ model: "gpt-4o", facts: { price: { inputPerMTok: 1, outputPerMTok: 1 } } })).toBe(1)
    expect(await cost({ model: "mistral-small", local: true })).toBeUndefined()
    expect(await cost({ model: "unheard-of" })).toBeUndefined()
    const own = new FakeModel(saying(), { model: "llama3.1:8b", local: true })
    expect([own.contextWindow, own.facts.contextWindow]).toEqual([undefined, 131_072])
  })

  test("looks itself up in a table of the program's, whose rows come over those that are known", async () => {
    const price = { inputPerMTok: 1, outputPerMTok: 2 }
    const facts = {
      "house-model": { contextWindow: 32_000, price },
      "gpt-4o": { contextWindow: 9 },
      "llama3.1": { price },
    }
    const house = new FakeModel(saying(), { model: "openai/house-model-latest", facts })
    expect(house).toMatchObject({ contextWindow: 32_000, facts: facts["house-model"] })
    expect(await cost({ model: "house-model", facts })).toBe(1)
    const known = new FakeModel(saying(), { model: "gpt-4o-2024-08-06", facts })
    expect(known.facts).toEqual({ ...modelFacts["gpt-4o"], contextWindow: 9 })
    expect(await cost({ model: "gpt-4o", facts })).toBe(2.5)
    expect(new FakeModel(saying(), { model: "gpt-4.1", facts }).facts).toBe(modelFacts["gpt-4.1"])
    expect(new FakeModel(saying(), { model: "gpt-4o", facts: {} }).facts).toBe(modelFacts["gpt-4o"])
    // a local model is granted what the program says, and nothing else
    expect(await cost({ model: "llama3.1:8b", local: true, facts: { "llama3.1:8b": { price } } })).toBe(1)
    expect(await cost({ model: "qwen3:8b", local: true, facts })).toBeUndefined()
    expect(modelFacts["house-model"]).toBeUndefined()
  })

  test("charges what its provider says was cached for an hour, without a figure of its own in the usage", async () => {
    const told = { inputTokens: 1_000_000, cacheWriteTokens: 1_000_000, cacheWriteLongTokens: 500_000 }
    const model = new FakeModel(
      (_, sink) => {
        sink.begin({ usage: told })
        sink.finish({ stopReason: "stop", usage: { outputTokens: 0 } })
      },
      { model: "claude-sonnet-4-5" },
    )
    const response = await model.generate({ messages: [userMsg("Hi")] })
    expect(response.usage?.costUsd).toBeCloseTo(0.5 * 3.75 + 0.5 * 6)
    expect(response.usage).not.toHaveProperty("cacheWriteLongTokens")
  })

  test("warns of what it is not known to take, once a kind and conversation", async () => {
    const warnings: string[] = []
    const onWarning = ({ code, message }: { code: string; message: string }) => warnings.push(`${code}: ${message}`)
    const source = { type: "url", url: "https://x.test/a" } as const
    const conversation = {}
    const history = [userMsg([{ type: "image", source }])]
    const ask = (model: FakeModel) => model.generate({ messages: history, conversation }, { onWarning })
    const blind = new FakeModel(saying("Hello"), { model: "deepseek-chat" })
    await ask(blind)
    history.push(
      userMsg([
        { type: "image", source },
        { type: "audio", source },
      ]),
    )
    await ask(blind)
    expect(warnings).toEqual([
      expect.stringMatching(/^unsupported_input: fake\/deepseek-chat is not known to take .*"image".*facts: \{ inputs/),
      expect.stringMatching(/^unsupported_input: .*"audio"/),
    ])
    warnings.length = 0
    await ask(new FakeModel(saying("Hello"), { model: "gemini-2.5-pro" }))
    await ask(new FakeModel(saying("Hello"), { model: "unheard-of" }))
    await ask(new FakeModel(saying("Hello"), { model: "deepseek-chat", facts: { inputs: ["text", "image", "audio"] } }))
    expect(warnings).toEqual([])
  })

  test("warns of media that the provider's messages have no form for, but not of what was shown in results or answers", async () => {
    const warnings: string[] = []
    const onWarning = ({ code, message }: { code: string; message: string }) => warnings.push(`${code}: ${message}`)
    const source = { type: "url", url: "https://x.test/a" } as const
    const film = { type: "video", source } as const
    const call = { type: "tool_use", id: "c", name: "look", input: {} } as const
    const model = new FakeModel(saying("Hello"), {
      model: "unheard-of",
      dialect: { provider: "fake", media: ["image"] },
    })
    const messages = [
      userMsg([{ type: "image", source }]),
      assistantMsg([{ type: "audio", source }, call]),
      toolResultMsg([{ type: "tool_result", id: "c", name: "look", output: [film], state: "success" }]),
    ]
    await model.generate({ messages }, { onWarning })
    expect(warnings).toEqual([])
    await model.generate({ messages: [...messages, userMsg([film, film])] }, { onWarning })
    expect(warnings).toEqual([expect.stringMatching(/^unsupported_input: .*no form for .*"video": it is left out/)])
  })
})
