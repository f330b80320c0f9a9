// execute_shell_command: what may run without a question, who is asked otherwise, and how long it may take.
import { ReActAgent } from "@agentscope-ts/agent"
import { approve, deny, textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { executeShellCommand } from "@agentscope-ts/tools-system"

const shell = (command: string, timeout?: number) => ({
  toolUses: [{ name: "execute_shell_command", input: { command, ...(timeout && { timeout }) } }],
})
using model = new ScriptedModel([
  shell("echo 'a && b'"),
  shell("echo allowed; touch surprise"),
  shell("touch surprise"),
  shell("echo started; sleep 30", 1),
  "Done.",
])
const agent = new ReActAgent({
  name: "Assistant",
  systemPrompt: "Help.",
  model,
  tools: [executeShellCommand({ cwd: "." })],
  approval: { allow: ["execute_shell_command(echo:*)"] },
})

let reply = await agent.reply("Try the shell.")
while (reply.pending.length > 0) {
  const approvals = reply.pending.map((call) => {
    const { command } = call.toolUse.input as { command: string }
    console.log("asked:", command)
    return command.includes("surprise") ? deny(call, "no surprises") : approve(call)
  })
  reply = await agent.resume({ approvals })
}
for (const msg of await agent.memory.get())
  for (const { state, output } of toolResultsOf(msg)) console.log(state, textOf({ content: output }))
