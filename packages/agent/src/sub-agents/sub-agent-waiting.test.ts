import {
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  textOf,
  toolResult,
  toolUsesOf,
} from "@agentscope-ts/message"
import { tool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { agentOf, ask, asTool, calls, paying, resultsOf } from "../fixtures/family.ts"
import { eventsOf, expectValid, memoryOf, ofType } from "../fixtures/runs.ts"
import { PlanNotebook, type ReActAgent } from "../index.ts"

const listed = (calls: readonly PendingCall[]) =>
  calls.map(({ toolUse, kind, path }) => `${path?.join("/") ?? "own"}: ${kind} ${toolUse.name}`)
const reload = (state: JsonObject) => JSON.parse(JSON.stringify(state)) as JsonObject

test("a sub-agent's calls that wait are the caller's: with their own input, rules, digest and path; answers go down", async () => {
  const { pay, paid } = paying()
  const lawyer = agentOf(
    "lawyer",
    [calls(["pay", { amount: 5 }, "c1"], ["ask", { question: "Why?" }]), "Paid."],
    [pay, ask],
  )
  const boss = agentOf("boss", [calls(["lawyer", { message: "Pay" }, "b1"]), "Done."], [asTool(lawyer)])
  const reply = await boss.reply("Go")
  expect(reply.finishReason).toBe("approval_required")
  expect(reply.pending).toEqual(boss.pending)
  expect(reply.pending).toEqual([
    { ...lawyer.pending[0], toolUse: { ...lawyer.pending[0]?.toolUse, id: "b1/c1" }, path: ["boss", "lawyer"] },
    expect.objectContaining({ kind: "external", path: ["boss", "lawyer"] }),
  ])
  expect(reply.pending[0]).toMatchObject({ toolUse: { input: { amount: 5 } }, suggestedRules: ["pay(5)"] })
  expect(toolUsesOf(reply).map(({ name }) => name)).toEqual(["lawyer"])
  const [payment, question] = boss.pending as [PendingCall, PendingCall]

  const later = await boss.resume({ approvals: [approve(payment)] })
  expect([later.finishReason, listed(later.pending)]).toEqual(["tool_suspended", ["boss/lawyer: external ask"]])
  expect(later.pending[0]).toEqual(question)
  expect(paid).toEqual([5])

  const last = await boss.resume({ results: [toolResult(question.toolUse, "Because.")] })
  expect([textOf(last), last.finishReason, last.pending, boss.pending]).toEqual(["Done.", "completed", [], []])
  expect(resultsOf(boss)).toEqual(["success: Paid."])
  expect(resultsOf(lawyer)).toEqual(["success: paid 5", "success: Because."])
  for (const agent of [boss, lawyer]) expectValid(memoryOf(agent))
})

test("three deep, over several rounds, two branches at once, with equal ids", async () => {
  const { pay, paid } = paying()
  const clerk = () =>
    agentOf("clerk", [calls(["pay", { amount: 1 }, "x"]), calls(["pay", { amount: 2 }, "y"]), "§ 1"], [pay])
  const lawyer = () => agentOf("lawyer", [calls(["clerk", { message: "?" }, "x"]), "You may."], [asTool(clerk)])
  const boss = agentOf(
    "boss",
    [calls(["lawyer", { message: "a" }, "x"], ["lawyer", { message: "b" }, "z"], ["pay", { amount: 9 }, "y"]), "Done."],
    [asTool(lawyer), pay],
  )
  await boss.reply("Go")
  const three = ["boss/lawyer/clerk: approval pay", "boss/lawyer/clerk: approval pay"]
  expect(listed(boss.pending)).toEqual([...three, "own: approval pay"])
  expect(boss.pending.map(({ toolUse }) => toolUse.id)).toEqual(["x/x/x", "z/x/x", "y"])
  const [first, second, own] = boss.pending as [PendingCall, PendingCall, PendingCall]
  const reply = await boss.resume({ approvals: [approve(second), approve(own)] })
  expect(reply.pending.map(({ toolUse }) => [toolUse.id, toolUse.input["amount"]])).toEqual([
    ["x/x/x", 1],
    ["z/x/y", 2],
  ])
  await boss.resume({ approvals: [approve(reply.pending[1]!), deny(first, "not you")] })
  expect(boss.pending.map(({ toolUse }) => toolUse.id)).toEqual(["x/x/y"])
  expect((await boss.resume({ approvals: [approve(boss.pending[0]!)] })).finishReason).toBe("completed")
  expect(paid.toSorted()).toEqual([1, 2, 2, 9])
  expect(resultsOf(boss)).toEqual(["success: You may.", "success: You may.", "success: paid 9"])
})

test("answers that fit no call, twice, of the wrong kind or for another input change nothing", async () => {
  const { pay, paid } = paying()
  const lawyer = agentOf(
    "lawyer",
    [calls(["pay", { amount: 5 }, "c1"], ["ask", { question: "?" }, "c2"]), "Paid."],
    [pay, ask],
  )
  const boss = agentOf("boss", [calls(["lawyer", { message: "Pay" }, "b1"]), "Done."], [asTool(lawyer)])
  await boss.reply("Go")
  const [payment, question] = boss.pending as [PendingCall, PendingCall]
  const before = JSON.stringify([boss.stateDict(), lawyer.stateDict()])
  const result = toolResult(question.toolUse, "x")
  for (const answers of [
    { approvals: [approve(lawyer.pending[0]!)] },
    { approvals: [{ ...approve(payment), digest: "other" }], results: [result] },
    { approvals: [approve(payment), deny(payment)] },
    { results: [toolResult(payment.toolUse, "x")] },
    { approvals: [approve(question)] },
    { results: [result, result] },
    { results: [{ ...result, id: "b1" }] },
  ]) {
    await expect(boss.resume(answers)).rejects.toMatchObject({ code: "unknown_pending" })
    expect(JSON.stringify([boss.stateDict(), lawyer.stateDict()])).toBe(before)
  }
  await boss.resume({ approvals: [approve(payment)] })
  await expect(boss.resume({ approvals: [approve(payment)] })).rejects.toMatchObject({ code: "unknown_pending" })
  expect(paid).toEqual([5])
})

test("rules to remember go to the agent that asked, and to nobody else; an edited input runs", async () => {
  const { pay, paid } = paying()
  const steps = [calls(["pay", { amount: 5 }]), calls(["pay", { amount: 5 }]), "Paid."]
  const lawyer = agentOf("lawyer", steps, [pay])
  const boss = agentOf(
    "boss",
    [calls(["lawyer", { message: "Pay" }]), calls(["pay", { amount: 5 }]), "Done."],
    [asTool(lawyer), pay],
  )
  await boss.reply("Go")
  await boss.resume({ approvals: [approve(boss.pending[0]!, { remember: ["pay(5)"], input: { amount: 4 } })] })
  expect(paid).toEqual([4, 5])
  expect(listed(boss.pending)).toEqual(["own: approval pay"])
  expect([boss.stateDict()["rules"], lawyer.stateDict()["rules"]]).toMatchObject([[], [{ rule: "pay(5)" }]])
})

test("something new said to the one at the top closes the whole chain as interrupted", async () => {
  const { pay, paid } = paying()
  const clerks: ReActAgent[] = []
  const clerk = () => {
    clerks.push(agentOf("clerk", [calls(["pay", { amount: 1 }]), "never"], [pay]))
    return clerks.at(-1)!
  }
  const clerkTool = asTool(clerk)
  const lawyer = agentOf("lawyer", [calls(["clerk", { message: "?" }]), "Yes?"], [clerkTool])
  clerks.length = 0
  const boss = agentOf(
    "boss",
    [calls(["lawyer", { message: "?" }]), "Fine.", calls(["lawyer", { message: "And?" }]), "Ok."],
    [asTool(lawyer)],
  )
  await boss.reply("Go")
  const old = boss.pending[0]!
  expect((await boss.reply("Never mind")).finishReason).toBe("completed")
  expect([boss, lawyer, ...clerks].map((agent) => agent.pending)).toEqual([[], [], []])
  for (const agent of [boss, lawyer, clerks[0]!]) {
    expect(resultsOf(agent)).toEqual([expect.stringMatching(/^interrupted/)])
    expectValid(memoryOf(agent))
  }
  await expect(boss.resume({ approvals: [approve(old)] })).rejects.toMatchObject({ code: "unknown_pending" })
  await boss.reply("Again")
  expect(resultsOf(boss).at(-1)).toBe("success: Yes?")
  expect(paid).toEqual([])
})

describe("in another process", () => {
  const world = (shared: boolean) => {
    const { pay, paid } = paying()
    const clerk = (from: number) => () =>
      agentOf("clerk", [calls(["pay", { amount: 1 }]), calls(["ask", { question: "?" }]), "§ 1"].slice(from), [
        pay,
        ask,
      ])
    const lawyer = (from: number, ofClerk: number) => () =>
      agentOf("lawyer", [calls(["clerk", { message: "?" }]), "You may."].slice(from), [asTool(clerk(ofClerk))])
    const boss = (from: number, ofLawyer = from, ofClerk = from) => {
      const make = lawyer(ofLawyer, ofClerk)
      return agentOf("boss", [calls(["lawyer", { message: "?" }]), "Done."].slice(from), [
        asTool(shared ? make() : make),
      ])
    }
    return { boss, paid }
  }

  test.each([false, true])("the agents that wait go on (an instance: %s), step by step, in parts", async (shared) => {
    const { boss, paid } = world(shared)
    const one = boss(0)
    await one.reply("Go")
    const two = boss(1)
    two.loadStateDict(reload(one.stateDict()))
    expect(two.pending).toEqual(one.pending)
    const reply = await two.resume({ approvals: [approve(two.pending[0]!, { remember: ["pay"] })] })
    expect(listed(reply.pending)).toEqual(["boss/lawyer/clerk: external ask"])
    const three = boss(1, 1, 2)
    three.loadStateDict(reload(two.stateDict()))
    const last = await three.resume({ results: [toolResult(three.pending[0]!.toolUse, "x")] })
    expect([textOf(last), paid, resultsOf(three)]).toEqual(["Done.", [1], ["success: You may."]])
    expectValid(memoryOf(three))
  })

  test("an approval does not count for a tool that has changed since: it is asked again", async () => {
    const pay = (description: string) =>
      tool({ name: "pay", description, needsApproval: true, input: z.object({}), execute: () => "paid" })
    const boss = (description: string, ...[first, ...rest]: ReturnType<typeof calls>[]) => {
      const lawyer = () => agentOf("lawyer", first ? [first, "Paid."] : ["Paid."], [pay(description)])
      return agentOf("boss", [...rest, "Done."], [asTool(lawyer, { name: "lawyer" })])
    }
    const one = boss("Pay little", calls(["pay", {}]), calls(["lawyer", { message: "?" }]))
    await one.reply("Go")
    const two = boss("Pay all there is")
    two.loadStateDict(reload(one.stateDict()))
    const old = two.pending[0]!
    const reply = await two.resume({ approvals: [approve(old)] })
    expect(reply.finishReason).toBe("approval_required")
    expect(reply.pending[0]?.digest).not.toBe(old.digest)
    await two.resume({ approvals: [approve(reply.pending[0]!)] })
    expect(resultsOf(two)).toEqual(["success: Paid."])
  })

  test.each([{}, { session_id: "s" }])("an agent goes on that has come to hold more since (%j)", async (session) => {
    const { pay, paid } = paying()
    const boss = (steps: ReturnType<typeof calls>[], said: ReturnType<typeof calls>[], more = {}) =>
      agentOf("boss", [...steps, "Done."], [asTool(() => agentOf("lawyer", [...said, "Paid."], [pay], more))])
    const asking = calls(["lawyer", { message: "?", ...session }])
    const one = boss([asking], [calls(["pay", { amount: 1 }])])
    await one.reply("Go")
    const two = boss([], [], { plan: new PlanNotebook(), budget: { modelCalls: 5 } })
    two.loadStateDict(reload(one.stateDict()))
    await two.resume({ approvals: [approve(two.pending[0]!)] })
    expect([paid, resultsOf(two)]).toEqual([[1], ["success: Paid."]])
  })

  test("saved rounds that do not fit are refused, and change nothing", async () => {
    const { boss } = world(false)
    const one = boss(0)
    await one.reply("Go")
    const state = reload(one.stateDict()) as { round: { children: JsonObject[]; pending: JsonObject[] } }
    const child = state.round.children[0]!
    for (const round of [
      { ...state.round, children: [] },
      { ...state.round, children: 5 },
      { ...state.round, children: [{ ...child, state: null }] },
      { ...state.round, children: [child, child] },
      { ...state.round, children: [{ ...child, pending: [] }] },
      { ...state.round, pending: [...state.round.pending, ...state.round.pending] },
    ]) {
      const other = boss(1)
      const before = JSON.stringify(other.stateDict())
      expect(() => other.loadStateDict({ ...state, round })).toThrow(/saved round/)
      expect(JSON.stringify(other.stateDict())).toBe(before)
    }
  })

  test("a state that the agent cannot take up is an error result, and says why", async () => {
    const { boss } = world(false)
    const one = boss(0)
    await one.reply("Go")
    const state = reload(one.stateDict()) as { round: { children: { state: JsonObject }[] } }
    state.round.children[0]!.state = { memory: 5 }
    const two = boss(1)
    two.loadStateDict(state)
    expect((await two.resume({ approvals: [approve(two.pending[0]!)] })).finishReason).toBe("completed")
    expect(resultsOf(two)).toEqual([expect.stringMatching(/^error: .*agent "lawyer" failed \(invalid_state\)/)])
  })
})

test("it waits beside calls that have finished, and beside a call of its own that a person must allow first", async () => {
  const { pay, paid } = paying()
  const lawyer = () => agentOf("lawyer", [calls(["pay", { amount: 5 }]), "Paid."], [pay])
  const boss = agentOf(
    "boss",
    [calls(["lawyer", { message: "a" }], ["clock", {}]), "Done."],
    [asTool(lawyer), tool({ name: "clock", description: "Time", input: {}, execute: () => "noon" })],
    { approval: { ask: ["lawyer"] } },
  )
  await boss.reply("Go")
  expect(listed(boss.pending)).toEqual(["own: approval lawyer"])
  await boss.resume({ approvals: [approve(boss.pending[0]!, { input: { message: "b" } })] })
  expect(listed(boss.pending)).toEqual(["boss/lawyer: approval pay"])
  await boss.resume({ approvals: [approve(boss.pending[0]!)] })
  expect(resultsOf(boss)).toEqual(["success: Paid.", "success: noon"])
  expect(memoryOf(boss)[2]?.content[0]).toMatchObject({ metadata: { input: { message: "b" } } })
  expect(paid).toEqual([5])
})

test.each([true, false])(
  "each call that waits is told once, with whose it is and an id to answer (%s)",
  async (forwardEvents) => {
    const { pay } = paying()
    const clerk = () => agentOf("clerk", [calls(["pay", { amount: 1 }, "c"]), "§ 1"], [pay])
    const lawyer = () => agentOf("lawyer", [calls(["clerk", { message: "?" }, "l"]), "You may."], [asTool(clerk)])
    const boss = agentOf("boss", [calls(["lawyer", { message: "?" }, "b"]), "Ok."], [asTool(lawyer, { forwardEvents })])
    const told = ofType(await eventsOf(boss.stream("Go")), "pending")
    expect(told.map(({ pending }) => pending)).toEqual(boss.pending)
    expect(told.map(({ path, agent }) => [...path, agent].join("/"))).toEqual([
      forwardEvents ? "boss/lawyer/clerk" : "boss",
    ])
    await boss.resume({ approvals: [approve(told[0]!.pending)] })
    expect(boss.pending).toEqual([])
  },
)

test("a tool that asks a sub-agent within goes on in it", async () => {
  const { pay, paid } = paying()
  const lawyer = asTool(() => agentOf("lawyer", [calls(["pay", { amount: 5 }]), "Paid."], [pay])) as never as {
    run(input: { message: string }, ctx: unknown): Promise<string>
  }
  const wrapper = tool({
    name: "office",
    description: "Ask the office",
    input: {},
    execute: async (_, ctx) => `The office says: ${await lawyer.run({ message: "Pay" }, ctx)}`,
  })
  const boss = agentOf("boss", [calls(["office", {}]), "Done."], [wrapper])
  await boss.reply("Go")
  expect(listed(boss.pending)).toEqual(["boss/lawyer: approval pay"])
  await boss.resume({ approvals: [approve(boss.pending[0]!)] })
  expect([resultsOf(boss), paid]).toEqual([["success: The office says: Paid."], [5]])
})

test("where no agent asks, nobody can answer: an error, and what waits is closed", async () => {
  const { pay } = paying()
  const lawyer = agentOf("lawyer", [{ text: "Hm.", ...(calls(["pay", { amount: 5 }]) as object) }], [pay])
  const run = asTool(lawyer) as never as { run(input: { message: string }): Promise<string> }
  expect(await run.run({ message: "Pay" })).toBe("Hm.")
  expect(lawyer.pending).toEqual([])
  expect(resultsOf(lawyer)).toEqual([expect.stringMatching(/^interrupted/)])
})
