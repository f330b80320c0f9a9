import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assistantMsg, systemMsg, userMsg } from "@agentscope-ts/message"
import type { MemoryScope } from "@agentscope-ts/memory"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { extractingModel, extraction, newMessages } from "./fixtures/extracting-model.ts"
import { HashEmbeddings } from "./fixtures/hash-embeddings.ts"
import { mem0Home } from "./fixtures/mem0-home.ts"
import { Mem0LongTermMemory, type Mem0Options } from "./index.ts"

const home = mem0Home()
// mem0 writes what fails to the console
beforeEach(() => {
  for (const level of ["error", "warn", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

const ann: MemoryScope = { userId: "ann" }
const open = (more: Partial<Mem0Options> = {}) =>
  new Mem0LongTermMemory({
    scope: ann,
    model: extractingModel(),
    embeddings: new HashEmbeddings(),
    path: join(home.dir, "memory.db"),
    ...more,
  })
const nothing: ScriptedStep = '{"memory": []}'
const contents = async (memory: Mem0LongTermMemory, query: string) =>
  (await memory.retrieve(query, { limit: 50 })).map(({ content }) => content)

describe("models of ours", () => {
  test("take the facts out of what was said, and find them by meaning", async () => {
    const model = extractingModel()
    const embeddings = new HashEmbeddings()
    await using memory = open({ model, embeddings })
    await memory.record([systemMsg("Help."), userMsg("My dog is called Rex."), assistantMsg("Nice dog.")])
    expect(newMessages(model.requests[0]!)).toEqual(["user: My dog is called Rex.", "assistant: Nice dog."])
    const [found] = await memory.retrieve("dog")
    expect(found).toMatchObject({ content: "My dog is called Rex.", score: expect.any(Number) })
    expect(Date.now() - Date.parse(found!.createdAt)).toBeLessThan(60_000)
    expect(embeddings.asked).toContain("dog")
    // mem0's files are where they were asked for
    expect(readdirSync(home.dir).every((name) => name.startsWith("memory"))).toBe(true)
  })

  test("read long conversations in parts", async () => {
    const model = extractingModel()
    await using memory = open({ model })
    await memory.record([userMsg(`Zebra ${"x".repeat(30_000)}`), userMsg("short"), userMsg("last")])
    expect(model.requests.map((request) => newMessages(request).join("").length)).toEqual([24_006, 6_033])
  })

  test("that fail reject the call with their own error, and what was recorded before stays", async () => {
    const failure = new TypeError("no model today")
    const model = new ScriptedModel([extraction(), { error: failure }])
    const embeddings = new HashEmbeddings()
    await using memory = open({ model, embeddings })
    await memory.record([userMsg("My dog is called Rex.")])
    await expect(memory.record([userMsg("My cat is called Tom.")])).rejects.toMatchObject({
      code: "memory_failed",
      message: expect.stringContaining("no model today"),
    })
    embeddings.failing = true
    await expect(memory.retrieve("dog")).rejects.toThrow(/no vectors today/)
    embeddings.failing = false
    expect(await contents(memory, "dog")).toEqual(["My dog is called Rex."])
  })

  test("whose vectors fail while a fact is kept do not let it be lost in silence", async () => {
    const embeddings = new HashEmbeddings()
    const model = new ScriptedModel([
      (request) => {
        embeddings.failing = true
        return extraction()(request)
      },
    ])
    await using memory = open({ model, embeddings })
    await expect(memory.record([userMsg("My dog is called Rex.")])).rejects.toThrow(/no vectors today/)
  })

  test.each(["I have noted that.", "{not: json}", ""])("that answer no JSON reject the call: %j", async (answer) => {
    const model = new ScriptedModel([answer, 'Here: {"memory": []} {or so}'])
    await using memory = open({ model })
    await expect(memory.record([userMsg("My dog is called Rex.")])).rejects.toMatchObject({
      code: "memory_failed",
      message: expect.stringMatching(/asked for the facts as JSON/),
    })
    await memory.record([userMsg("Hello.")])
  })

  test("hear the signal, and what was not kept when it aborted never is", async () => {
    const controller = new AbortController()
    const reason = new Error("enough")
    const model = new ScriptedModel([
      (request) => {
        controller.abort(reason)
        return extraction()(request)
      },
      extraction(),
    ])
    await using memory = open({ model })
    const recording = memory.record([userMsg("My dog is called Rex.")], { signal: controller.signal })
    await expect(recording).rejects.toMatchObject({ code: "aborted", cause: reason })
    await memory.record([userMsg("My cat is called Tom.")])
    expect(await contents(memory, "dog cat")).toEqual(["My cat is called Tom."])
  })
})

describe("what an agent records", () => {
  test("is taken as the user's words, then as the assistant's, then as it is", async () => {
    const model = new ScriptedModel([nothing, nothing])
    await using memory = open({ model })
    expect(await memory.recordToMemory({ content: ["Likes tea", "Lives in Rome"] })).toContain("Likes tea")
    expect(model.requests.map((request) => newMessages(request))).toEqual([
      ["user: Likes tea", "Lives in Rome"],
      ["assistant: Likes tea", "Lives in Rome"],
    ])
    expect((await contents(memory, "tea Rome")).toSorted()).toEqual(["Likes tea", "Lives in Rome"])
  })

  test("is asked for once where something is taken out", async () => {
    const model = extractingModel()
    await using memory = open({ model })
    expect(await memory.recordToMemory({ thinking: "Useful", content: ["Likes tea"] })).toBe("Recorded: Likes tea")
    expect(model.requests).toHaveLength(1)
    const asAssistant = extractingModel(["assistant"])
    await using other = open({ model: asAssistant })
    await other.recordToMemory({ content: ["Likes coffee"] })
    expect(asAssistant.requests).toHaveLength(2)
    expect((await contents(other, "tea coffee")).toSorted()).toEqual(["Likes coffee", "Likes tea"])
  })

  test("is not kept twice where nothing is taken out because it is known", async () => {
    const model = new ScriptedModel(Array.from({ length: 4 }, () => nothing))
    await using memory = open({ model })
    await memory.recordToMemory({ content: ["Likes tea"] })
    await memory.recordToMemory({ content: ["Likes tea"] })
    expect(await contents(memory, "tea")).toEqual(["Likes tea"])
    expect(await memory.recordToMemory({ content: [" "] })).toBe("There was nothing to record.")
  })
})

describe("a scope", () => {
  test("is seen by itself alone, whoever shares the file", async () => {
    const scopes: readonly MemoryScope[] = [
      { userId: "ann" },
      { userId: "ANN" },
      { userId: " ann" },
      { userId: "*" },
      { userId: "%2A" },
      { userId: "a b" },
      { userId: "~ann" },
      { agentId: "friday" },
      { sessionId: "friday" },
      { agentId: "~friday" },
    ]
    for (const [i, scope] of scopes.entries()) {
      await using memory = open({ scope })
      await memory.record([userMsg(`The password is pass${i}end.`)])
      await memory.recordToMemory({ content: [`The password is raw${i}end.`] })
    }
    for (const [i, scope] of scopes.entries()) {
      await using memory = open({ scope })
      expect((await contents(memory, "password")).toSorted()).toEqual([
        `The password is pass${i}end.`,
        `The password is raw${i}end.`,
      ])
    }
  })

  test("of a user is narrowed by an agent and a session, and without a user it is nobody's", async () => {
    const record = async (scope: MemoryScope, text: string) => {
      await using memory = open({ scope })
      await memory.record([userMsg(text)])
    }
    await record({ userId: "ann", agentId: "friday" }, "The word is one.")
    await record({ userId: "ann", agentId: "monday", sessionId: "s" }, "The word is two.")
    await record({ userId: "bob", agentId: "friday" }, "The word is three.")
    await record({ agentId: "friday" }, "The word is four.")
    const seen = async (scope: MemoryScope) => {
      await using memory = open({ scope })
      return (await contents(memory, "word")).map((text) => /(\w+)\.$/.exec(text)?.[1]).toSorted()
    }
    expect(await seen({ userId: "ann" })).toEqual(["one", "two"])
    expect(await seen({ userId: "ann", agentId: "friday" })).toEqual(["one"])
    expect(await seen({ userId: "ann", sessionId: "s" })).toEqual(["two"])
    expect(await seen({ userId: "bob" })).toEqual(["three"])
    expect(await seen({ agentId: "friday" })).toEqual(["four"])
    expect(await seen({ sessionId: "s" })).toEqual([])
  })

  test("without users shows their facts to no model either", async () => {
    await using mine = open({ scope: { userId: "ann", agentId: "friday" } })
    await mine.record([userMsg("The password is secret.")])
    const model = extractingModel()
    await using memory = open({ scope: { agentId: "friday" }, model })
    await memory.record([userMsg("The password is asked for.")])
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("secret")
  })
})

describe("options", () => {
  const models = { model: extractingModel(), embeddings: new HashEmbeddings() }
  test.each<[string, object, RegExp]>([
    ["nothing", {}, /model and embeddings and path must be given/],
    ["no path", { scope: ann, ...models }, /path must be given/],
    ["no scope", { scope: {}, ...models, path: "a.db" }, /keeps memories for somebody/],
    ["a scope without ids", { scope: { userId: undefined }, config: {} }, /keeps memories for somebody/],
    ["an empty id", { scope: { userId: "" }, config: {} }, /scope\.userId/],
    ["another id", { scope: { runId: "x" }, config: {} }, /no "runId"/],
    ["a path that mem0 would take twice", { scope: ann, ...models, path: "memory" }, /ends with \.db/],
    [
      "the same in its own configuration",
      { scope: ann, config: { vectorStore: { provider: "memory", config: { dbPath: "/x/memory" } } } },
      /ends with \.db/,
    ],
    ["a misspelt name", { scope: ann, ...models, pat: "a.db" }, /no option "pat"/],
    ["no model", { scope: ann, ...models, model: {}, path: "a.db" }, /model must be a ChatModel/],
    ["a key beside models", { scope: ann, ...models, apiKey: "k" }, /leave out/],
    ["a key and two ids", { scope: { userId: "a", agentId: "b" }, apiKey: "k" }, /two ids at once/],
    ["an empty key", { scope: ann, apiKey: " " }, /apiKey/],
    ["a host alone", { scope: ann, host: "http://x" }, /apiKey, too/],
  ])("that cannot be are refused: %s", (_name, options, problem) => {
    expect(() => new Mem0LongTermMemory(options as Mem0Options)).toThrow(problem)
  })

  test.each([0, 1.5, 1001, Number.NaN])("a limit of %d is refused", async (limit) => {
    await using memory = open()
    await expect(memory.retrieve("x", { limit })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  test("what is no list of messages is refused", async () => {
    await using memory = open()
    await expect(memory.record("hello" as never)).rejects.toMatchObject({ code: "invalid_argument" })
    await expect(memory.retrieve(undefined as never)).rejects.toMatchObject({ code: "invalid_argument" })
  })
})

describe("closing", () => {
  test("waits for what was asked for, lets go of the files, and refuses what comes later", async () => {
    const memory = open()
    const recording = memory.record([userMsg("My dog is called Rex.")])
    await memory.close()
    await recording
    expect(readdirSync(home.dir).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([])
    const openFiles = () => readdirSync("/proc/self/fd").length
    await expect(memory.retrieve("dog")).rejects.toMatchObject({ code: "memory_closed" })
    await memory.close()
    if (process.platform === "linux") {
      const before = openFiles()
      for (let i = 0; i < 5; i++) {
        await using again = open()
        expect(await contents(again, "dog Rex")).toEqual(["My dog is called Rex."])
      }
      expect(openFiles()).toBeLessThanOrEqual(before + 2)
    }
  })

  test("a memory that was never used, or could not be opened, is closed too", async () => {
    await open().close()
    const memory = open({ path: join(home.dir, "no", "\0.db") })
    await expect(memory.retrieve("x")).rejects.toMatchObject({ code: "memory_failed" })
    await memory.close()
  })
})
