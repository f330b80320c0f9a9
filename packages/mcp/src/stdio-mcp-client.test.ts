import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { childPids, isRunning, until } from "./fixtures/processes.ts"
import { rawStdioServer } from "./fixtures/raw-stdio-server.ts"
import type { McpEvent, StdioOptions } from "./mcp-options.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"

/** A client of a few lines of JavaScript. */
function clientOf(code: string, more: Partial<StdioOptions> = {}): StdioMcpClient {
  return new StdioMcpClient({ name: "raw", ...rawStdioServer(code), ...more })
}

const pid = `tools = [tool("pid")]; methods["tools/call"] = () => text(process.pid)`
const pidOf = async (client: StdioMcpClient): Promise<number> => Number(textOf(await client.callTool("pid", {})))

describe("the life of a connection", () => {
  test("connects when it has to, or by connect(), which may be called again", async () => {
    await using client = clientOf(pid)
    expect(client.isConnected).toBe(false)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["pid"])
    const first = await pidOf(client)
    expect(await client.connect()).toBe(client)
    expect(await (await client.connect()).connect()).toBe(client)
    expect(await pidOf(client)).toBe(first)
    expect(client.server).toMatchObject({ name: "raw", version: "1" })
  })

  test("requests at the same time share one connection", async () => {
    await using client = clientOf(pid)
    const pids = await Promise.all([1, 2, 3, 4].map(() => pidOf(client)))
    expect(new Set(pids).size).toBe(1)
  })

  test("close() ends the process, takes a second call, and starts no new child", async () => {
    const client = clientOf(pid)
    const server = await pidOf(client)
    await Promise.all([client.close(), client.close()])
    expect(isRunning(server)).toBe(false)
    await client.close()
    await expect(client.callTool("pid", {})).rejects.toMatchObject({ code: "client_closed" })
    await expect(client.listTools()).rejects.toMatchObject({ code: "client_closed" })
    expect(childPids()).toEqual([])
    await client.connect()
    expect(await pidOf(client)).not.toBe(server)
    await client.close()
  })

  test("what is under way fails when the client is closed", async () => {
    const client = clientOf(`methods["tools/call"] = () => undefined`)
    await client.connect()
    const call = client.callTool("slow", {})
    const failure = expect(call).rejects.toMatchObject({ code: "connection_closed" })
    await client.close()
    await failure
  })

  test("several clients close in any order", async () => {
    const clients = await Promise.all([1, 2, 3].map(() => clientOf(pid).connect()))
    for (const client of clients) await client.close()
    const more = await Promise.all([1, 2, 3].map(() => clientOf(pid).connect()))
    for (const client of more.toReversed()) await client.close()
    expect(childPids()).toEqual([])
  })

  test("close() while it connects takes the attempt back", async () => {
    const client = clientOf(`methods.initialize = () => undefined`)
    const connecting = expect(client.connect()).rejects.toMatchObject({ code: "client_closed" })
    await until(() => childPids().length > 0, "the process")
    await client.close()
    await connecting
    expect(childPids()).toEqual([])
  })

  test("an aborted connect() leaves nothing, and does not end it for others", async () => {
    const silent = clientOf(`methods.initialize = () => undefined`)
    const controller = new AbortController()
    const connecting = expect(silent.connect({ signal: controller.signal })).rejects.toThrow("enough")
    await until(() => childPids().length > 0, "the process")
    controller.abort(new TypeError("enough"))
    await connecting
    await until(() => childPids().length === 0, "the end of the process")
    await silent.close()

    await using client = clientOf(pid)
    const one = client.connect({ signal: AbortSignal.abort(new TypeError("at once")) })
    await expect(one).rejects.toThrow("at once")
    const leaving = new AbortController()
    const left = expect(client.connect({ signal: leaving.signal })).rejects.toThrow("left")
    const stays = client.connect()
    leaving.abort(new TypeError("left"))
    await left
    await stays
    expect(client.isConnected).toBe(true)
  })

  test("a connection that is never made ends after connectTimeoutMs", async () => {
    const client = clientOf(`console.error("thinking"); methods.initialize = () => undefined`, {
      connectTimeoutMs: 300,
    })
    await expect(client.connect()).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("did not answer initialize within 300 ms"),
    })
    expect(childPids()).toEqual([])
    await client.close()
  })

  test("a server that does not answer in time: what it wrote, and what to do", async () => {
    const client = clientOf(
      `raw("Downloading 1/9\\nEnter your key: "); console.error("TOKEN is not set")
      process.on("exit", () => console.error("going")); methods.initialize = () => undefined`,
      { connectTimeoutMs: 1000 },
    )
    const failure = client.connect()
    await expect(failure).rejects.toMatchObject({ code: "timeout" })
    await expect(failure).rejects.toThrow(
      /raise connectTimeoutMs.*env.*is not MCP.*"Downloading 1\/9\\nEnter your key:"\. The end of its standard error:\nTOKEN is not set$/s,
    )
    const mute = clientOf("methods.initialize = () => undefined", { connectTimeoutMs: 300 })
    await expect(mute.connect()).rejects.toThrow(/raise connectTimeoutMs.*It wrote nothing/)
  })

  test.each([
    ["a word", "hello"],
    ["a line", "hello\\n"],
    ["a long text", "hello ".repeat(10_000)],
    ["JSON of another kind", '{\\"hello\\": 1}\\n'],
  ])("a command that is no MCP server and writes %s: says so, with the beginning", async (_what, output) => {
    const args = ["-e", `process.stdout.write("${output}")`]
    const failure = new StdioMcpClient({ name: "x", command: process.execPath, args }).connect()
    await expect(failure).rejects.toMatchObject({ code: "connect_failed" })
    await expect(failure).rejects.toThrow(/is not MCP.*began with \W*hello.*exited with code 0/s)
    const { message } = (await failure.catch((error: unknown) => error)) as Error
    expect(message.length).toBeLessThan(1200)
  })

  test("says where arguments go that were put into the command", async () => {
    const client = new StdioMcpClient({ name: "x", command: "npx -y foo" })
    await expect(client.connect()).rejects.toMatchObject({
      code: "command_not_found",
      message: expect.stringContaining('Arguments go in args: command: "npx", args: ["-y", "foo"].'),
    })
  })

  test("names what cannot be started", async () => {
    await expect(new StdioMcpClient({ name: "x", command: "no-such-command" }).connect()).rejects.toMatchObject({
      code: "command_not_found",
      message: expect.stringContaining('no command "no-such-command" on its PATH'),
    })
    const nowhere = clientOf(pid, { cwd: "/no/such/folder" })
    await expect(nowhere.connect()).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("/no/such/folder does not exist"),
    })
    expect(() => new StdioMcpClient({ name: "x", command: "" })).toThrow("no command")
    expect(() => clientOf(pid, { name: "" })).toThrow("needs a name")
    expect(() => clientOf(pid, { timeoutMs: 0 })).toThrow("timeoutMs 0")
  })

  test("the server ends with all that it started, also when it heeds neither its input's end nor SIGTERM", async () => {
    const child = `const child = require("node:child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: "ignore" })`
    const client = clientOf(`${child}; process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);
      methods["tools/call"] = () => text([process.pid, child.pid])`)
    const pids = textOf(await client.callTool("pids", {}))
      .split(",")
      .map(Number)
    expect(pids.map(isRunning)).toEqual([true, true])
    await client.close()
    await until(() => !pids.some(isRunning), "the end of the processes")
  })

  test("fifty connections leave no process and no handle", async () => {
    const cycle = async (): Promise<void> => {
      await using client = clientOf(pid)
      await client.listTools()
    }
    await cycle()
    const before = process.getActiveResourcesInfo().length
    const listeners = process.listenerCount("exit")
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 5 }, cycle))
    await until(() => process.getActiveResourcesInfo().length <= before, "the handles to go")
    expect(childPids()).toEqual([])
    expect(process.listenerCount("exit")).toBe(listeners)
  }, 60_000)
})

