import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { until } from "../fixtures/processes.ts"
import { rawStdioServer } from "../fixtures/raw-stdio-server.ts"
import type { ElicitationRequest, McpOptions } from "../mcp-options.ts"
import { StdioMcpClient } from "../stdio-mcp-client.ts"

/** A client of a server whose tool `ask` sends a request back and answers with what it got. */
const clientOf = (more: Partial<McpOptions>, code = ""): StdioMcpClient =>
  new StdioMcpClient({
    name: "asking",
    ...rawStdioServer(`
      let capabilities
      const initialize = methods.initialize
      methods.initialize = (params) => { capabilities = params.capabilities; return initialize(params) }
      methods["tools/call"] = async ({ name, arguments: params }) =>
        text(JSON.stringify(name === "capabilities" ? capabilities : await ask(name, params)))
      ${code}`),
    ...more,
  })

const answerOf = async (client: StdioMcpClient, method: string, params = {}): Promise<unknown> =>
  JSON.parse(textOf(await client.callTool(method, params)))

describe("what the client says it can do", () => {
  test("is what its options make possible", async () => {
    await using nothing = clientOf({})
    expect(await answerOf(nothing, "capabilities")).toEqual({})
    expect(await answerOf(nothing, "elicitation/create", { message: "x", requestedSchema: {} })).toMatchObject({
      code: -32601,
    })
    expect(await answerOf(nothing, "sampling/createMessage")).toMatchObject({ code: -32601 })
    expect(await answerOf(nothing, "roots/list")).toMatchObject({ code: -32601 })
    expect(await answerOf(nothing, "ping")).toEqual({})
    await using all = clientOf({
      roots: [],
      sampling: () => ({ model: "m", role: "assistant", content: { type: "text", text: "x" } }),
      onElicitation: () => ({ action: "cancel" }),
      onUrlElicitation: () => ({ action: "cancel" }),
    })
    expect(await answerOf(all, "capabilities")).toEqual({
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
    })
  })
})

describe("roots", () => {
  test("are folders as file: URLs, and change", async () => {
    await using client = clientOf(
      { roots: ["/home/my folder", "file:///srv/x"] },
      `
      let changed = 0
      notified["notifications/roots/list_changed"] = () => { changed++ }
      const call = methods["tools/call"]
      methods["tools/call"] = (params) => params.name === "changed" ? text(changed) : call(params)`,
    )
    expect(await answerOf(client, "roots/list")).toEqual({
      roots: [
        { uri: "file:///home/my%20folder", name: "my folder" },
        { uri: "file:///srv/x", name: "x" },
      ],
    })
    await client.setRoots(["/etc"])
    expect(await answerOf(client, "changed")).toBe(1)
    expect(await answerOf(client, "roots/list")).toEqual({ roots: [{ uri: "file:///etc", name: "etc" }] })
    await using none = clientOf({})
    await expect(none.setRoots([])).rejects.toThrow("made without roots")
  })
})

describe("elicitation", () => {
  const form = {
    message: "Who are you?",
    requestedSchema: {
      type: "object",
      properties: {
        name: { type: "string" },
        age: { type: "integer", default: 30 },
        vip: { type: "boolean", default: false },
        plan: { type: "string", enum: ["a", "b"], default: "b" },
        tags: { type: "array", items: { type: "string" }, default: ["x"] },
      },
      required: ["name"],
    },
  }

  test("a form is filled up with its defaults, and held to its schema", async () => {
    const asked: ElicitationRequest[] = []
    const answers = [
      { action: "accept", content: { name: "Ada", age: 7 } },
      { action: "accept", content: { age: "old", name: "Ada" } },
      { action: "accept" },
      { action: "decline", content: { name: "ignored" } },
      { action: "yes" },
    ]
    await using client = clientOf({
      onElicitation: (request) => {
        asked.push(request)
        return answers[asked.length - 1] as never
      },
    })
    const ask = () => answerOf(client, "elicitation/create", form)
    expect(await ask()).toEqual({
      action: "accept",
      content: { name: "Ada", age: 7, vip: false, plan: "b", tags: ["x"] },
    })
    expect(await ask()).toMatchObject({ code: -32602, message: expect.stringContaining("age") })
    expect(await ask()).toMatchObject({ code: -32602, message: expect.stringContaining("name") })
    expect(await ask()).toEqual({ action: "decline" })
    expect(await ask()).toMatchObject({
      code: -32603,
      message: expect.stringContaining("use accept, decline or cancel"),
    })
    expect(asked[0]).toMatchObject({ message: "Who are you?", schema: form.requestedSchema })
  })

  test("a page is shown only where somebody can show it", async () => {
    const page = { mode: "url", message: "Sign in", url: "https://example.com/x", elicitationId: "e1" }
    await using forms = clientOf({ onElicitation: () => ({ action: "accept" }) })
    expect(await answerOf(forms, "elicitation/create", page)).toMatchObject({ code: -32601 })
    const shown: unknown[] = []
    await using pages = clientOf({
      onUrlElicitation: ({ signal: _signal, ...request }) => {
        shown.push(request)
        return { action: "accept" }
      },
    })
    expect(await answerOf(pages, "elicitation/create", page)).toEqual({ action: "accept" })
    expect(await answerOf(pages, "elicitation/create", { ...page, url: "no url" })).toMatchObject({ code: -32602 })
    expect(shown).toEqual([{ message: "Sign in", url: "https://example.com/x", elicitationId: "e1" }])
  })

  test("a call that needs a page to be opened first is made again once it was", async () => {
    const code = `let calls = 0
      methods["tools/call"] = () => {
        if (calls++ === 0) fail(-32042, "Sign in first", { elicitations: [{ mode: "url", elicitationId: "e", url: "https://x.example/", message: "Sign in" }] })
        return text(calls)
      }`
    await using client = clientOf({ onUrlElicitation: () => ({ action: "accept" }) }, code)
    expect(textOf(await client.callTool("t", {}))).toBe("2")
    await using declining = clientOf({ onUrlElicitation: () => ({ action: "decline" }) }, code)
    await expect(declining.callTool("t", {})).rejects.toMatchObject({ code: "server_error", details: { code: -32042 } })
    await using nobody = clientOf({}, code)
    await expect(nobody.callTool("t", {})).rejects.toMatchObject({ code: "server_error" })
  })

  test("a question that the server takes back is aborted, the first one (id 0) too", async () => {
    const signals: AbortSignal[] = []
    await using client = clientOf(
      { onElicitation: ({ signal }) => (signals.push(signal), new Promise(() => {})) },
      `methods["tools/call"] = () => {
         void ask("elicitation/create", { message: "x", requestedSchema: { type: "object", properties: {} } })
         const requestId = lastId - 1
         setImmediate(() => notify("notifications/cancelled", { requestId }))
         return text(requestId)
       }`,
    )
    expect(textOf(await client.callTool("t", {}))).toBe("0")
    await until(() => signals[0]?.aborted === true, "the abort")
    await client.callTool("t", {})
    await until(() => signals[1]?.aborted === true, "the abort")
  })

  test("an open question is aborted when the connection ends", async () => {
    const signals: AbortSignal[] = []
    const client = clientOf({ onElicitation: ({ signal }) => (signals.push(signal), new Promise(() => {})) })
    const call = expect(
      client.callTool("elicitation/create", { message: "x", requestedSchema: { type: "object", properties: {} } }),
    ).rejects.toMatchObject({ code: "connection_closed" })
    await until(() => signals.length === 1, "the question")
    await client.close()
    await call
    expect(signals[0]?.aborted).toBe(true)
  })
})

