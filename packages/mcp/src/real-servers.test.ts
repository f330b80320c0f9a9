import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { childPids, until } from "./fixtures/processes.ts"
import { HttpMcpClient } from "./http-mcp-client.ts"
import type { McpOptions, StdioOptions } from "./mcp-options.ts"
import { StatelessMcpClient } from "./stateless-mcp-client.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"

/** The program of a server from npm. */
function programOf(server: string): string {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve(`@modelcontextprotocol/server-${server}/package.json`)
  const { bin } = require(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), Object.values(bin)[0] ?? "")
}

const stdio = (server: string, args: readonly string[] = [], more: Partial<StdioOptions> = {}): StdioOptions => ({
  name: server,
  command: process.execPath,
  args: [programOf(server), ...args],
  ...more,
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** server-everything over HTTP, as a process. */
async function everythingOver(transport: "streamableHttp" | "sse") {
  const port = await freePort()
  const child = spawn(process.execPath, [programOf("everything"), transport], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let said = ""
  const hear = (chunk: Buffer): void => {
    said += chunk.toString()
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  await until(() => /port/i.test(said), "the server", 15_000)
  return {
    url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await gone
    },
  }
}

describe("server-everything", () => {
  const person: Partial<McpOptions> = {
    roots: ["/tmp"],
    onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    sampling: new ScriptedModel(["a haiku", "another"]),
  }

  /** What every transport has to be able to do. */
  async function tour(client: StdioMcpClient | HttpMcpClient, logs: unknown[]): Promise<void> {
    const tools = await client.listTools()
    expect(tools.map(({ mcp }) => mcp.name)).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]))
    const run = async (name: string, input: Record<string, string | number>) => (await client.getTool(name)).run(input)
    expect(textOf(await run("echo", { message: "hello 漢字" }))).toBe("Echo: hello 漢字")
    const weather = await run("get-structured-content", { location: "New York" })
    expect(weather.structured).toEqual({ temperature: 33, conditions: "Cloudy", humidity: 82 })
    expect((await run("get-tiny-image", {})).content.map(({ type }) => type)).toContain("image")
    expect(textOf(await run("get-resource-links", { count: 2 }))).toContain("[Resource demo://")
    await expect(run("get-sum", { a: "one", b: 2 })).rejects.toMatchObject({ code: "invalid_input" })
    expect(await client.callTool("get-sum", { a: "one", b: 2 })).toMatchObject({ state: "error" })

    const heard: number[] = []
    const onProgress = ({ progress }: { readonly progress: number }) => heard.push(progress)
    await client.callTool("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onProgress })
    expect(heard).toEqual([1, 2, 3, 4])

    expect(textOf(await client.callTool("get-roots-list", {}))).toContain("file:///tmp")
    expect(textOf(await client.callTool("trigger-elicitation-request", {}))).toContain("Ada")
    const sampled = await client.callTool("trigger-sampling-request", { prompt: "write", maxTokens: 10 })
    expect(textOf(sampled)).toMatch(/haiku|another/)

    const resources = await client.listResources()
    const [first] = resources
    expect(resources.length).toBeGreaterThan(3)
    const [contents] = await client.readResource(first?.uri ?? "")
    expect(contents).toMatchObject({ uri: first?.uri, text: expect.any(String) })
    expect((await client.listResourceTemplates()).length).toBeGreaterThan(0)
    const [list, read] = client.resourceTools()
    expect(textOf((await list?.run({})) ?? { content: [] })).toContain("(template)")
    expect(textOf((await read?.run({ uri: first?.uri ?? "" })) ?? { content: [] })).toContain(`[${first?.uri}]`)
    await expect(client.readResource("demo://resource/none")).rejects.toMatchObject({ code: "server_error" })

    const prompts = await client.promptTools()
    expect(prompts.map(({ name }) => name)).toContain("args-prompt")
    const prompt = await client.getPrompt("args-prompt", { city: "Oslo" })
    expect(prompt).toMatchObject([{ role: "user", content: [{ type: "text", text: expect.stringContaining("Oslo") }] }])
    expect(
      textOf((await prompts.find(({ name }) => name === "args-prompt")?.run({ city: "Oslo" })) ?? { content: [] }),
    ).toContain("user: What")
    await expect(client.getPrompt("args-promt", { city: "Oslo" })).rejects.toMatchObject({
      code: "unknown_prompt",
      message: expect.stringContaining('Did you mean "args-prompt"?'),
    })
    const completion = await client.complete({ prompt: "completable-prompt" }, { name: "department", value: "E" })
    expect(completion.values).toEqual(["Engineering"])

    await client.setLogLevel("debug")
    await client.setRoots(["/", "/var"])
    await until(() => JSON.stringify(logs).includes("2 root(s)"), "the new roots")
    await client.ping()
  }

  test("over stdio", async () => {
    const logs: unknown[] = []
    await using client = new StdioMcpClient(
      stdio("everything", ["stdio"], { ...person, onLog: (log) => logs.push(log) }),
    )
    await tour(client, logs)
  })

  test.each(["streamableHttp", "sse"] as const)("over %s", async (transport) => {
    await using server = await everythingOver(transport)
    const logs: unknown[] = []
    const over = transport === "sse" ? ({ transport: "sse" } as const) : {}
    const sampling = new ScriptedModel(["a haiku"])
    await using client = new HttpMcpClient({
      name: "everything",
      url: server.url,
      ...over,
      ...person,
      sampling,
      onLog: (log) => logs.push(log),
    })
    await tour(client, logs)
  })

  test("without a connection to keep: over stdio, and over HTTP", async () => {
    const client = new StatelessMcpClient(stdio("everything", ["stdio"]))
    expect((await client.listTools()).length).toBeGreaterThan(10)
    const echo = await client.getTool("echo")
    const answers = await Promise.all(["a", "b"].map((message) => echo.run({ message })))
    expect(answers.map((answer) => textOf(answer))).toEqual(["Echo: a", "Echo: b"])
    expect(childPids()).toEqual([])
    await using server = await everythingOver("streamableHttp")
    const remote = new StatelessMcpClient({ name: "everything", url: server.url, toolNames: "prefixed" })
    const toolkit = new Toolkit()
    await toolkit.register(remote, { enable: ["mcp__everything__echo"], presetArgs: { message: "preset" } })
    expect(toolkit.schemas()).toMatchObject([{ name: "mcp__everything__echo", parameters: { properties: {} } }])
    const result = await toolkit.execute({ type: "tool_use", id: "1", name: "mcp__everything__echo", input: {} }).result
    expect(textOf(result)).toBe("Echo: preset")
  })
})

describe("other servers from npm", () => {
  test("filesystem keeps to its folders; a toolkit groups and filters it", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "mcp-files-")))
    try {
      await using client = new StdioMcpClient(stdio("filesystem", [root]))
      const toolkit = new Toolkit()
      toolkit.createGroup({ name: "files", description: "Files", active: true })
      await toolkit.register(client, {
        group: "files",
        disable: ["move_file"],
        presetArgs: { path: join(root, "a.txt") },
      })
      const call = (name: string, input: Record<string, string>) =>
        toolkit.execute({ type: "tool_use", id: name, name, input }).result
      expect(await call("write_file", { content: "grüße" })).toMatchObject({ state: "success" })
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("grüße")
      expect(textOf(await call("read_text_file", {}))).toBe("grüße")
      expect((await call("move_file", {})).state).toBe("error")
      const outside = await client.callTool("read_text_file", { path: "/etc/passwd" })
      expect(outside.state).toBe("error")
      expect((await client.getTool("read_text_file")).effects).toBe("none")
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  test("memory and sequential thinking", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-memory-"))
    try {
      await using memory = new StdioMcpClient(
        stdio("memory", [], { env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } }),
      )
      await memory.callTool("create_entities", {
        entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }],
      })
      expect(textOf(await memory.callTool("search_nodes", { query: "tea" }))).toContain("Ada")
      await using thinking = new StdioMcpClient(stdio("sequential-thinking"))
      const step = { thought: "x", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
      expect(await thinking.callTool("sequentialthinking", step)).not.toHaveProperty("state")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