describe("FR-37 a server that dies", () => {
  const dies = `tools = [tool("die"), tool("pid")]
    methods["tools/call"] = ({ name }) => {
      if (name === "pid") return text(process.pid)
      console.error("fatal: the disk is full")
      process.exit(1)
    }`

  test("fails the pending call at once with the end of its standard error; the next call starts it again", async () => {
    const events: McpEvent[] = []
    await using client = clientOf(dies, { onEvent: (event) => events.push(event) })
    const first = await pidOf(client)
    const other = expect(client.callTool("never", {})).rejects.toMatchObject({ code: "server_exited" })
    const began = performance.now()
    await expect(client.callTool("die", {})).rejects.toMatchObject({
      code: "server_exited",
      retryable: false,
      message: expect.stringMatching(/during tools\/call.*exited with code 1.*\n.*fatal: the disk is full/s),
    })
    await other
    expect(performance.now() - began).toBeLessThan(3000)
    expect(await pidOf(client)).not.toBe(first)
    expect(events.map(({ type }) => type)).toContain("lost")
  })

  test("is not started for ever; connect() tries anew", async () => {
    await using client = clientOf(dies)
    for (let i = 0; i < 5; i++) {
      await expect(client.callTool("die", {})).rejects.toMatchObject({ code: "server_exited" })
    }
    await expect(client.callTool("pid", {})).rejects.toMatchObject({ code: "reconnect_limit" })
    expect(childPids()).toEqual([])
    await client.connect()
    expect(await pidOf(client)).toBeGreaterThan(0)
  })

  test("the dead call is not made a second time", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "mcp-calls-")), "calls")
    await using client = clientOf(`const fs = require("node:fs")
      methods["tools/call"] = ({ name }) => {
        if (name === "count") return text(fs.readFileSync(${JSON.stringify(file)}, "utf8"))
        fs.appendFileSync(${JSON.stringify(file)}, "x")
        process.kill(process.pid, "SIGKILL")
      }`)
    try {
      await expect(client.callTool("die", {})).rejects.toThrow("was ended by SIGKILL")
      expect(textOf(await client.callTool("count", {}))).toBe("x")
    } finally {
      rmSync(dirname(file), { recursive: true, force: true })
    }
  })

  test("before it answers initialize: connecting fails with its last words", async () => {
    const client = clientOf(`console.error("no licence"); process.exit(3)`)
    await expect(client.connect()).rejects.toMatchObject({
      code: "connect_failed",
      message: expect.stringMatching(/exited with code 3.*\n.*no licence/s),
    })
  })

  test("while nothing is under way: the next call starts it again", async () => {
    await using client = clientOf(pid)
    const first = await pidOf(client)
    process.kill(first, "SIGKILL")
    await until(() => !client.isConnected, "the loss")
    expect(await pidOf(client)).not.toBe(first)
  })

  test("a child that holds its pipes open does not hold the failure back", async () => {
    await using client = clientOf(`require("node:child_process").spawn("sleep", ["60"], { stdio: "inherit" })
      methods["tools/call"] = () => process.exit(1)`)
    await expect(client.callTool("die", {})).rejects.toMatchObject({ code: "server_exited" })
  })
})

