import { textOf } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { until } from "./fixtures/processes.ts"
import { rawStdioServer } from "./fixtures/raw-stdio-server.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"

const clientOf = (code: string): StdioMcpClient => new StdioMcpClient({ name: "vault", ...rawStdioServer(code) })

/** A server that shows a tool once another was called; it says beforehand that its list never changes, or nothing. */
const vault = (capability: string): string => `
  methods.initialize = ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: ${capability} }, serverInfo: { name: "vault", version: "1" } })
  tools = [tool("unlock"), tool("lock"), tool("hidden")]
  let lists = 0
  methods["tools/list"] = () => { lists++; return { tools } }
  methods["tools/call"] = ({ name }) => {
    if (!tools.some((tool) => tool.name === name)) fail(-32602, "Unknown tool: " + name)
    if (name === "lists") return text(lists)
    if (name === "unlock") tools = [...tools, tool("secret"), tool("lists")]
    if (name === "lock") tools = tools.filter(({ name }) => name !== "secret")
    const changes = name === "unlock" ? 100 : 1
    for (let i = 0; i < changes; i++) notify("notifications/tools/list_changed")
    return text(name)
  }`

const call = (toolkit: Toolkit, name: string) => toolkit.execute({ type: "tool_use", id: name, name, input: {} }).result

describe("FR-41 tools that change", () => {
  test.each(["{ listChanged: true }", "{ listChanged: false }", "{}"])(
    "a new tool can be used in the next step (capability %s), a removed one says so; filters hold",
    async (capability) => {
      await using client = clientOf(vault(capability))
      const toolkit = new Toolkit()
      await toolkit.register(client, { disable: ["hidden"] })
      const names = () => toolkit.schemas().map(({ name }) => name)
      expect(names()).toEqual(["unlock", "lock"])
      expect((await call(toolkit, "unlock")).state).toBe("success")
      await toolkit.ready()
      expect(names()).toEqual(["unlock", "lock", "secret", "lists"])
      expect((await call(toolkit, "secret")).state).toBe("success")
      await call(toolkit, "lock")
      await toolkit.ready()
      expect(names()).toEqual(["unlock", "lock", "lists"])
      const gone = await call(toolkit, "secret")
      expect(gone.state).toBe("error")
      expect(textOf(gone)).toContain("secret")
    },
  )

  test("a hundred notifications are one refresh", async () => {
    await using client = clientOf(vault("{}"))
    const toolkit = new Toolkit()
    await toolkit.register(client)
    let changes = 0
    const off = client.onToolsChanged(() => changes++)
    await call(toolkit, "unlock")
    await toolkit.ready()
    const told = changes
    expect(told).toBeGreaterThan(0)
    expect(Number(textOf(await client.callTool("lists", {})))).toBeLessThan(4)
    off()
    await client.callTool("lock", {})
    expect(changes).toBe(told)
  })

  test("a tool that is gone fails with the server's words, also without a toolkit", async () => {
    await using client = clientOf(vault("{}"))
    const lock = await client.getTool("lock")
    await client.callTool("unlock", {})
    const secret = await client.getTool("secret")
    await lock.run({})
    await expect(secret.run({})).rejects.toMatchObject({
      code: "server_error",
      details: { code: -32602 },
      message: expect.stringContaining("Unknown tool: secret"),
    })
    await expect(client.getTool("secret")).rejects.toMatchObject({ code: "unknown_tool" })
  })
})

test("prompts, resources and single resources are told of too, also after a new start", async () => {
  await using client = clientOf(`
    const subscribed = new Set()
    methods["resources/subscribe"] = ({ uri }) => { subscribed.add(uri); return {} }
    methods["resources/unsubscribe"] = ({ uri }) => { subscribed.delete(uri); return {} }
    methods["tools/call"] = ({ name }) => {
      if (name === "die") process.exit(1)
      notify("notifications/prompts/list_changed")
      notify("notifications/resources/list_changed")
      for (const uri of subscribed) notify("notifications/resources/updated", { uri })
      return text([...subscribed])
    }`)
  const told = { prompts: 0, resources: 0, a: 0, b: 0 }
  client.onPromptsChanged(() => told.prompts++)
  client.onResourcesChanged(() => told.resources++)
  const leaveA = await client.subscribeResource("test:a", () => told.a++)
  const leaveAgain = await client.subscribeResource("test:a", () => told.a++)
  await client.subscribeResource("test:b", () => told.b++)
  await leaveAgain()
  await client.callTool("change", {})
  await until(() => told.b === 1, "the notifications")
  expect(told).toEqual({ prompts: 1, resources: 1, a: 1, b: 1 })
  await expect(client.callTool("die", {})).rejects.toThrow()
  expect(textOf(await client.callTool("change", {}))).toBe("test:a,test:b")
  await leaveA()
  expect(textOf(await client.callTool("change", {}))).toBe("test:b")
})
