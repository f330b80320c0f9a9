// What a tool returns: text stays as it is, anything else becomes JSON, and a tool response says all of it itself.
import { textOf } from "@agentscope-ts/message"
import { tool, Toolkit, toolResponse } from "@agentscope-ts/tool"

const input = { type: "object", properties: {} } as const
const image = { type: "image", source: { type: "url", url: "https://example.com/chart.png" } } as const

const toolkit = new Toolkit({
  tools: [
    tool({ name: "text", description: "Text", input, execute: () => 'say "hi"' }),
    tool({ name: "number", description: "A number", input, execute: () => 42 }),
    tool({ name: "object", description: "An object", input, execute: () => ({ city: "Hangzhou", celsius: 21 }) }),
    tool({ name: "later", description: "A promise", input, execute: () => Promise.resolve(["a", "b"]) }),
    tool({ name: "nothing", description: "Nothing", input, execute: () => {} }),
    tool({
      name: "picture",
      description: "A picture",
      input,
      execute: () => toolResponse([{ type: "text", text: "The chart:" }, image], { structured: { max: 9 } }),
    }),
    tool({
      name: "refusal",
      description: "An error",
      input,
      execute: () => toolResponse("No such city.", { state: "error" }),
    }),
  ],
})

for (const { name } of toolkit.schemas()) {
  const { state, output } = await toolkit.execute({ type: "tool_use", id: name, name, input: {} }).result
  console.log(
    name,
    state,
    JSON.stringify(textOf({ content: output })),
    output.filter(({ type }) => type !== "text").length,
  )
}
