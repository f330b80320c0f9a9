import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  AgentScopeError,
  assistantMsg,
  replaceAmbient,
  systemMsg,
  textOf,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { WordEmbeddings } from "../fixtures/word-embeddings.ts"
import { LongTermMemory, type MemoryScope, SqliteLongTermMemory, type SqliteLongTermMemoryOptions } from "../index.ts"

let dir = ""
const opened = new Set<SqliteLongTermMemory>()
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "memories-"))
})
afterEach(async () => {
  for (const memory of opened) await memory.close()
  opened.clear()
  rmSync(dir, { recursive: true })
})

const file = () => join(dir, "memory.db")
function open(options: Partial<SqliteLongTermMemoryOptions> = {}): SqliteLongTermMemory {
  const memory = new SqliteLongTermMemory({ path: file(), ...options })
  opened.add(memory)
  return memory
}
const record = (memory: LongTermMemory, ...texts: string[]) => memory.record(texts.map((text) => userMsg(text)))
const found = async (memory: LongTermMemory, query: string, limit?: number) =>
  (await memory.retrieve(query, { limit })).map(({ content }) => content)
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error as AgentScopeError,
  )

describe("words", () => {
  test("what was recorded is found by them, with what it came from", async () => {
    const memory = open()
    await record(memory, "My dog is called Rex.", "I live in Paris.")
    const [entry, ...more] = await memory.retrieve("What is my dog's name?")
    expect(more).toEqual([])
    expect(entry).toMatchObject({ content: "My dog is called Rex.", metadata: { role: "user", name: "user" } })
    expect(entry?.score).toBe(1)
    expect(Date.parse(entry?.createdAt ?? "")).toBeGreaterThan(0)
  })

  test("English words are found in other forms", async () => {
    const memory = open()
    await record(memory, "She likes running marathons")
    expect(await found(memory, "liked marathon run")).toHaveLength(1)
  })

  test.each([
    ["我最喜欢的饮料是绿茶", "我住在北京", "绿茶"],
    ["私の犬の名前はハチです", "東京に住んでいます", "犬の名前"],
    ["Мою собаку зовут Шарик", "Я живу в Москве", "собака"],
    ["اسم كلبي ريكس", "أعيش في باريس", "كلب"],
    ["สุนัขของฉันชื่อแดง", "ฉันอยู่ที่กรุงเทพ", "สุนัข"],
  ])("of other scripts: %s", async (fact, other, query) => {
    const memory = open()
    await record(memory, fact, other)
    expect((await found(memory, query))[0]).toBe(fact)
  })

  test("of a hostile query are words", async () => {
    const memory = open()
    await record(memory, "a quote")
    for (const query of ['"', 'quote" OR owner:*', "NEAR(", "content : x", "'; DROP TABLE x; --", "*", "a AND", "-a"]) {
      await memory.retrieve(query)
    }
    expect(await found(memory, 'quote" OR content:"x')).toEqual(["a quote"])
  })

  test("nothing is found by nothing", async () => {
    const memory = open()
    await record(memory, "something")
    for (const query of ["", "  ", "?!", []]) expect(await memory.retrieve(query)).toEqual([])
  })
})

describe("a query", () => {
  test("may be a message or several", async () => {
    const memory = open()
    await record(memory, "dogs bark", "cats purr")
    expect(await memory.retrieve(userMsg("cats"))).toHaveLength(1)
    expect(await memory.retrieve([userMsg("cats"), assistantMsg("and dogs?")])).toHaveLength(2)
  })

  test("gives five entries unless told, and as many as asked", async () => {
    const memory = open({ embeddings: new WordEmbeddings() })
    await record(memory, ...Array.from({ length: 150 }, (_, i) => `dog number ${i}`))
    expect(await memory.retrieve("dog")).toHaveLength(5)
    expect(await found(memory, "dog", 1)).toHaveLength(1)
    expect(await found(memory, "dog", 120)).toHaveLength(120)
  })

  test.each([0, -1, 1.5, Number.NaN, 1001, "5"])("with the limit %j is refused", async (limit) => {
    const error = await failure(open().retrieve("a", { limit: limit as number }))
    expect(error).toMatchObject({ code: "invalid_argument" })
  })
})

