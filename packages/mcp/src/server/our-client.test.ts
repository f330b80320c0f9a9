import { textOf } from "@agentscope-ts/message"
import { Toolkit, tool, toolResponse } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { until } from "../fixtures/processes.ts"
import { HttpMcpClient } from "../http-mcp-client.ts"
import { StdioMcpClient } from "../stdio-mcp-client.ts"
import { McpServer } from "./mcp-server.ts"
import { McpSession } from "./mcp-session.ts"

const none = { type: "object", properties: {} } as const

test("our client and our server understand each other: values, media, questions, groups and their changes", async () => {
  const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const
  const tools = [
    tool({
      name: "look",
      description: "Shows",
      input: none,
      output: { type: "object", properties: { n: { type: "integer" } } },
      effects: "none",
      execute: () => toolResponse([{ type: "text", text: "see" }, image], { structured: { n: 1 } }),
    }),
    tool({
      name: "ask",
      description: "Asks",
      input: none,
      execute: async (_input, { get }) => JSON.stringify((await get(McpSession).elicit("Sure?", none)).action),
    }),
  ]
  const extra = tool({ name: "extra", description: "More", input: none, execute: () => "more" })
  const served = new Toolkit({ tools, groups: [{ name: "more", description: "More", tools: [extra] }] })
  await using server = new McpServer({ name: "ours", version: "1", toolkit: served })
  const { url } = await server.listen()
  await using client = await new HttpMcpClient({
    name: "ours",
    url,
    onElicitation: () => ({ action: "accept", content: {} }),
  }).connect()
  const toolkit = new Toolkit()
  await toolkit.register(client, { onNameClash: "rename" })
  const look = await client.getTool("look")
  expect(look.effects).toBe("none")
  expect(await look.run({})).toMatchObject({ content: [{ type: "text", text: "see" }, image], structured: { n: 1 } })
  expect(textOf(await client.callTool("ask", {}))).toBe('"accept"')
  let changes = 0
  client.onToolsChanged(() => {
    changes++
  })
  await client.callTool("reset_tools", { more: true })
  await until(() => changes > 0, "the change")
  expect((await client.listTools()).map(({ name }) => name)).toContain("extra")
})

test("our client starts our server as a process, and ends it", async () => {
  const script = new URL("../fixtures/stdio-server.ts", import.meta.url).pathname
  await using client = await new StdioMcpClient({
    name: "noisy",
    command: process.execPath,
    args: ["--conditions=@agentscope-ts/source", script],
  }).connect()
  expect(textOf(await client.callTool("noisy", {}))).toBe("quiet")
  expect(textOf(await client.callTool("huge", {}))).toHaveLength(90_000)
})
