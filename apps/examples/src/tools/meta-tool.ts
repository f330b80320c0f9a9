// The meta tool lets an agent choose its groups: reset_tools with a boolean each, reset_equipped_tools with a list.
import { textOf } from "@agentscope-ts/message"
import { tool, Toolkit } from "@agentscope-ts/tool"

const input = { type: "object", properties: {} } as const
const named = (name: string) => tool({ name, description: name, input, execute: () => "done" })

for (const metaTool of ["reset_tools", "reset_equipped_tools"] as const) {
  const toolkit = new Toolkit({
    tools: [named("read")],
    groups: [
      {
        name: "database",
        description: "Database operations.",
        instructions: "Use transactions.",
        tools: [named("db_query")],
      },
      { name: "deployment", description: "Deploying services.", tools: [named("deploy")] },
      { name: "billing", description: "For people only.", manageable: false, tools: [named("refund")] },
    ],
    metaTool,
  })
  const state = toolkit.newState()
  const choose = async (choice: object) => {
    const use = { type: "tool_use", id: "1", name: metaTool, input: { ...choice } } as const
    const result = await toolkit.execute(use, { state }).result
    console.log(
      result.state,
      textOf({ content: result.output }),
      "|",
      toolkit
        .schemas(state)
        .map(({ name }) => name)
        .join(" "),
    )
  }
  const list = metaTool === "reset_equipped_tools"
  await choose(list ? { to_activate: ["database"] } : { database: true })
  await choose(list ? { to_activate: ["deployment"] } : { deployment: true }) // the final state: database goes
  await choose(list ? { to_activate: ["billing"] } : { billing: true }) // not the agent's to switch: nothing changes
  await choose(list ? { to_activate: [] } : {})
}