describe("record", () => {
  test("keeps what was said, and no system prompts, thinking, calls or results", async () => {
    const memory = open()
    await memory.record([
      systemMsg("needle system"),
      userMsg("needle user"),
      assistantMsg([
        { type: "thinking", thinking: "needle thinking" },
        { type: "text", text: "needle answer" },
        { type: "tool_use", id: "c", name: "needle", input: { needle: 1 } },
      ]),
      toolResultMsg([
        {
          type: "tool_result",
          id: "c",
          name: "needle",
          output: [{ type: "text", text: "needle result" }],
          state: "success",
        },
      ]),
      userMsg("   "),
    ])
    expect((await found(memory, "needle")).sort()).toEqual(["needle answer", "needle user"])
  })

  test("keeps a text once, whatever its case, spaces and full stop", async () => {
    const memory = open()
    await record(memory, "I like tea.", "i  like TEA")
    await record(memory, "I like tea")
    expect(await found(memory, "tea")).toEqual(["I like tea."])
  })

  test("keeps each of a thousand texts, and refuses more at once", async () => {
    const memory = open()
    await record(memory, ...Array.from({ length: 1000 }, (_, i) => `number${i}`))
    expect(await found(memory, "number999")).toEqual(["number999"])
    const error = await failure(record(memory, "x ".repeat(1_100_000)))
    expect(error).toMatchObject({ code: "too_large" })
  })

  test("cuts long texts into entries that are found each", async () => {
    const memory = open()
    await record(memory, `${"begin ".repeat(500)}${"filler ".repeat(500)}ending`)
    const entries = await found(memory, "ending")
    expect(entries).toHaveLength(1)
    expect(entries[0]?.length).toBeLessThanOrEqual(2000)
  })

  test("keeps texts of any characters", async () => {
    const memory = open()
    await memory.record([userMsg('odd \0 \ud800 😀 \u2028 "quoted" \\')])
    expect(await found(memory, "odd")).toEqual(['odd \ufffd \ufffd 😀 \u2028 "quoted" \\'])
  })

  test.each([["text"], [undefined], [[{}]], [[undefined]]])("refuses %j", async (messages) => {
    const error = await failure(open().record(messages as never))
    expect(error).toMatchObject({ code: "invalid_argument" })
  })

  test.each([0, -1])(
    "of one user keeps so many entries, the newest, and what was said again counts as new",
    async (step) => {
      // a clock that stands still, or is put back
      let now = 1_000_000
      const putBack = replaceAmbient({ now: () => (now += step) })
      onTestFinished(putBack)
      const memory = open({ scope: { userId: "a" }, maxEntries: 3 })
      const other = open({ scope: { userId: "b" }, maxEntries: 3 })
      await record(other, "word zero")
      for (const text of ["word one", "word two", "word three", "word one", "word four"]) await record(memory, text)
      expect((await found(memory, "word")).sort()).toEqual(["word four", "word one", "word three"])
      expect(await found(memory, "two")).toEqual([])
      expect(await found(other, "word")).toEqual(["word zero"])
    },
  )
})

