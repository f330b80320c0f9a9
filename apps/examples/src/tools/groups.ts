// Groups are switched for all conversations on the toolkit, or for one of them on its state.
import { textOf } from "@agentscope-ts/message"
import { tool, Toolkit } from "@agentscope-ts/tool"

const input = { type: "object", properties: {} } as const
const search = tool({ name: "search", description: "Search", input, execute: () => "found" })
const dropTable = tool({ name: "drop_table", description: "Drop a table", input, execute: () => "dropped" })

const toolkit = new Toolkit({ tools: [search], metaTool: false })
toolkit.createGroup({ name: "admin", description: "Admin tools", tools: [dropTable] })
const names = (state = toolkit.newState()) =>
  toolkit
    .schemas(state)
    .map(({ name }) => name)
    .join(" ")

console.log("at first:", names())
const one = toolkit.newState()
one.updateGroups(["admin"], true)
console.log("in one conversation:", names(one), "| in another:", names())
toolkit.updateGroups(["admin"], true)
console.log("everywhere:", names())
one.updateGroups(["admin"], false)
console.log("but there:", names(one))
const { state, output } = await toolkit.execute(
  { type: "tool_use", id: "1", name: "drop_table", input: {} },
  { state: one },
).result
console.log(state, textOf({ content: output }))
