import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assistantMsg, type JsonObject, userMsg } from "@agentscope-ts/message"
import { contextKey, type Tool, Toolkit, tool, toolResponse, when } from "@agentscope-ts/tool"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { until } from "../fixtures/processes.ts"
import { sdkClient } from "../fixtures/sdk-client.ts"
import { resourceBlock } from "./content.ts"
import { McpServer, type McpServerOptions } from "./mcp-server.ts"
import { McpSession } from "./mcp-session.ts"

const none = { type: "object", properties: {} } as const

/** A server that listens, with some tools. */
async function serving(tools: readonly Tool<never>[], more: Partial<McpServerOptions> = {}) {
  const toolkit = new Toolkit({ tools })
  const server = new McpServer({ name: "test", version: "1", toolkit, ...more })
  const { url } = await server.listen()
  return {
    server,
    toolkit: more.toolkit ?? toolkit,
    url,
    [Symbol.asyncDispose]: () => server.close(),
  }
}

const plain = (name: string, execute: Parameters<typeof tool>[0]["execute"]) =>
  tool({ name, description: `The tool ${name}`, input: none, execute: execute as () => unknown })
const textOf = (result: unknown): string =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n")

describe("tools", () => {
  test("are listed with their schemas as they are, and what they say of their effects", async () => {
    const input = {
      type: "object",
      properties: { q: { type: "string", pattern: "^a", "x-own": 1 } },
      required: ["q"],
      $comment: "as it is",
    } as const
    const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const
    await using made = await serving([
      tool({ name: "read", description: "Reads", input, output, effects: "none", execute: () => ({ n: 1 }) }),
      tool({ name: "put", description: "Puts", input: none, effects: "idempotent", execute: () => "put" }),
      tool({ name: "send", description: "Sends", input: z.object({ to: z.string() }), execute: () => "sent" }),
      tool({ name: "count", description: "Counts", input: none, output: z.number(), execute: () => 1 }),
    ] as never)
    await using client = await sdkClient(made)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["read", "put", "send", "count"])
    expect(tools[0]).toEqual({
      name: "read",
      description: "Reads",
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true },
    })
    expect(tools[1]?.annotations).toEqual({ readOnlyHint: false, idempotentHint: true })
    expect(tools[2]).toMatchObject({ annotations: { idempotentHint: false }, inputSchema: { required: ["to"] } })
    // MCP can announce objects only
    expect(tools[3]).not.toHaveProperty("outputSchema")
  })

  test("answer with text, structured values and media", async () => {
    const data = btoa("bytes")
    await using made = await serving([
      plain("text", () => "plain"),
      plain("value", () => ({ rows: [1, 2] })),
      plain("list", () => [1, 2]),
      plain("shown", () => toolResponse("two rows", { structured: { rows: 2 } })),
      plain("media", () => [
        { type: "image", source: { type: "base64", mediaType: "image/png", data } },
        { type: "audio", source: { type: "url", url: `data:audio/wav;base64,${data}` } },
        { type: "video", source: { type: "base64", mediaType: "video/mp4", data }, name: "film one.mp4" },
        { type: "image", source: { type: "url", url: "https://example.com/a/cat.png", mediaType: "image/png" } },
        resourceBlock({ uri: "note://1", text: "é" }),
      ]),
    ])
    await using client = await sdkClient(made)
    const call = (name: string) => client.callTool({ name })
    expect(await call("text")).toEqual({ content: [{ type: "text", text: "plain" }] })
    expect(await call("value")).toEqual({
      content: [{ type: "text", text: '{"rows":[1,2]}' }],
      structuredContent: { rows: [1, 2] },
    })
    // a structured value of MCP is an object
    expect(await call("list")).toEqual({ content: [{ type: "text", text: "[1,2]" }] })
    expect(await call("shown")).toEqual({
      content: [{ type: "text", text: "two rows" }],
      structuredContent: { rows: 2 },
    })
    expect((await call("media")).content).toEqual([
      { type: "image", data, mimeType: "image/png" },
      { type: "audio", data, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "attachment:film%20one.mp4", mimeType: "video/mp4", blob: data } },
      { type: "resource_link", uri: "https://example.com/a/cat.png", name: "cat.png", mimeType: "image/png" },
      { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "é" } },
    ])
  })

  test("that fail, or are called wrongly, answer with an error that a model can read", async () => {
    await using made = await serving([
      plain("broken", () => {
        throw new TypeError("no luck")
      }),
      tool({ name: "strict", description: "Wants n", input: z.object({ n: z.number() }), execute: () => "never" }),
      plain("refuses", () => toolResponse("not today", { state: "error" })),
      plain("waits", (_input, ctx) => ctx.suspend("the mail has to come")),
    ] as never)
    await using client = await sdkClient(made)
    const broken = await client.callTool({ name: "broken" })
    expect(broken.isError).toBe(true)
    expect(textOf(broken)).toContain("no luck")
    const strict = await client.callTool({ name: "strict", arguments: { n: "one" } })
    expect(strict.isError).toBe(true)
    expect(textOf(strict)).toContain("n")
    expect(await client.callTool({ name: "refuses" })).toMatchObject({ isError: true })
    const waits = await client.callTool({ name: "waits" })
    expect(waits.isError).toBe(true)
    expect(textOf(waits)).toContain("the mail has to come")
  })

  test("that there are not, are off or run elsewhere, are an error of the protocol", async () => {
    const toolkit = new Toolkit({
      tools: [plain("there", () => "yes")],
      groups: [{ name: "off", description: "A group", tools: [plain("hidden", () => "never")] }],
    })
    toolkit.registerSchema({ name: "elsewhere", parameters: {} })
    await using made = await serving([], { toolkit })
    await using client = await sdkClient(made)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["there", "reset_tools"])
    for (const name of ["their", "hidden", "elsewhere"]) {
      await expect(client.callTool({ name }), name).rejects.toMatchObject({ code: -32602 })
    }
    await expect(client.callTool({ name: "their" })).rejects.toThrow('Did you mean "there"?')
    await expect(client.request({ method: "tools/call", params: {} }, z.any() as never)).rejects.toMatchObject({
      code: -32602,
    })
  })

  test("whose announced value is missing answer with an error, for clients refuse the result", async () => {
    const output = { type: "object", properties: { text: { type: "string" } } } as const
    const long = tool({
      name: "long",
      description: "A long value",
      input: none,
      output,
      execute: () => ({ text: "x".repeat(200) }),
    })
    await using made = await serving([], { toolkit: new Toolkit({ tools: [long], outputLimit: 100 }) })
    await using client = await sdkClient(made)
    await client.listTools()
    const result = await client.callTool({ name: "long" })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain("too long")
  })

  test("get values from the server's context, and the session of the call", async () => {
    const who = contextKey<string>("who")
    await using made = await serving(
      [plain("whoami", (_input, { get }) => `${get(who)} called by ${get(McpSession).client?.name}`)],
      { context: [who.of("server")] },
    )
    await using client = await sdkClient(made)
    expect(textOf(await client.callTool({ name: "whoami" }))).toBe("server called by sdk")
  })

  test("ten thousand are listed in pages, each once", async () => {
    const tools = Array.from({ length: 10_000 }, (_, i) => plain(`tool_${i}`, () => i))
    await using made = await serving(tools)
    await using client = await sdkClient(made)
    const names = new Set<string>()
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await client.listTools({ cursor })
      for (const { name } of page.tools) names.add(name)
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined)
    expect([names.size, pages]).toEqual([10_000, 10])
    expect(textOf(await client.callTool({ name: "tool_9999" }))).toBe("9999")
    for (const wrong of ["x", btoa("at:99999"), btoa("at:-1"), btoa("from:1")]) {
      await expect(client.listTools({ cursor: wrong })).rejects.toMatchObject({ code: -32602 })
    }
  })

  test("a hundred calls at a time are answered, each with its own result", async () => {
    const echo = tool({
      name: "echo",
      description: "Says it again",
      input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      execute: async ({ n }) => {
        await new Promise((resolve) => setImmediate(resolve))
        return `${n}`
      },
    })
    await using made = await serving([echo] as never)
    await using client = await sdkClient(made)
    const calls = Array.from({ length: 100 }, (_, n) => client.callTool({ name: "echo", arguments: { n } }))
    expect((await Promise.all(calls)).map(textOf)).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`))
  })
})

test("calls that have to be alone are, in their session; the meta tool waits for none", async () => {
  const running: string[] = []
  let most = 0
  const opened: (() => void)[] = []
  const slow = (name: string, concurrencySafe: boolean) =>
    tool({
      name,
      description: "Takes its time",
      input: none,
      concurrencySafe,
      execute: async () => {
        running.push(name)
        most = Math.max(most, running.length)
        await new Promise<void>((resolve) => opened.push(resolve))
        running.splice(running.indexOf(name), 1)
        return name
      },
    })
  const toolkit = new Toolkit({
    tools: [slow("safe", true), slow("alone", false)],
    groups: [{ name: "g", description: "A group" }],
  })
  await using made = await serving([], { toolkit })
  await using client = await sdkClient(made)
  const calls = ["safe", "safe", "alone", "alone"].map((name) => client.callTool({ name }))
  await until(() => opened.length === 2, "the first calls")
  expect(running).toEqual(["safe", "safe"])
  expect(textOf(await client.callTool({ name: "reset_tools", arguments: { g: true } }))).toContain("g")
  opened.splice(0).forEach((open) => open())
  for (let i = 0; i < 2; i++) {
    await until(() => opened.length === 1, "the next call")
    expect(running).toEqual(["alone"])
    opened.splice(0).forEach((open) => open())
  }
  await Promise.all(calls)
  expect(most).toBe(2)
})

describe("groups", () => {
  const groups = [
    { name: "files", description: "Files", instructions: "Mind the files.", tools: [plain("list", () => "a b c")] },
  ]

  test("switched in one session change that session only, which is told before the answer", async () => {
    await using made = await serving([], { toolkit: new Toolkit({ groups }) })
    const changes = { one: 0, two: 0 }
    const counting = (key: "one" | "two") => (client: Awaited<ReturnType<typeof sdkClient>>) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        changes[key]++
      })
    await using one = await sdkClient(made, {}, counting("one") as never)
    await using two = await sdkClient(made, {}, counting("two") as never)
    const names = async (client: typeof one) => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names(one)).toEqual(["reset_tools"])
    expect(await names(two)).toEqual(["reset_tools"])
    expect(textOf(await one.callTool({ name: "reset_tools", arguments: { files: true } }))).toContain("Mind the files.")
    expect(changes).toEqual({ one: 1, two: 0 })
    expect(await names(one)).toEqual(["reset_tools", "list"])
    expect(textOf(await one.callTool({ name: "list" }))).toBe("a b c")
    expect(await names(two)).toEqual(["reset_tools"])
    await expect(two.callTool({ name: "list" })).rejects.toMatchObject({ code: -32602 })
    // the same choice again is no change
    await one.callTool({ name: "reset_tools", arguments: { files: true } })
    expect(changes).toEqual({ one: 1, two: 0 })
  })

  test("a toolkit that changes tells every client that has listed it, once for many changes", async () => {
    await using made = await serving([plain("first", () => "1")])
    let changes = 0
    await using client = await sdkClient(made, {}, (each) =>
      each.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        changes++
      }),
    )
    made.toolkit.register(plain("unseen", () => "0"))
    await client.listTools()
    expect(changes).toBe(0)
    made.toolkit.register(plain("second", () => "2"))
    made.toolkit.register(plain("third", () => "3"))
    made.toolkit.remove("first")
    await until(() => changes > 0, "the notification")
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["unseen", "second", "third"])
    expect(changes).toBe(1)
  })

  test("a source that changes is listed again, and the clients are told", async () => {
    let listed = [plain("before", () => "1")]
    let changed = (): void => {}
    const source = {
      name: "source",
      listTools: async () => listed,
      onToolsChanged: (listener: () => void) => {
        changed = listener
        return () => {}
      },
    }
    await using made = await serving([], { toolkit: new Toolkit({ mcps: [source] }) })
    let changes = 0
    await using client = await sdkClient(made, {}, (each) =>
      each.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        changes++
      }),
    )
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names()).toEqual(["before"])
    listed = [plain("after", () => "2")]
    changed()
    await until(() => changes === 1, "the notification")
    expect(await names()).toEqual(["after"])
    await expect(client.callTool({ name: "before" })).rejects.toMatchObject({ code: -32602 })
  })

  test("a server without clients listens to no toolkit", async () => {
    let listening = 0
    const toolkit = new Toolkit()
    const onChange = toolkit.onChange.bind(toolkit)
    toolkit.onChange = (listener) => {
      listening++
      const off = onChange(listener)
      return () => {
        listening--
        off()
      }
    }
    await using made = await serving([], { toolkit })
    expect(listening).toBe(0)
    {
      await using one = await sdkClient(made)
      await using two = await sdkClient(made)
      await Promise.all([one.ping(), two.ping()])
      expect([listening, made.server.sessionCount]).toEqual([1, 2])
    }
    expect([listening, made.server.sessionCount]).toEqual([0, 0])
  })
})

describe("approval", () => {
  const ran: JsonObject[] = []
  const refund = tool({
    name: "refund",
    description: "Pays back",
    needsApproval: true,
    input: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
    execute: (input) => {
      ran.push(input)
      return "refunded"
    },
  })
  const asking = (answer: unknown, asked: string[] = []) => ({
    asked,
    prepare: (client: Parameters<Parameters<typeof sdkClient>[2] & object>[0]) =>
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message)
        return answer as never
      }),
  })

  test("is asked of the person at the client, and nothing but a ticked box lets the call run", async () => {
    await using made = await serving([refund] as never)
    for (const [answer, isRun] of [
      [{ action: "accept", content: { approve: true } }, true],
      [{ action: "accept", content: { approve: false, reason: "too much" } }, false],
      [{ action: "accept", content: {} }, false],
      [{ action: "accept" }, false],
      [{ action: "decline" }, false],
      [{ action: "cancel" }, false],
    ] as const) {
      ran.length = 0
      const { asked, prepare } = asking(answer)
      await using client = await sdkClient(made, { elicitation: {} }, prepare)
      const result = await client.callTool({ name: "refund", arguments: { amount: 80 } })
      expect(ran, JSON.stringify(answer)).toEqual(isRun ? [{ amount: 80 }] : [])
      expect(result.isError ?? false).toBe(!isRun)
      expect(asked[0]).toContain('"amount": 80')
      if (JSON.stringify(answer).includes("too much")) expect(textOf(result)).toContain("too much")
    }
  })

  test("that a client cannot ask for is a no, with a word about it", async () => {
    ran.length = 0
    await using made = await serving([refund] as never)
    await using client = await sdkClient(made)
    const result = await client.callTool({ name: "refund", arguments: { amount: 1 } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain("approval")
    expect(ran).toEqual([])
  })

  test("follows the server's rules", async () => {
    ran.length = 0
    await using made = await serving([refund] as never, {
      approval: {
        allow: [when(refund, ({ amount }) => amount < 10)],
        deny: [when(refund, ({ amount }) => amount > 99)],
      },
    })
    await using client = await sdkClient(made)
    expect(textOf(await client.callTool({ name: "refund", arguments: { amount: 5 } }))).toBe("refunded")
    expect(await client.callTool({ name: "refund", arguments: { amount: 100 } })).toMatchObject({ isError: true })
    expect(ran).toEqual([{ amount: 5 }])
    expect(
      () => new McpServer({ name: "x", version: "1", toolkit: new Toolkit(), approval: { deny: ["a("] } }),
    ).toThrow(expect.objectContaining({ code: "invalid_rule" }))
  })
})

describe("a running call", () => {
  test("reports progress to clients that ask for it, and only upwards", async () => {
    const counting = plain("counting", async (_input, { emit, get }) => {
      await Promise.resolve()
      for (const value of [{ progress: 0, total: 3 }, "half way", 1.5, 1, { odd: true }]) emit(value)
      get(McpSession).progress(3, 3, "done")
      return "counted"
    })
    await using made = await serving([counting])
    await using client = await sdkClient(made)
    const told: unknown[] = []
    await client.callTool({ name: "counting" }, undefined, { onprogress: (progress) => told.push(progress) })
    expect(told).toEqual([
      { progress: 0, total: 3 },
      { progress: 1, message: "half way" },
      { progress: 1.5 },
      { progress: 2.5, message: '{"odd":true}' },
      { progress: 3, total: 3, message: "done" },
    ])
    const seen: unknown[] = []
    client.fallbackNotificationHandler = async (notification) => void seen.push(notification)
    await client.callTool({ name: "counting" })
    expect(seen).toEqual([])
  })

  test("is aborted when the client cancels it, and the session goes on", async () => {
    let aborted = 0
    let running = 0
    const endless = plain("endless", (_input, { signal }) => {
      running++
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted++
          reject(signal.reason as Error)
        })
      })
    })
    await using made = await serving([endless])
    await using client = await sdkClient(made)
    for (let i = 1; i <= 3; i++) {
      const stop = new AbortController()
      const call = client.callTool({ name: "endless" }, undefined, { signal: stop.signal })
      await until(() => running === i, "the call")
      stop.abort(new TypeError("enough"))
      await expect(call).rejects.toThrow("enough")
      await until(() => aborted === i, "the abort")
    }
    await client.ping()
  })

  test("logs at the level that each client wants", async () => {
    const logging = plain("logging", (_input, { get }) => {
      const session = get(McpSession)
      session.log("debug", "d")
      session.log("info", { n: 1 }, "own")
      session.log("error", "e")
      return "logged"
    })
    await using made = await serving([logging])
    const logs: Record<string, unknown[]> = { usual: [], quiet: [], loud: [] }
    const into = (key: string) => (client: Awaited<ReturnType<typeof sdkClient>>) =>
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        logs[key]?.push(params)
      })
    await using usual = await sdkClient(made, {}, into("usual") as never)
    await using quiet = await sdkClient(made, {}, into("quiet") as never)
    await using loud = await sdkClient(made, {}, into("loud") as never)
    await quiet.setLoggingLevel("error")
    await loud.setLoggingLevel("debug")
    for (const client of [usual, quiet, loud]) await client.callTool({ name: "logging" })
    const [d, i, e] = [
      { level: "debug", data: "d" },
      { level: "info", data: { n: 1 }, logger: "own" },
      { level: "error", data: "e" },
    ]
    expect(logs).toEqual({ usual: [i, e], quiet: [e], loud: [d, i, e] })
    await expect(loud.setLoggingLevel("shout" as never)).rejects.toMatchObject({ code: -32602 })
  })

  test("asks the person, the model and for the roots of its client", async () => {
    const asking = plain("asking", async (_input, { get }) => {
      const session = get(McpSession)
      const form = await session.elicit("Who?", z.object({ name: z.string(), age: z.number().int().default(7) }))
      const { msg, model } = await session.createMessage(
        [
          userMsg("Hello"),
          assistantMsg("Hi"),
          userMsg([
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ]),
        ],
        { maxTokens: 9, systemPrompt: "Be brief.", stop: ["."] },
      )
      return { form, said: msg.content, model, roots: await session.roots() }
    })
    await using made = await serving([asking])
    const asked: unknown[] = []
    await using client = await sdkClient(made, { elicitation: {}, sampling: {}, roots: {} }, (each) => {
      each.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params)
        return { action: "accept", content: { name: "Ada" } }
      })
      each.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        asked.push(params)
        return { role: "assistant", model: "m", content: { type: "text", text: "yes" } }
      })
      each.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///work", name: "work" }] }))
    })
    const result = await client.callTool({ name: "asking" })
    expect(result.structuredContent).toEqual({
      form: { action: "accept", content: { name: "Ada", age: 7 } },
      said: [{ type: "text", text: "yes" }],
      model: "m",
      roots: [{ uri: "file:///work", name: "work" }],
    })
    expect(asked[0]).toMatchObject({ mode: "form", message: "Who?", requestedSchema: { required: ["name"] } })
    expect(asked[1]).toMatchObject({
      maxTokens: 9,
      systemPrompt: "Be brief.",
      stopSequences: ["."],
      messages: [
        { role: "user", content: { type: "text", text: "Hello" } },
        { role: "assistant", content: { type: "text", text: "Hi" } },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    })
  })

  test("is told at once when its client cannot be asked, and what goes wrong where it can", async () => {
    const codes: unknown[] = []
    const code = async (work: Promise<unknown>): Promise<void> => {
      codes.push(
        await work.then(
          () => "fine",
          (error: { code: unknown }) => error.code,
        ),
      )
    }
    const asking = plain("asking", async (_input, { get }) => {
      const session = get(McpSession)
      codes.length = 0
      await code(session.elicit("Who?", z.object({ name: z.string() }), { timeoutMs: 20 }))
      await code(session.elicitUrl("Open it", "https://example.com"))
      await code(session.createMessage("Hello", { maxTokens: 1 }))
      await code(session.createMessage("Hello", { maxTokens: 1, tools: [{ name: "t", parameters: {} }] }))
      await code(session.roots())
      return "asked"
    })
    await using made = await serving([asking])
    {
      await using unable = await sdkClient(made)
      await unable.callTool({ name: "asking" })
      expect(codes).toEqual(["unsupported", "unsupported", "unsupported", "unsupported", "unsupported"])
    }
    await using odd = await sdkClient(made, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, (each) => {
      each.setRequestHandler(ElicitRequestSchema, ({ params }) =>
        params.mode === "url" ? { action: "decline" } : new Promise(() => {}),
      )
      each.setRequestHandler(CreateMessageRequestSchema, () => {
        throw new TypeError("no model")
      })
    })
    await odd.callTool({ name: "asking" })
    expect(codes).toEqual(["timeout", "fine", "client_error", "unsupported", "client_error"])
  })
})

test("an agent is served by its tool form: a conversation for each session, progress and an end on demand", async () => {
  const said = new Map<string | undefined, string[]>()
  const agent: Tool<{ readonly message: string }, string> = {
    name: "friday",
    description: "Talks",
    schema: {
      name: "friday",
      description: "Talks",
      parameters: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    },
    external: false,
    effects: "once",
    run: async ({ message }, ctx) => {
      const { id } = ctx?.get(McpSession) ?? {}
      const history = said.get(id) ?? []
      said.set(id, [...history, message])
      ctx?.emit("thinking")
      if (message === "wait") await new Promise((_resolve, reject) => ctx?.signal.addEventListener("abort", reject))
      return `${message}, after ${history.length}`
    },
  }
  await using made = await serving([agent] as never)
  await using one = await sdkClient(made)
  await using two = await sdkClient(made)
  const steps: unknown[] = []
  const ask = async (client: typeof one, message: string, signal?: AbortSignal) =>
    textOf(
      await client.callTool({ name: "friday", arguments: { message } }, undefined, {
        onprogress: (step) => steps.push(step.message),
        ...(signal && { signal }),
      }),
    )
  expect(await ask(one, "hello")).toBe("hello, after 0")
  expect(await ask(one, "again")).toBe("again, after 1")
  expect(await ask(two, "hello")).toBe("hello, after 0")
  expect(steps).toEqual(["thinking", "thinking", "thinking"])
  const stop = new AbortController()
  const waiting = ask(one, "wait", stop.signal)
  await until(() => steps.length === 4, "the progress")
  stop.abort()
  await expect(waiting).rejects.toThrow()
})

describe("resources", () => {
  const resources: McpServerOptions["resources"] = [
    { uri: "note://one", name: "one", title: "The first", mimeType: "text/plain", size: 3, read: () => "one" },
    { uri: "note://bytes", name: "bytes", read: () => new Uint8Array([1, 2, 255]) },
    {
      uri: "note://parts",
      name: "parts",
      read: () => [{ text: "a" }, { uri: "note://parts/2", mimeType: "text/css", text: "b" }],
    },
    {
      uriTemplate: "note://by/{year}/{id}",
      name: "by",
      mimeType: "text/plain",
      read: ({ year, id }) => (year === "1999" ? undefined : `${id} of ${year}`),
      complete: { year: (typed) => ["2024", "2025"].filter((year) => year.startsWith(typed)) },
    },
  ]

  test("are listed, read at fixed addresses and by templates, and completed", async () => {
    await using made = await serving([], { resources })
    await using client = await sdkClient(made)
    const listed = await client.listResources()
    expect(listed.resources.map(({ uri }) => uri)).toEqual(["note://one", "note://bytes", "note://parts"])
    expect(listed.resources[0]).toEqual({
      uri: "note://one",
      name: "one",
      title: "The first",
      mimeType: "text/plain",
      size: 3,
    })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toEqual([{ uriTemplate: "note://by/{year}/{id}", name: "by", mimeType: "text/plain" }])
    const read = async (uri: string) => (await client.readResource({ uri })).contents
    expect(await read("note://one")).toEqual([{ uri: "note://one", mimeType: "text/plain", text: "one" }])
    expect(await read("note://bytes")).toEqual([{ uri: "note://bytes", blob: "AQL/" }])
    expect(await read("note://parts")).toEqual([
      { uri: "note://parts", text: "a" },
      { uri: "note://parts/2", mimeType: "text/css", text: "b" },
    ])
    expect(await read("note://by/2024/a%20b")).toEqual([
      { uri: "note://by/2024/a%20b", mimeType: "text/plain", text: "a b of 2024" },
    ])
    for (const uri of ["note://two", "note://by/2024", "note://by/1999/x"]) {
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32002 })
    }
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: "note://by/{year}/{id}" },
      argument: { name: "year", value: "20" },
    })
    expect(completed.completion).toEqual({ values: ["2024", "2025"], total: 2, hasMore: false })
  })

  test("tell their subscribers, and only them, of a change", async () => {
    await using made = await serving([], { resources })
    const updated: string[] = []
    const lists: string[] = []
    await using client = await sdkClient(made, {}, (each) => {
      each.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri))
      each.setNotificationHandler(ResourceListChangedNotificationSchema, () => void lists.push("resources"))
      each.setNotificationHandler(PromptListChangedNotificationSchema, () => void lists.push("prompts"))
    })
    await client.subscribeResource({ uri: "note://one" })
    await client.subscribeResource({ uri: "note://by/2024/1" })
    await expect(client.subscribeResource({ uri: "note://two" })).rejects.toMatchObject({ code: -32002 })
    // the stream of notifications is opened by the client in its own time
    await until(() => {
      made.server.resourceUpdated("note://one")
      return updated.length > 0
    }, "the first notification")
    updated.length = 0
    made.server.resourceUpdated("note://bytes")
    made.server.resourceUpdated("note://by/2024/1")
    await until(() => updated.length > 0, "the notification")
    await client.unsubscribeResource({ uri: "note://by/2024/1" })
    made.server.resourceUpdated("note://by/2024/1")
    made.server.setResources([])
    await until(() => lists.length > 0, "the new list")
    expect([...new Set(updated)].filter((uri) => uri !== "note://one")).toEqual(["note://by/2024/1"])
    expect((await client.listResources()).resources).toEqual([])
    expect(() => made.server.setPrompts([])).toThrow(expect.objectContaining({ code: "unsupported" }))
  })

  test("that a server does not have, it does not announce, and has no methods for", async () => {
    await using made = await serving([])
    await using client = await sdkClient(made)
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} })
    const raw = (method: string) => client.request({ method }, z.any() as never)
    await expect(raw("resources/list")).rejects.toMatchObject({ code: -32601 })
    await expect(raw("prompts/list")).rejects.toMatchObject({ code: -32601 })
    await expect(raw("no/such")).rejects.toMatchObject({ code: -32601 })
  })
})

describe("prompts", () => {
  test("take arguments, answer with messages, and complete", async () => {
    await using made = await serving([], {
      prompts: [
        {
          name: "greet",
          description: "Greets",
          arguments: [
            {
              name: "who",
              required: true,
              complete: (typed, { values }) => Array.from({ length: 150 }, (_, i) => `${typed}${values["x"]}${i}`),
            },
            { name: "how" },
          ],
          get: ({ who = "", how = "kindly" }) => [userMsg(`Greet ${who} ${how}`), assistantMsg("Hello")],
        },
      ],
    })
    await using client = await sdkClient(made)
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: "greet",
        description: "Greets",
        arguments: [
          { name: "who", required: true },
          { name: "how", required: false },
        ],
      },
    ])
    const got = await client.getPrompt({ name: "greet", arguments: { who: "Ada" } })
    expect(got.messages).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ada kindly" } },
      { role: "assistant", content: { type: "text", text: "Hello" } },
    ])
    await expect(client.getPrompt({ name: "greet" })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: "great" })).rejects.toMatchObject({ code: -32602 })
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "who", value: "A" },
      context: { arguments: { x: "-" } },
    })
    expect([completion.values.length, completion.values[1], completion.total, completion.hasMore]).toEqual([
      100,
      "A-1",
      150,
      true,
    ])
    const other = await client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "how", value: "" },
    })
    expect(other.completion.values).toEqual([])
  })
})

test("a server tells its name, title and instructions, and the version that both speak", async () => {
  await using made = await serving([], { title: "A test", instructions: "Be careful." })
  await using client = await sdkClient(made)
  expect(client.getServerVersion()).toEqual({ name: "test", version: "1", title: "A test" })
  expect(client.getInstructions()).toBe("Be careful.")
})

test("skills are told with the instructions, and read by their tool", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mcp-skills-"))
  try {
    mkdirSync(join(dir, "brew"))
    writeFileSync(join(dir, "brew", "SKILL.md"), "---\nname: brew\ndescription: Makes tea\n---\nBoil water.\n")
    const toolkit = new Toolkit({ skills: [join(dir, "brew")] })
    await using made = await serving([], { toolkit, instructions: "Be careful." })
    await using client = await sdkClient(made)
    expect(client.getInstructions()).toMatch(/^Be careful\.\n\n[^]*Makes tea/)
    const { tools } = await client.listTools()
    expect(tools).toMatchObject([{ name: "Skill", annotations: { readOnlyHint: true } }])
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test("a closed server opens nothing more", async () => {
  const made = await serving([])
  const client = await sdkClient(made)
  await made.server.close()
  expect(() => made.server.httpHandler()).toThrow(expect.objectContaining({ code: "server_closed" }))
  await expect(made.server.listen()).rejects.toMatchObject({ code: "server_closed" })
  await expect(client.ping()).rejects.toThrow()
  await client.close()
})