describe("vectors", () => {
  test("find by meaning what no word would find, and what both find comes first", async () => {
    const memory = open({ embeddings: new WordEmbeddings() })
    await record(memory, "Rex is a puppy", "I like tea", "The pet shop closed")
    expect(await found(memory, "dog", 2)).toEqual(["The pet shop closed", "Rex is a puppy"])
    expect((await found(memory, "What dog is Rex?"))[0]).toBe("Rex is a puppy")
    expect(await found(memory, "beverage")).toEqual(["I like tea"])
  })

  test("are not asked for again for what is there", async () => {
    const embeddings = new WordEmbeddings()
    const memory = open({ embeddings })
    await record(memory, "my dog")
    await record(memory, "My dog.", "my tea")
    expect(embeddings.asked).toEqual(["my dog", "my tea"])
  })

  test("are made later for what was recorded without, or with another model", async () => {
    await record(open(), "Rex is a puppy")
    const first = open({ embeddings: new WordEmbeddings() })
    expect(await found(first, "dog")).toEqual(["Rex is a puppy"])
    const embeddings = new WordEmbeddings([["puppy", "hound"], ["unused"]], "others")
    const second = open({ embeddings })
    expect(await found(second, "hound")).toEqual(["Rex is a puppy"])
    expect(await found(second, "hound")).toEqual(["Rex is a puppy"])
    expect(embeddings.asked).toEqual(["hound", "Rex is a puppy", "hound"])
  })

  test("that point nowhere leave a text to its words", async () => {
    const embeddings = new WordEmbeddings()
    const memory = open({ embeddings })
    await record(memory, "我喜欢绿茶", "my dog")
    expect(await found(memory, "绿茶")).toEqual(["我喜欢绿茶"])
    expect(embeddings.asked).toEqual(["我喜欢绿茶", "my dog", "绿茶"])
  })

  test("that cannot be had fail the call, and nothing is half recorded", async () => {
    const embeddings = new WordEmbeddings()
    const memory = open({ embeddings })
    embeddings.failing = true
    const error = await failure(record(memory, "my dog", "my tea"))
    expect(error).toMatchObject({ code: "memory_failed", message: expect.stringContaining("no vectors today") })
    embeddings.failing = false
    expect(await memory.retrieve("dog tea")).toEqual([])
    await record(memory, "my dog")
    embeddings.failing = true
    expect((await failure(memory.retrieve("dog"))).code).toBe("memory_failed")
  })

  test("of many entries are all looked at", async () => {
    const memory = open({ embeddings: new WordEmbeddings() })
    await record(memory, "the first puppy")
    for (let part = 0; part < 3; part++) {
      await record(memory, ...Array.from({ length: 600 }, (_, i) => `tea and city ${part} ${i} pet`))
    }
    await record(memory, "the last puppy")
    expect((await found(memory, "dog", 2)).sort()).toEqual(["the first puppy", "the last puppy"])
  })
})

describe("a model", () => {
  test("takes the facts out, told what is known already", async () => {
    await using known = open()
    await record(known, "Ann has a dog")
    const model = new ScriptedModel([
      { structured: { facts: ["Ann's dog is called Rex", " ", "Ann's dog is called Rex"] } },
    ])
    const memory = open({ model })
    await memory.record([userMsg("His name is Rex, my dog"), assistantMsg("Nice dog!")])
    expect((await found(memory, "rex")).sort()).toEqual(["Ann's dog is called Rex"])
    expect((await found(memory, "nice")).sort()).toEqual([])
    const [request] = model.requests
    const asked = textOf(request?.messages.at(-1) ?? userMsg(""))
    expect(asked).toContain("- Ann has a dog")
    expect(asked).toContain("user (user): His name is Rex, my dog\nassistant (assistant): Nice dog!")
    model.assertDone()
  })

  test("that finds nothing keeps nothing, and is not asked about nothing", async () => {
    const model = new ScriptedModel([{ structured: { facts: [] } }])
    const memory = open({ model })
    await record(memory, "hello")
    await memory.record([systemMsg("rules")])
    expect(await memory.retrieve("hello rules")).toEqual([])
    model.assertDone()
  })

  test("reads a long conversation in parts", async () => {
    const step = (n: number) => ({ structured: { facts: [`fact ${n}`] } })
    const model = new ScriptedModel([step(1), step(2), step(3), step(4)])
    const memory = open({ model })
    await memory.record(Array.from({ length: 40 }, (_, i) => userMsg(`${i} ${"long ".repeat(350)}`)))
    expect(await found(memory, "fact")).toHaveLength(4)
    model.assertDone()
    for (const { messages } of model.requests) expect(JSON.stringify(messages).length).toBeLessThan(32_000)
  })

  test("that fails leaves nothing half recorded", async () => {
    const failed = new AgentScopeError({ code: "quota_exceeded", message: "No money." })
    const memory = open({ model: new ScriptedModel([{ error: failed }]) })
    expect(await failure(record(memory, "hello"))).toBe(failed)
    expect(await memory.retrieve("hello")).toEqual([])
  })
})

