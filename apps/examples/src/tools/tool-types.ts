// Sync, async and streaming tools: whatever `execute` returns becomes the result, and what it emits is progress.
import { type JsonObject, textOf, type ToolUseBlock } from "@agentscope-ts/message"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { z } from "zod"

const add = tool({
  name: "add",
  description: "Sum of two numbers",
  effects: "none",
  input: z.object({ a: z.number().describe("First number"), b: z.number().describe("Second number") }),
  execute: ({ a, b }) => a + b,
})
const search = tool({
  name: "search",
  description: "Async search",
  effects: "none",
  input: z.object({ query: z.string() }),
  async execute({ query }, { signal }) {
    const response = await fetch(`data:text/plain,hits for ${query}`, { signal })
    return response.text()
  },
})
const generate = tool({
  name: "generate",
  description: "Generate data",
  input: z.object({ count: z.int() }),
  execute({ count }, ctx) {
    for (let i = 0; i < count; i++) ctx.emit({ done: i })
    return "Completed"
  },
})
const list = tool({
  name: "list",
  description: "List rows as they come",
  effects: "none",
  input: z.object({}),
  async *execute() {
    yield await Promise.resolve("row 1\n")
    yield "row 2\n"
  },
})

const toolkit = new Toolkit({ tools: [add, search, generate, list] })
const call = (name: string, input: JsonObject): ToolUseBlock => ({ type: "tool_use", id: "call_1", name, input })

for (const use of [
  call("add", { a: 2, b: 3 }),
  call("search", { query: "tea" }),
  call("generate", { count: 2 }),
  call("list", {}),
]) {
  const run = toolkit.execute(use)
  for await (const chunk of run) if (chunk.type === "progress") console.log("progress", chunk.data)
  console.log(use.name, JSON.stringify(textOf({ content: (await run.result).output })))
}
