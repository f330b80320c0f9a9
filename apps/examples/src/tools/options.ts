// parallel, allowToolDeletion and the time limit of a toolkit.
import { ReActAgent } from "@agentscope-ts/agent"
import { AgentScopeError, textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { z } from "zod"

const order: string[] = []
const step = tool({
  name: "step",
  description: "Take a step",
  input: z.object({ n: z.int(), ms: z.int() }),
  async execute({ n, ms }) {
    order.push(`${n} starts`)
    await new Promise((resolve) => setTimeout(resolve, ms))
    order.push(`${n} ends`)
    return `step ${n}`
  },
})
const both = {
  toolUses: [
    { name: "step", input: { n: 1, ms: 20 } },
    { name: "step", input: { n: 2, ms: 1 } },
  ],
}

for (const parallel of [true, false]) {
  using model = new ScriptedModel([both, "Done."])
  const agent = new ReActAgent({
    name: "Friday",
    systemPrompt: "Go.",
    model,
    toolkit: new Toolkit({ tools: [step], parallel }),
  })
  await agent.reply("Go.")
  const results = (await agent.memory.get())
    .flatMap((msg) => toolResultsOf(msg))
    .map(({ output }) => textOf({ content: output }))
  console.log(parallel ? "side by side:" : "one by one:", order.splice(0).join(", "), "->", results.join(", "))
}

const fixed = new Toolkit({ tools: [step], allowToolDeletion: false, timeoutMs: 10 })
try {
  fixed.remove("step")
} catch (error) {
  console.log(AgentScopeError.is(error) && error.code)
}
const late = await fixed.execute({ type: "tool_use", id: "1", name: "step", input: { n: 3, ms: 60_000 } }).result
console.log(late.state, textOf({ content: late.output }))
process.exit() // the step sleeps on: it does not listen to its signal
