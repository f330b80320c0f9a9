// The toolkit of this project alone, without a model or an agent.
import { Toolkit, tool } from "@agentscope-ts/tool"

/** `plain`: what the tools do, called without a toolkit. `many`: a toolkit of n tools, half of them in 50 groups. */
export async function open({ tools }) {
  const made = tools.map(({ name, description, input, parameters, execute }) =>
    tool({ name, description, input: input ?? parameters, execute }),
  )
  const toolkit = new Toolkit({ tools: made })
  const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] }
  const numbered = (i) => tool({ name: `tool_${i}`, description: "One of many", input: parameters, execute: () => i })
  return {
    plain: tools[0].execute,
    execute: (input) => toolkit.execute({ type: "tool_use", id: "call_1", name: tools[0].name, input }).result,
    session() {
      const state = toolkit.newState()
      toolkit.schemas(state)
      return state
    },
    many(n) {
      const all = Array.from({ length: n }, (_, i) => numbered(i))
      const size = n / 100
      const groups = Array.from({ length: 50 }, (_, g) => ({
        name: `group_${g}`,
        description: "Some of many",
        active: true,
        tools: all.slice(n / 2 + g * size, n / 2 + (g + 1) * size),
      }))
      return new Toolkit({ tools: all.slice(0, n / 2), groups })
    },
  }
}
