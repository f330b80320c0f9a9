// A tool may wait for somebody outside; one of which only the schema is known always does.
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf, toolResult } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { z } from "zod"

const externalApi = tool({
  name: "external_api",
  description: "Call external API",
  input: z.object({ url: z.string() }),
  execute: ({ url }, ctx) => ctx.suspend(`Awaiting external API response: ${url}`),
})
const toolkit = new Toolkit({ tools: [externalApi] })
toolkit.registerSchema([
  {
    name: "query_database",
    description: "Query external database",
    parameters: { type: "object", properties: { sql: { type: "string" } }, required: ["sql"] },
    strict: true,
  },
  { name: "ask_user", parameters: { type: "object", properties: {} } },
])
console.log("external:", toolkit.isExternalTool("query_database"), toolkit.isExternalTool("external_api"))

using model = new ScriptedModel([
  {
    toolUses: [
      { name: "external_api", input: { url: "/users" } },
      { name: "query_database", input: { sql: "select 1" } },
    ],
  },
  (request) =>
    `I was told: ${request.messages
      .at(-1)
      ?.content.map((block) => block.type === "tool_result" && textOf({ content: block.output }))
      .join(", ")}`,
])
const agent = new ReActAgent({ name: "Assistant", systemPrompt: "Help.", model, toolkit })

let reply = await agent.reply("Fetch the users.")
while (reply.finishReason === "tool_suspended") {
  const [call] = reply.pending // one answer at a time: the rest stays pending
  if (!call) break
  console.log(
    "pending:",
    reply.pending.map(({ toolUse, reason }) => `${toolUse.name} (${reason ?? "no reason"})`).join(", "),
  )
  reply = await agent.resume({ results: [toolResult(call.toolUse, `result of ${call.toolUse.name}`)] })
}
console.log(reply.finishReason, textOf(reply))