describe("a scope", () => {
  const hostile = [
    ["a", "A", "á", "a\u0301", "a ", " a", "a\n", "aa", "%", "_", "*", "a%", "?", "a*", "a?"],
    [
      "'",
      '"',
      "' OR '1'='1",
      '" OR owner : *',
      "a' --",
      "u",
      "null",
      "undefined",
      "0",
      "",
      "1",
      "true",
      "[object Object]",
    ],
    [
      "__proto__",
      "constructor",
      "a|b",
      "a/b",
      "a:b",
      "a,b",
      "{}",
      "[]",
      "x".repeat(1000),
      `${"x".repeat(999)}y`,
      "中",
      "😀",
    ],
    ["ﬁ", "fi", "Ａ", "ß", "ss", "İ", "\u200b", "a\u200b", "\ufeffa", "ufad"],
  ].flat()

  test("of one user is never seen in another's, whatever they are called", async () => {
    const embeddings = new WordEmbeddings()
    const scopes: MemoryScope[] = hostile.map((userId) => (userId === "" ? {} : { userId }))
    for (const [i, scope] of scopes.entries()) await record(open({ scope, embeddings }), `dog number${i} secret`)
    for (const [i, scope] of scopes.entries()) {
      const memory = open({ scope, embeddings })
      for (const query of ["dog", "secret", hostile[i] ?? "", "number secret dog"]) {
        const all = await found(memory, query, 1000)
        expect(all.length).toBeLessThanOrEqual(1)
        for (const content of all) expect(content).toBe(`dog number${i} secret`)
      }
      expect(await found(memory, "secret")).toHaveLength(1)
      expect(await memory.retrieveFromMemory({ keywords: ["secret", "dog"], limit: 50 })).toBe(`dog number${i} secret`)
    }
  })

  test("cannot delete, clear, push out or re-embed what is another's", async () => {
    const mine = open({ scope: { userId: "a" } })
    await record(mine, "my dog")
    const [entry] = await mine.retrieve("dog")
    const embeddings = new WordEmbeddings()
    const theirs = open({ scope: { userId: "b" }, maxEntries: 1, embeddings })
    expect(await theirs.delete(entry?.id ?? "")).toBe(0)
    expect(await theirs.clear()).toBe(0)
    await record(theirs, "one dog", "two dogs", "my dog")
    await theirs.retrieve("dog")
    expect(embeddings.asked).toEqual(["one dog", "two dogs", "my dog", "dog"])
    expect(await found(mine, "dog")).toEqual(["my dog"])
  })

  test("with an agent or a session sees its own, without one all of the user's", async () => {
    const of = (scope: MemoryScope) => open({ scope })
    await record(of({ userId: "a" }), "word user")
    await record(of({ userId: "a", agentId: "x" }), "word agent")
    await record(of({ userId: "a", agentId: "x", sessionId: "s" }), "word session")
    await record(of({ userId: "a", agentId: "y", sessionId: "s" }), "word other agent")
    await record(of({ agentId: "x", sessionId: "s" }), "word nobody's")
    const seen = async (scope: MemoryScope) => (await found(of(scope), "word")).sort()
    expect(await seen({ userId: "a" })).toEqual(["word agent", "word other agent", "word session", "word user"])
    expect(await seen({ userId: "a", agentId: "x" })).toEqual(["word agent", "word session"])
    expect(await seen({ userId: "a", sessionId: "s" })).toEqual(["word other agent", "word session"])
    expect(await seen({ userId: "a", agentId: "x", sessionId: "s" })).toEqual(["word session"])
    expect(await seen({ userId: "x", agentId: "a" })).toEqual([])
    expect(await seen({ agentId: "x" })).toEqual(["word nobody's"])
    expect(await seen({})).toEqual(["word nobody's"])
  })

  test.each([
    [{ userId: "" }, "userId"],
    [{ userId: null }, "userId"],
    [{ userId: 7 }, "userId"],
    [{ userId: ["a"] }, "userId"],
    [{ userId: "a\0b" }, "userId"],
    [{ userId: "\ud800" }, "userId"],
    [{ agentId: "x".repeat(1001) }, "agentId"],
    [{ userID: "a" }, 'Did you mean "userId"?'],
    [["a"], "object"],
    ["a", "object"],
  ])("that could be mistaken is refused: %j", (scope, named) => {
    const make = () => open({ scope: scope as MemoryScope })
    expect(make).toThrow(named)
    expect(make).toThrow(expect.objectContaining({ code: "invalid_argument" }))
  })
})

