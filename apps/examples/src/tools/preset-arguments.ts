// A preset argument is hidden from the model and wins over whatever the model sends.
import { textOf } from "@agentscope-ts/message"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { z } from "zod"

const send = tool({
  name: "send",
  description: "Send email",
  input: z.object({ to: z.email(), subject: z.string(), apiKey: z.string() }),
  execute: ({ to, apiKey }) => `sent to ${to} with a key of ${apiKey.length} characters`,
})

const toolkit = new Toolkit()
toolkit.register(send, { presetArgs: { apiKey: "s3cret" } })
console.log("the model sees:", Object.keys(toolkit.schemas()[0]?.parameters.properties ?? {}).join(", "))
const input = { to: "ann@example.com", subject: "Hi", apiKey: "guessed-by-the-model" }
const { output } = await toolkit.execute({ type: "tool_use", id: "1", name: "send", input }).result
console.log(textOf({ content: output }))

toolkit.updatePresetArgs("send", { apiKey: "k", subject: "From us" })
console.log("then it sees:", Object.keys(toolkit.schemas()[0]?.parameters.properties ?? {}).join(", "))
