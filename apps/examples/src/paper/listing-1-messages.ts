// Paper, Listing 1: messages, made by hand.
import { assistantMsg, createMsg, textOf, toolUsesOf } from "@agentscope-ts/message"

// a text
const textual = assistantMsg("Hello! How can I help you?", { name: "Jarvis" })

// a call of a tool
const toolCall = createMsg({
  name: "Jarvis",
  role: "assistant",
  content: [{ type: "tool_use", id: "xxx", name: "get_weather", input: { location: "Beijing" } }],
})

console.log(textual.name, textual.role, textOf(textual))
for (const { id, name, input } of toolUsesOf(toolCall)) console.log(toolCall.name, id, name, input)
// plain data: what is stored or sent is what comes back
console.log(structuredClone(JSON.parse(JSON.stringify(toolCall))).id === toolCall.id)