describe("the tools", () => {
  test("record and retrieve, under the names of the reference, through a toolkit", async () => {
    const memory = open()
    expect(memory.tools().map(({ name }) => name)).toEqual(["record_to_memory", "retrieve_from_memory"])
    expect(memory.tools()).toBe(memory.tools())
    const toolkit = new Toolkit({ tools: memory.tools() })
    const [recording, retrieving] = memory.tools()
    expect(await recording?.run({ thinking: "Useful.", content: ["Ann likes tea", "Ann lives in Paris"] })).toBe(
      "Recorded: 2.",
    )
    expect(await retrieving?.run({ keywords: ["tea", "Paris", "Ann"], limit: 2 })).toBe(
      "Ann likes tea\nAnn lives in Paris",
    )
    expect(await retrieving?.run({ keywords: ["boats"] })).toBe("Nothing is remembered of: boats")
    await expect(retrieving?.run({ keywords: [] })).rejects.toMatchObject({ code: "invalid_input" })
    const call = { type: "tool_use", id: "c", name: "retrieve_from_memory", input: { keywords: ["tea"] } } as const
    const result = await toolkit.execute(call).result
    expect([result.state, textOf(result)]).toEqual(["success", "Ann likes tea"])
  })

  test("of a memory of one's own work on its record and retrieve", async () => {
    class ListMemory extends LongTermMemory {
      readonly kept: string[] = []
      record(messages: readonly Parameters<typeof textOf>[0][]) {
        this.kept.push(...messages.map((msg) => textOf(msg)))
        return Promise.resolve()
      }
      retrieve(query: unknown, { limit = 5 } = {}) {
        const all = this.kept.filter((text) => text.includes(String(query)))
        return Promise.resolve(all.slice(0, limit).map((content) => ({ id: content, content, createdAt: "" })))
      }
    }
    const memory = new ListMemory()
    const [recording, retrieving] = memory.tools()
    await recording?.run({ content: ["one two", "two three"] })
    expect(memory.kept).toEqual(["one two", "two three"])
    expect(await retrieving?.run({ keywords: ["two", "one"] })).toBe("one two\ntwo three")
    expect(await retrieving?.run({ keywords: ["two"], limit: 1 })).toBe("one two")
  })
})

describe("forgetting", () => {
  test("is by id, by ids or of everything", async () => {
    const memory = open()
    await record(memory, "word one", "word two", "word three", "word four")
    const entries = await memory.retrieve("word")
    const ids = entries.map(({ id }) => id)
    expect(await memory.delete(ids[0] ?? "")).toBe(1)
    expect(await memory.delete([ids[0] ?? "", ids[1] ?? "", ids[1] ?? "", "nobody"])).toBe(1)
    expect(await memory.retrieve("word")).toHaveLength(2)
    expect(await memory.clear()).toBe(2)
    expect(await memory.retrieve("word")).toEqual([])
  })

  test("leaves no words of it in the file", async () => {
    const memory = open({ scope: { userId: "a" } })
    await record(memory, "secretword")
    await memory.clear()
    const database = new DatabaseSync(file())
    const terms = () =>
      database
        .prepare("SELECT count(*) AS n FROM agentscope_memory_index WHERE agentscope_memory_index MATCH 'secretword'")
        .get()
    expect(terms()?.["n"]).toBe(0)
    database.close()
  })
})

describe("a signal", () => {
  test("that is aborted rejects at once, with its reason, and nothing is recorded", async () => {
    const memory = open()
    const signal = AbortSignal.abort("enough")
    for (const call of [
      memory.record([userMsg("word")], { signal }),
      memory.retrieve("word", { signal }),
      memory.recordToMemory({ content: ["word"] }, { signal }),
      memory.retrieveFromMemory({ keywords: ["word"] }, { signal }),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "aborted", cause: "enough" })
    }
    expect(await memory.retrieve("word")).toEqual([])
  })

  test("during the call of a model ends it, and nothing is recorded", async () => {
    const controller = new AbortController()
    class Slow extends WordEmbeddings {
      protected override embedBatch() {
        controller.abort("enough")
        return new Promise<never>(() => {})
      }
    }
    const memory = open({ embeddings: new Slow() })
    const { signal } = controller
    expect(await failure(memory.record([userMsg("word")], { signal }))).toMatchObject({ code: "aborted" })
    expect(await found(open(), "word")).toEqual([])
    const model = new ScriptedModel([{ delayMs: 60_000, text: "never" }])
    const extracting = open({ model })
    const second = new AbortController()
    const recording = extracting.record([userMsg("word")], { signal: second.signal })
    setImmediate(() => second.abort("enough"))
    expect(await failure(recording)).toMatchObject({ code: "aborted" })
  })
})

