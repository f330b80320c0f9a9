import { textOf } from "@agentscope-ts/message"
import { StateModule } from "@agentscope-ts/state"
import { ScriptedModel } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { add } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const make = (model = new ScriptedModel(["one", "two"]), toolkit = new Toolkit()) =>
  new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, toolkit })

test("an agent that is loaded goes on where the other stopped", async () => {
  const agent = make()
  await agent.reply("first")
  const model = new ScriptedModel(["again"])
  const other = make(model)
  other.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
  await other.reply("second")
  expect(model.requests[0]?.messages.map((msg) => textOf(msg))).toEqual(["Help.", "first", "one", "second"])
})

test("the state holds the memory, what waits, remembered rules and tool groups, and nothing of how the agent was made", async () => {
  const toolkit = new Toolkit({ groups: [{ name: "maths", description: "Numbers", tools: [add] }] })
  const agent = make(undefined, toolkit)
  expect(agent.stateDict()).toEqual({
    memory: { content: [] },
    round: null,
    subAgents: {},
    inbox: [],
    rules: [],
    toolState: null,
  })
  agent.toolState.updateGroups(["maths"], true)
  const other = make(undefined, toolkit)
  other.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
  expect(other.toolState.activeGroups).toEqual(["maths"])
  other.loadStateDict(make().stateDict())
  expect(other.toolState.activeGroups).toEqual([])
})

test("a subclass adds its own", () => {
  class Counter extends StateModule {
    count = 0
    constructor() {
      super()
      this.registerState("count", { save: () => this.count, load: (value: number) => void (this.count = value) })
    }
  }
  class Counting extends ReActAgent {
    readonly counter = new Counter()
  }
  const options = { name: "Friday", systemPrompt: "Help.", model: new ScriptedModel([]) }
  const agent = new Counting(options)
  agent.counter.count = 3
  const other = new Counting(options)
  other.loadStateDict(agent.stateDict())
  expect(other.counter.count).toBe(3)
})

test("state that does not fit changes nothing", async () => {
  const agent = make()
  await agent.reply("first")
  const before = JSON.stringify(agent.stateDict())
  expect(() => agent.loadStateDict({ ...agent.stateDict(), memory: { content: [] }, inbox: 5 })).toThrow(/inbox/)
  expect(JSON.stringify(agent.stateDict())).toBe(before)
})
