// Any object with the shape of a tool is one: for tools that are made of something else.
import { textOf } from "@agentscope-ts/message"
import { type Tool, Toolkit } from "@agentscope-ts/tool"

class CustomTool implements Tool<{ query: string }, string> {
  readonly name = "custom_tool"
  readonly description = "Custom tool"
  readonly external = false
  readonly strict = true
  readonly schema = {
    name: this.name,
    description: this.description,
    strict: true,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "Query" } },
      required: ["query"],
    },
  } as const

  run({ query }: { query: string }) {
    return Promise.resolve(`Result: ${query}`)
  }
}

const toolkit = new Toolkit({ tools: [new CustomTool()] })
console.log(toolkit.schemas())
for (const input of [{ query: "tea" }, { query: 7 }]) {
  const { state, output } = await toolkit.execute({ type: "tool_use", id: "1", name: "custom_tool", input }).result
  console.log(state, textOf({ content: output }))
}