describe("the file", () => {
  test("is opened with the first call, is this user's alone, and keeps what was recorded", async () => {
    const path = join(dir, "sub", "memory.db")
    const memory = new SqliteLongTermMemory({ path })
    expect(() => statSync(path)).toThrow()
    await record(memory, "word")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await memory.close()
    await using again = new SqliteLongTermMemory({ path })
    expect(await found(again, "word")).toEqual(["word"])
  })

  test("may be none", async () => {
    await using memory = new SqliteLongTermMemory({ path: ":memory:" })
    await record(memory, "word")
    expect(await found(memory, "word")).toEqual(["word"])
  })

  test("of a newer version is refused and left as it is", async () => {
    await record(open(), "word")
    const database = new DatabaseSync(file())
    database.exec("UPDATE agentscope_schema SET version = 99 WHERE part = 'memories'")
    const error = await failure(open().retrieve("word"))
    expect(error).toMatchObject({ code: "unsupported_version", message: expect.stringContaining("99") })
    expect(database.prepare("SELECT count(*) AS n FROM agentscope_memories").get()?.["n"]).toBe(1)
    database.close()
  })

  test("that is no database, and a folder, fail with their names; the next call tries again", async () => {
    writeFileSync(file(), "this is no database, ".repeat(100))
    const memory = open()
    const error = await failure(memory.retrieve("word"))
    expect(error).toMatchObject({ code: "corrupted_memory", message: expect.stringContaining(file()) })
    rmSync(file())
    await record(memory, "word")
    expect(await found(memory, "word")).toEqual(["word"])
    expect((await failure(record(open({ path: dir }), "word"))).code).toBe("memory_failed")
  })

  test("may hold tables of others", async () => {
    const database = new DatabaseSync(file())
    database.exec("CREATE TABLE agentscope_schema (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)")
    database.exec("INSERT INTO agentscope_schema VALUES ('sessions', 1)")
    await record(open(), "word")
    expect(
      database
        .prepare("SELECT part, version FROM agentscope_schema ORDER BY part")
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([
      { part: "memories", version: 1 },
      { part: "sessions", version: 1 },
    ])
    database.close()
  })
})

describe("closing", () => {
  test("waits for what was asked for; later calls fail, and closing again is nothing", async () => {
    const memory = open()
    const recording = Promise.all(Array.from({ length: 20 }, (_, i) => record(memory, `word ${i}`)))
    await memory.close()
    await recording
    await memory.close()
    for (const call of [record(memory, "x"), memory.retrieve("x"), memory.delete("x"), memory.clear()]) {
      expect(await failure(call)).toMatchObject({ code: "memory_closed" })
    }
    expect(await found(open(), "word", 100)).toHaveLength(20)
  })

  test("waits for a model that is asked", async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    class Gated extends WordEmbeddings {
      protected override async embedBatch(inputs: readonly string[]) {
        asked.resolve()
        await gate.promise
        return super.embedBatch(inputs)
      }
    }
    const memory = open({ embeddings: new Gated() })
    const recording = record(memory, "word")
    await asked.promise
    const closing = memory.close()
    gate.resolve()
    await Promise.all([recording, closing])
    expect(await found(open(), "word")).toEqual(["word"])
  })

  test("of a memory that never was used opens nothing", async () => {
    await open().close()
    expect(() => statSync(file())).toThrow()
  })
})

test.each([
  [undefined, "path"],
  [{}, "path"],
  [{ path: "" }, "path"],
  [{ path: 5 }, "path"],
  [{ path: "x", embedding: {} }, 'Did you mean "embeddings"?'],
  [{ path: "x", embeddings: {} }, "EmbeddingModel"],
  [{ path: "x", model: "gpt-5" }, "ChatModel"],
  [{ path: "x", maxEntries: 0 }, "maxEntries"],
])("the options %j are refused", (options, named) => {
  const make = () => new SqliteLongTermMemory(options as never)
  expect(make).toThrow(named)
  expect(make).toThrow(expect.objectContaining({ code: "invalid_argument" }))
})