describe("sampling", () => {
  const question = {
    systemPrompt: "Be short.",
    maxTokens: 100,
    temperature: 0.5,
    stopSequences: ["END"],
    messages: [
      { role: "user", content: { type: "text", text: "What is this?" } },
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
    ],
  }

  test("is answered by a model", async () => {
    using model = new ScriptedModel(["A cat."])
    await using client = clientOf({ sampling: model })
    expect(await answerOf(client, "sampling/createMessage", question)).toEqual({
      model: model.model,
      role: "assistant",
      content: { type: "text", text: "A cat." },
      stopReason: "endTurn",
    })
    expect(model.requests[0]).toMatchObject({
      params: { maxTokens: 100, temperature: 0.5, stop: ["END"] },
      messages: [
        { role: "system", content: [{ type: "text", text: "Be short." }] },
        { role: "user", content: [{ type: "text", text: "What is this?" }] },
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } }],
        },
      ],
    })
  })

  test("with tools: calls come back, results go in", async () => {
    using model = new ScriptedModel([{ toolUses: [{ name: "weather", input: { city: "Oslo" } }] }, "Rain."])
    await using client = clientOf({ sampling: model })
    const tools = [
      {
        name: "weather",
        description: "Weather",
        inputSchema: { type: "object", properties: { city: { type: "string" } } },
      },
    ]
    const ask = {
      messages: [{ role: "user", content: { type: "text", text: "Weather?" } }],
      maxTokens: 10,
      tools,
      toolChoice: { mode: "required" },
    }
    const first = (await answerOf(client, "sampling/createMessage", ask)) as { content: { id: string }[] }
    expect(first).toMatchObject({
      stopReason: "toolUse",
      content: [{ type: "tool_use", name: "weather", input: { city: "Oslo" } }],
    })
    expect(model.requests[0]).toMatchObject({ toolChoice: "required", tools: [{ name: "weather" }] })
    const result = { type: "tool_result", toolUseId: first.content[0]?.id, content: [{ type: "text", text: "12 °C" }] }
    const messages = [
      ...ask.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ]
    expect(await answerOf(client, "sampling/createMessage", { ...ask, messages })).toMatchObject({
      content: [{ type: "text", text: "Rain." }],
    })
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ type: "tool_result", name: "weather", output: [{ type: "text", text: "12 °C" }], state: "success" }],
    })
  })

  test("or by a function, which may say no", async () => {
    await using client = clientOf({
      sampling: ({ messages }) => {
        if (messages.length > 1) throw new TypeError("The person said no.")
        return { model: "m", role: "assistant", content: { type: "text", text: "yes" } }
      },
    })
    expect(await answerOf(client, "sampling/createMessage", question)).toMatchObject({
      code: -32603,
      message: expect.stringContaining("The person said no."),
    })
    const one = { ...question, messages: question.messages.slice(1) }
    expect(await answerOf(client, "sampling/createMessage", one)).toMatchObject({ content: { text: "yes" } })
    expect(await answerOf(client, "sampling/createMessage", {})).toMatchObject({ code: -32602 })
  })
})
