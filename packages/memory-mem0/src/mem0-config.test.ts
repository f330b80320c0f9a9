import { join } from "node:path"
import { userMsg } from "@agentscope-ts/message"
import { expect, test, vi } from "vitest"
import { extraction } from "./fixtures/extracting-model.ts"
import { startServer } from "./fixtures/loopback.ts"
import { mem0Home } from "./fixtures/mem0-home.ts"
import { Mem0LongTermMemory } from "./index.ts"
import { loadMem0 } from "./load-mem0.ts"

const home = mem0Home()

test("mem0's own configuration works with mem0's own models, over the wire", async () => {
  interface Asked {
    readonly messages: readonly { readonly content: string }[]
    readonly input: string | readonly string[]
  }
  await using server = await startServer(({ url, body }) => {
    const { messages, input } = body as unknown as Asked
    if (url.endsWith("/embeddings")) {
      const texts = typeof input === "string" ? [input] : input
      return { data: texts.map((text, index) => ({ index, embedding: [1, text.includes("tea") ? 1 : 0] })) }
    }
    const request = { messages: messages.map(({ content }) => userMsg(content)) }
    const content = extraction()(request)
    return { choices: [{ message: { role: "assistant", content } }] }
  })
  const config = { apiKey: "sk-test", baseURL: server.url }
  await using memory = new Mem0LongTermMemory({
    scope: { userId: "ann" },
    config: {
      llm: { provider: "openai", config: { ...config, model: "gpt-5-mini" } },
      embedder: { provider: "openai", config: { ...config, embeddingDims: 2 } },
      vectorStore: { provider: "memory", config: { dbPath: join(home.dir, "vectors.db"), dimension: 2 } },
      historyDbPath: join(home.dir, "history.db"),
    },
  })
  await memory.record([userMsg("I like tea.")])
  expect((await memory.retrieve("tea")).map(({ content }) => content)).toEqual(["I like tea."])
  expect(new Set(server.got.map(({ url }) => url))).toEqual(new Set(["/embeddings", "/chat/completions"]))
})

test("the hosted service is asked for one scope, and takes facts out by and by", async () => {
  const kept: Record<string, unknown>[] = []
  await using server = await startServer(({ url, body }) => {
    if (url.startsWith("/v1/ping")) return { status: "ok", org_id: "o", project_id: "p", user_email: "a@b.c" }
    if (url === "/v3/memories/add/") {
      kept.push(body)
      return { message: "queued", status: "PENDING", event_id: "e1" }
    }
    if (url === "/v3/memories/search/") {
      const mine = { id: "1", memory: "Likes tea", score: 0.5, created_at: "2026-01-02T03:04:05-08:00", user_id: "ann" }
      // a server that does not look at filters
      return { results: [mine, { ...mine, id: "2", memory: "Bob's", user_id: "bob" }, { id: "3" }] }
    }
    return undefined
  })
  await using memory = new Mem0LongTermMemory({ scope: { userId: "ann" }, apiKey: "m0-key", host: `${server.url}/` })
  await memory.record([userMsg("I like tea.")])
  expect(await memory.recordToMemory({ content: ["Likes tea"] })).toMatch(/soon/)
  expect(await memory.retrieve("tea", { limit: 3 })).toEqual([
    { id: "1", content: "Likes tea", score: 0.5, createdAt: "2026-01-02T11:04:05.000Z" },
  ])
  expect(kept).toEqual([
    expect.objectContaining({ messages: [{ role: "user", content: "I like tea." }], user_id: "ann", infer: true }),
    expect.objectContaining({ messages: [{ role: "user", content: "Likes tea" }], user_id: "ann" }),
  ])
  const search = server.got.find(({ url }) => url === "/v3/memories/search/")
  expect(search?.key).toBe("Token m0-key")
  expect(search?.body).toMatchObject({ query: "tea", filters: { user_id: "ann" }, top_k: 3 })
})

test("what the hosted service refuses is told", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {})
  await using server = await startServer(() => undefined)
  await using memory = new Mem0LongTermMemory({ scope: { agentId: "friday" }, apiKey: "m0-key", host: server.url })
  await expect(memory.retrieve("tea")).rejects.toMatchObject({ code: "memory_failed", message: /not here/ })
  expect(await memory.retrieve(" ")).toEqual([])
  vi.restoreAllMocks()
})

test("mem0 sends no usage figures unless it is told to, and the environment stays as it was", async () => {
  const seen: unknown[] = []
  const load = () => {
    seen.push(process.env["MEM0_TELEMETRY"])
    return Promise.resolve({})
  }
  await loadMem0(load, "mem0ai")
  expect(process.env).not.toHaveProperty("MEM0_TELEMETRY")
  vi.stubEnv("MEM0_TELEMETRY", "true")
  await loadMem0(load, "mem0ai")
  expect(process.env["MEM0_TELEMETRY"]).toBe("true")
  vi.stubEnv("MEM0_TELEMETRY", undefined)
  expect(seen).toEqual(["false", "true"])
})

test("a package that is missing is named", async () => {
  const missing: string = "mem0ai-is-not-here"
  const load = () => import(missing)
  await expect(loadMem0(load, "mem0ai better-sqlite3")).rejects.toMatchObject({
    code: "missing_dependency",
    message: expect.stringContaining("npm install mem0ai better-sqlite3"),
  })
})