describe("FR-40 banner and noise", () => {
  test("lines that are no messages are skipped with an event; also banners without a line break", async () => {
    const events: McpEvent[] = []
    await using client = clientOf(
      `raw("STDIO MCP Server started\\n\\n\\uFEFF{not json}\\n42\\n{\\"level\\":\\"info\\"}\\nStarting… ")
      tools = [tool("echo")]
      methods["tools/call"] = () => { raw("[debug] called\\r\\n"); raw("progress: 50%"); return text("über 😀") }`,
      { onEvent: (event) => events.push(event) },
    )
    expect(textOf(await client.callTool("echo", {}))).toBe("über 😀")
    expect(events.filter(({ type }) => type === "noise").map(({ text }) => text)).toEqual([
      "STDIO MCP Server started",
      "{not json}",
      "42",
      '{"level":"info"}',
      "Starting… ",
      "[debug] called",
      "progress: 50%",
    ])
  })

  test("5 MB on standard error is no error, and is kept in bounded memory", async () => {
    await using client = clientOf(`methods["tools/call"] = ({ name }) => {
        for (let i = 0; i < 5 * 1024; i++) process.stderr.write("x".repeat(1023) + "\\n")
        if (name === "noise") return text("fine")
        process.stderr.write("the end", () => process.exit(1))
      }`)
    expect(textOf(await client.callTool("noise", {}))).toBe("fine")
    const failure: unknown = await client.callTool("die", {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: "server_exited", message: expect.stringMatching(/the end$/) })
    expect((failure as Error).message.length).toBeLessThan(3000)
  })

  test("messages are read in whatever pieces they come", async () => {
    await using client = clientOf(`methods["tools/call"] = async (params, { id }) => {
        const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: text("héllo 漢字 😀") }) + "\\n")
        for (const byte of bytes) { raw(Buffer.from([byte])); await new Promise(setImmediate) }
      }`)
    expect(textOf(await client.callTool("bytes", {}))).toBe("héllo 漢字 😀")
  })

  test("a batch of messages on one line", async () => {
    await using client = clientOf(`methods["tools/call"] = (params, { id }) => {
        raw(JSON.stringify([
          { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
          { jsonrpc: "2.0", id, result: text("both") },
        ]) + "\\n")
      }`)
    expect(textOf(await client.callTool("batch", {}))).toBe("both")
  })

  test("messages that share a line, and answers with a null beside them", async () => {
    await using client = clientOf(`methods["tools/call"] = (params, { id }) => {
        const log = { method: "notifications/message", params: { level: "info", data: "x" }, jsonrpc: "2.0" }
        raw("[1/2] " + JSON.stringify(log) + JSON.stringify({ result: text("both"), error: null, id, jsonrpc: "2.0" }) + " done\\n")
      }`)
    expect(textOf(await client.callTool("line", {}))).toBe("both")
  })

  test.each([
    ['{ result: { content: [] }, error: { code: 1, message: "x" } }', "both a result and an error"],
    ["{ result: { content: [] }, meta: 1 }", "a member that no answer has"],
    ['{ error: "no" }', "an error that is none"],
    ["{ result: null }", "no result"],
  ])("the answer %s fails at once: %s", async (answer) => {
    await using client = clientOf(`methods["tools/call"] = (params, { id }) => send({ id, ...${answer} })`)
    await expect(client.callTool("t", {})).rejects.toMatchObject({ code: "invalid_response" })
  })

  test("noise is told in 2,000 characters", async () => {
    const told: number[] = []
    await using client = clientOf(`raw("x".repeat(100_000) + "\\n")`, { onEvent: ({ text }) => told.push(text.length) })
    await client.ping()
    expect(told).toContain(2000)
    expect(Math.max(...told)).toBe(2000)
  })

  test("a server that closes its standard output and lives on is ended, and its call fails", async () => {
    await using client = clientOf(`methods["tools/call"] = () => {
        require("node:fs").closeSync(1)
        setInterval(() => {}, 1000)
      }`)
    await expect(client.callTool("mute", {})).rejects.toMatchObject({
      code: "server_exited",
      message: expect.stringContaining("It closed its standard output"),
    })
    expect(childPids()).toEqual([])
  })

  test("a message without end is cut off, and the server with it", async () => {
    await using client = clientOf(`methods["tools/call"] = () => {
        const piece = "x".repeat(1024 * 1024)
        const more = () => process.stdout.write(piece, more)
        more()
      }`)
    await expect(client.callTool("endless", {})).rejects.toMatchObject({
      message: expect.stringContaining("a message of more than 64 MiB"),
    })
    expect(childPids()).toEqual([])
  })
})

describe("FR-39 the environment", () => {
  test("giving variables keeps PATH; keys of this process are not handed on", async () => {
    process.env["SECRET_API_KEY"] = "s3cret"
    try {
      await using client = clientOf(`methods["tools/call"] = () => text(JSON.stringify(process.env))`, {
        command: "node",
        env: { TOKEN: "x" },
      })
      const env = JSON.parse(textOf(await client.callTool("env", {}))) as Record<string, string>
      expect(env).toMatchObject({ TOKEN: "x", PATH: process.env["PATH"] })
      expect(env).not.toHaveProperty("SECRET_API_KEY")
    } finally {
      delete process.env["SECRET_API_KEY"]
    }
  })
})
