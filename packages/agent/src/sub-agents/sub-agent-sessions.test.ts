import { approve, textOf, type JsonObject } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { agentOf, asTool, calls, paying, resultsOf } from "../fixtures/family.ts"
import { expectValid, gate, idle, memoryOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import type { ReActAgent } from "../index.ts"

const asks = (message: string, session_id?: string) => calls(["lawyer", { message, ...(session_id && { session_id }) }])
/** A factory that keeps what it made, and answers with how many questions it has heard. */
const lawyers = () => {
  const made: ReActAgent[] = []
  const make = () => {
    made.push(
      agentOf(
        "lawyer",
        Array.from(
          { length: 5 },
          () =>
            ({ messages }) =>
              `${messages.filter(({ role }) => role === "user").length}`,
        ),
      ),
    )
    return made.at(-1)!
  }
  return { make, made }
}
const reload = (agent: ReActAgent) => JSON.parse(JSON.stringify(agent.stateDict())) as JsonObject

test("FR-34 two agents that share a sub-agent's tool share none of its sessions, whatever they call them", async () => {
  const { make, made } = lawyers()
  const toolkit = new Toolkit({ tools: [asTool(make)] })
  const boss = () => agentOf("boss", [asks("a", "x"), "Ok.", asks("b", "x"), "Ok."], undefined, { toolkit })
  const [one, two] = [boss(), boss()]
  await Promise.all([one.reply("of one"), two.reply("of two")])
  await one.reply("again")
  expect([resultsOf(one), resultsOf(two)]).toEqual([["success: 1", "success: 2"], ["success: 1"]])
  expect(made.flatMap((agent) => memoryOf(agent).map((msg) => textOf(msg))).join()).not.toContain("of ")
})

test("sessions are saved with the agent that asks, and gone on with where it is loaded", async () => {
  const { make, made } = lawyers()
  const tool = asTool(make)
  made.length = 0
  const one = agentOf("boss", [asks("a", "x"), asks("b", "x"), asks("c", "10"), asks("d"), "Ok."], [tool])
  await one.reply("Go")
  const state = reload(one)
  expect(state["subAgents"]).toMatchObject({ lawyer: [{ id: "x" }, { id: "10" }] })
  const two = agentOf("boss", [asks("e", "x"), asks("f", "y"), "Ok."], [tool])
  two.loadStateDict(state)
  // what nobody has asked since stays as it was
  expect(reload(two)).toEqual(state)
  await two.reply("Go")
  expect(resultsOf(two).slice(-2)).toEqual(["success: 3", "success: 1"])
  // the one that was saved has not changed
  expect(reload(one)).toEqual(state)
})

test.each([5, [], { lawyer: 1 }, { lawyer: [{ id: 1, state: {} }] }, { lawyer: [{ id: "x", state: [] }] }])(
  "saved sessions that are none are refused (%#)",
  (subAgents) => {
    const agent = agentOf("boss", [])
    expect(() => agent.loadStateDict({ ...agent.stateDict(), subAgents })).toThrow(/saved sub-agents/)
  },
)

test("a session that waits is gone on with after it was answered, also elsewhere, and after it was not", async () => {
  const { pay, paid } = paying()
  const make = () => agentOf("lawyer", [calls(["pay", { amount: 5 }]), "Paid."], [pay])
  const after = () => agentOf("lawyer", ["Paid.", ({ messages }) => `${messages.length} messages`], [pay])
  const one = agentOf("boss", [asks("a", "x")], [asTool(make)])
  await one.reply("Go")
  for (const answered of [true, false]) {
    const two = agentOf("boss", ["Fine.", asks("b", "x"), "Ok."], [asTool(after)])
    two.loadStateDict(reload(one))
    if (answered) await two.resume({ approvals: [approve(two.pending[0]!)] })
    else await two.reply("Never mind")
    const three = agentOf(
      "boss",
      [asks("b", "x"), "Ok."],
      [
        asTool(
          answered
            ? () => agentOf("lawyer", [({ messages }) => `${messages.length} messages`])
            : () => agentOf("lawyer", [({ messages }) => `${messages.length} messages`]),
        ),
      ],
    )
    three.loadStateDict(reload(two))
    await three.reply("Again")
    // system, question, call, result, (answer,) question
    expect(resultsOf(three).at(-1)).toBe(answered ? "success: 6 messages" : "success: 5 messages")
  }
  expect(paid).toEqual([5])
})

describe("one instance for all", () => {
  test("calls of one round wait for each other, and hold up no other tool; two agents wait for each other, too", async () => {
    const open = gate()
    const lawyer = agentOf("lawyer", [calls(["slow", {}]), "1", "2", "3"], [named("slow", () => open.promise)])
    const tool = asTool(lawyer)
    const ran: string[] = []
    const quick = named("quick", () => void ran.push("quick"))
    const one = agentOf(
      "one",
      [calls(["lawyer", { message: "a" }], ["lawyer", { message: "b" }], ["quick", {}]), "Ok."],
      [tool, quick],
    )
    const two = agentOf("two", [asks("c"), "Ok."], [tool])
    const replies = [one.reply("?"), two.reply("?")]
    await idle()
    await idle()
    expect(ran).toEqual(["quick"])
    open.resolve()
    await Promise.all(replies)
    const answers = [...resultsOf(one), ...resultsOf(two)].filter((line) => line !== "success: Done.")
    expect(answers.toSorted()).toEqual(["success: 1", "success: 2", "success: 3"])
    expectValid(memoryOf(lawyer))
  })

  test("while it waits for answers to one, others are told so, and disturb nothing", async () => {
    const { pay, paid } = paying()
    const lawyer = agentOf("lawyer", [calls(["pay", { amount: 5 }]), "Paid.", "Free."], [pay])
    const tool = asTool(lawyer)
    const one = agentOf("one", [calls(["lawyer", { message: "a" }], ["lawyer", { message: "b" }]), "Ok."], [tool])
    const two = agentOf("two", [asks("c"), "Hm.", asks("c"), "Ok."], [tool])
    await one.reply("?")
    await two.reply("?")
    expect(resultsOf(two)).toEqual([expect.stringMatching(/^error: .*\(agent_busy\): it waits for pay/)])
    await one.resume({ approvals: [approve(one.pending[0]!)] })
    expect(resultsOf(one)).toEqual(["success: Paid.", expect.stringMatching(/^error: .*it waits for pay/)])
    await two.reply("Again?")
    expect([resultsOf(two).at(-1), paid]).toEqual(["success: Free.", [5]])
    expectValid(memoryOf(lawyer))
  })

  test("answers for what it waits for no more are an error, and what it does for somebody else stays", async () => {
    const { pay } = paying()
    const lawyer = agentOf("lawyer", [calls(["pay", { amount: 5 }]), "Free.", "Of two."], [pay])
    const tool = asTool(lawyer)
    const one = agentOf("one", [asks("a"), "Ok."], [tool])
    const two = agentOf("two", [asks("c"), "Ok."], [tool])
    await one.reply("?")
    await lawyer.reply("Something else")
    await two.reply("?")
    await one.resume({ approvals: [approve(one.pending[0]!)] })
    expect(resultsOf(one)).toEqual([expect.stringMatching(/^error: .*gone on with somebody else/)])
    expect(textOf(memoryOf(lawyer).at(-1)!)).toBe("Of two.")
  })
})
