import { delimiter } from "node:path"
import { McpServer } from "@agentscope-ts/mcp"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { expect, it } from "vitest"
import { z } from "zod"
import { startLoopback } from "./fixtures/loopback-openai.ts"
import { path, run } from "./fixtures/run-program.ts"

const search = tool({
  name: "search",
  description: "Search the web",
  effects: "none",
  input: z.object({ query: z.string() }),
  execute: ({ query }) => `${query}: elicitation\n${query}: cooking\n${query}: Elicitation again`,
})
const summarize = tool({
  name: "summarize",
  description: "Summarise a text",
  effects: "none",
  input: z.object({ text: z.string() }),
  execute: ({ text }) => `${text.split("\n").length} lines`,
})

it("09-mcp drives a browser over stdio, and composes tools of two servers over HTTP", async () => {
  const asked: string[] = []
  const serve = (name: string, served: typeof search | typeof summarize) =>
    new McpServer({ name, version: "1.0.0", toolkit: new Toolkit({ tools: [served] }) })
  await using web = serve("web", search)
  await using notes = serve("notes", summarize)
  const [atWeb, atNotes] = await Promise.all([web.listen(), notes.listen({ token: "n-1" })])
  await using model = await startLoopback((_, count) => {
    if (count === 1) return { name: "browser_navigate", arguments: '{"url":"https://example.com"}' }
    if (count === 2) return { name: "research", arguments: '{"topic":"MCP","keep":"elicitation"}' }
    return { text: "Much." }
  })
  const { output, status } = await run("09-mcp.ts", model.url, ["--import", path("fixtures/mcp-hosts.mjs")], {
    env: {
      PATH: `${path("fixtures/bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      NOTES_TOKEN: "n-1",
      MCP_HOSTS: JSON.stringify({ "search.example.com": atWeb.url, "notes.example.com": atNotes.url }),
    },
  })
  expect({ output, status }).toEqual({ output: "Much.\n", status: 0 })
  for (const { tools } of model.requests) asked.push(...(tools?.map((one) => one.function.name) ?? []))
  expect(new Set(asked)).toEqual(new Set(["research", "reset_tools", "browser_navigate"]))
  const told = model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content)
  expect(told).toEqual(["@playwright/mcp --headless at https://example.com", "2 lines"])
  // the program closed what it had opened
  expect([web.sessionCount, notes.sessionCount]).toEqual([0, 0])
})
