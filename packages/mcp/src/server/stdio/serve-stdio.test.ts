import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { PassThrough } from "node:stream"
import { Toolkit, tool } from "@agentscope-ts/tool"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterEach, describe, expect, test } from "vitest"
import { until } from "../../fixtures/processes.ts"
import { McpServer } from "../mcp-server.ts"

const script = new URL("../../fixtures/stdio-server.ts", import.meta.url).pathname
const args = ["--conditions=@agentscope-ts/source", script]
const children: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

/** The server as a process, and what it wrote so far. */
function started() {
  const child = spawn(process.execPath, args)
  children.push(child)
  const out = { text: "", errors: "" }
  child.stdout.on("data", (chunk: Buffer) => {
    out.text += chunk.toString()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    out.errors += chunk.toString()
  })
  const send = (message: object | string): void => {
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`)
  }
  /** The messages on standard output; throws for a line that is none. */
  const messages = () =>
    out.text
      .slice(0, out.text.lastIndexOf("\n") + 1)
      .replace(/^before\n/, "")
      .split("\n")
      .filter((line) => line !== "" && line !== "after")
      .map((line) => JSON.parse(line) as { id?: unknown; result?: unknown; error?: { code: number }; method?: string })
  return { child, out, send, messages, ended: once(child, "exit") as Promise<[number | null, string | null]> }
}

const rpc = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params })
const hello = rpc(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
})

describe("a server over standard input and output", () => {
  test("serves the SDK's client; whatever else is written goes to standard error", async () => {
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" })
    let errors = ""
    transport.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    const client = new Client({ name: "sdk", version: "1" })
    const problems: string[] = []
    client.onerror = ({ message }) => problems.push(message)
    try {
      await client.connect(transport)
      expect((await client.listTools()).tools).toHaveLength(3)
      for (let i = 0; i < 3; i++) {
        expect(await client.callTool({ name: "noisy" })).toEqual({ content: [{ type: "text", text: "quiet" }] })
      }
      await until(() => errors.match(/a log line\nhalf a line/g)?.length === 3, "the noise")
      expect(errors).toContain("banner")
      // what the program wrote before it served is its own fault
      expect(problems.filter((problem) => !problem.includes("before"))).toEqual([])
    } finally {
      await client.close()
    }
  })

  test("ends by itself when its input does: calls are aborted, and standard output is given back", async () => {
    const { child, out, send, messages, ended } = started()
    send(hello)
    send({ ...rpc(1, "tools/call", { name: "endless" }), params: { name: "endless", _meta: { progressToken: "p" } } })
    await until(() => out.text.includes("notifications/progress"), "the call")
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect(out.errors).toContain("aborted")
    expect(out.text).toMatch(/after\n$/)
    expect(messages().some(({ id }) => id === 1)).toBe(false)
  })

  test.for(["SIGTERM", "SIGINT"] as const)("ends by %s, as a process that was told to", async (signal) => {
    const { child, send, out, ended } = started()
    send(hello)
    await until(() => out.text.includes('"id":0'), "the answer")
    child.kill(signal)
    expect(await ended).toEqual([null, signal])
  })

  test("answers what was asked before its input ended", async () => {
    const { child, send, messages, ended } = started()
    send(hello)
    for (let id = 1; id <= 20; id++) send(rpc(id, "tools/call", { name: "huge" }))
    await until(() => messages().length >= 21, "the answers")
    child.stdin.end()
    await ended
    expect(messages()).toHaveLength(21)
  })

  test("answers garbage, and goes on", async () => {
    const { send, messages } = started()
    send("\uFEFF")
    send("")
    send("{")
    send("[]")
    send('{"jsonrpc":"2.0","id":7}')
    send(hello)
    await until(() => messages().some(({ id }) => id === 0), "the version that was agreed on")
    send(JSON.stringify([rpc(3, "ping")]))
    send(rpc(4, "no/such"))
    send(rpc(5, "ping"))
    await until(() => messages().some(({ id }) => id === 5), "the last answer")
    expect(messages().map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [0, undefined],
      [null, -32600],
      [4, -32601],
      [5, undefined],
    ])
  })

  test("ends the connection over a message without end", async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const server = new McpServer({ name: "t", version: "1", toolkit: new Toolkit() })
    const serving = server.serveStdio({ input, output })
    const chunk = Buffer.alloc(1024 * 1024, 97)
    await until(() => input.listenerCount("data") > 0, "the server")
    for (let i = 0; i < 17; i++) input.write(chunk)
    await serving
    expect(String(output.read())).toContain("longer than")
    expect(input.listenerCount("data") + input.listenerCount("end") + input.listenerCount("close")).toBeLessThan(5)
  })

  test("leaves progress out for a client that does not read, but never an answer", async () => {
    const input = new PassThrough()
    const output = new PassThrough({ highWaterMark: 1 })
    const chatty = tool({
      name: "chatty",
      description: "Reports a lot",
      input: { type: "object", properties: {} },
      execute: async (_input, { emit }) => {
        await Promise.resolve()
        for (let i = 0; i < 5000; i++) emit("x".repeat(1000))
        return "done"
      },
    })
    const server = new McpServer({ name: "t", version: "1", toolkit: new Toolkit({ tools: [chatty] }) })
    const serving = server.serveStdio({ input, output })
    const call = { ...rpc(1, "tools/call"), params: { name: "chatty", _meta: { progressToken: 1 } } }
    input.write(`${JSON.stringify(hello)}\n${JSON.stringify(call)}\n`)
    let text = ""
    await until(() => output.writableLength > 1024 * 1024, "the flood")
    await new Promise((resolve) => setImmediate(resolve))
    output.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    await until(() => text.includes('"done"'), "the answer")
    expect(text.length).toBeLessThan(3_000_000)
    await server.close()
    await serving
  })
})