test("a runtime without SQLite is told so when the memory is used", async () => {
  const load = process.getBuiltinModule
  const memory = open()
  process.getBuiltinModule = () => undefined
  try {
    expect(await failure(memory.retrieve("word"))).toMatchObject({ code: "unsupported_runtime" })
  } finally {
    process.getBuiltinModule = load
  }
})

test("a database whose file was deleted is made anew, so that what was recorded is on the disk", async () => {
  const memory = open({ embeddings: new WordEmbeddings() })
  await record(memory, "My dog is called Rex.")
  for (const end of ["", "-wal", "-shm"]) rmSync(file() + end, { force: true })
  expect(await found(memory, "dog")).toEqual([])
  for (const end of ["", "-wal", "-shm"]) rmSync(file() + end, { force: true })
  await record(memory, "My cat is called Tom.")
  expect(await found(open(), "cat dog")).toEqual(["My cat is called Tom."])
})

test("a database that stays busy is given up after ten seconds, and told to be tried again", async () => {
  const memory = open()
  await record(memory, "My dog is called Rex.")
  const database = new DatabaseSync(file())
  database.exec("BEGIN IMMEDIATE")
  let now = 0
  const restore = replaceAmbient({ now: () => now, sleep: async (ms) => void (now += ms) })
  try {
    expect(await failure(record(memory, "My cat is called Tom."))).toMatchObject({
      code: "memory_failed",
      retryable: true,
      message: expect.stringMatching(/locked.*try again/),
    })
    expect(now).toBe(10_000)
  } finally {
    restore()
    database.close()
  }
})

describe("questions", () => {
  test.each([
    ["My tea is the green one.", ["Which tea do I like?", "What tea do I like?", "Do you know which tea I like?"]],
    ["我喜欢的茶是绿茶。", ["我喜欢什么茶？", "我喜欢的茶是什么？", "你知道我喜欢什么茶吗？"]],
  ])("of the user take no place of what answers them: %s", async (fact, questions) => {
    const memory = open()
    await record(memory, fact)
    for (const question of [...questions, ...questions]) {
      expect(await found(memory, question)).toEqual([fact])
      await record(memory, question)
    }
  })

  test("that are there all the same, and what says the same as the query, come last", async () => {
    const memory = open()
    const questions = Array.from({ length: 8 }, (_, i) => `Which tea do I like on day ${i}?`)
    await memory.recordToMemory({ content: [...questions, "My tea is the green one.", "which tea do I like"] })
    const entries = await memory.retrieve("Which tea do I like.", { limit: 20 })
    expect(entries.map(({ content }) => content)[0]).toBe("My tea is the green one.")
    expect(entries).toHaveLength(10)
    expect(entries.map(({ score }) => score)).toEqual(entries.map(({ score }) => score!).toSorted((a, b) => b - a))
    expect((await found(memory, "Which tea do I like", 1))[0]).toBe("My tea is the green one.")
  })

  test("are read by a model that takes the facts out", async () => {
    const model = new ScriptedModel([{ structured: { facts: [] } }])
    await record(open({ model }), "Which tea does my wife Ann like?")
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("my wife Ann")
  })
})

test("what is no query, option, id or text is refused", async () => {
  const memory = open()
  for (const asked of [
    () => memory.retrieve(undefined as never),
    () => memory.retrieve(5 as never),
    () => memory.retrieve([1] as never),
    () => memory.retrieve("x", { limt: 1 } as never),
    () => memory.retrieve("x", null as never),
    () => memory.delete(undefined as never),
    () => memory.delete([1] as never),
    () => memory.recordToMemory({ content: "x" } as never),
  ]) {
    expect((await failure(asked())).code).toBe("invalid_argument")
  }
  expect((await failure(memory.retrieve("x", { limt: 1 } as never))).message).toMatch(/Did you mean "limit"/)
  expect(await memory.delete("unknown")).toBe(0)
})
