// Business objects reach a tool by class or key; the model knows nothing of them.
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { contextKey, tool } from "@agentscope-ts/tool"
import { z } from "zod"

class UserContext {
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}
const region = contextKey<string>("region", "eu")

const query = tool({
  name: "query",
  description: "Query user data",
  effects: "none",
  input: z.object({ sql: z.string() }),
  execute: ({ sql }, ctx) => `${sql} for ${ctx.get(UserContext).userId} in ${ctx.get(region)}`,
})

const asks = { toolUses: [{ name: "query", input: { sql: "select 1" } }] }
using model = new ScriptedModel([asks, "Done.", asks, "Done."])
const agent = new ReActAgent({
  name: "Assistant",
  systemPrompt: "Help.",
  model,
  tools: [query],
  context: [new UserContext("user-123")],
})
await agent.reply("Look it up.")
await agent.reply("And there?", { context: [region.of("us"), new UserContext("user-456")] }) // the call's over the agent's
for (const msg of await agent.memory.get())
  for (const { output } of toolResultsOf(msg)) console.log(textOf({ content: output }))
