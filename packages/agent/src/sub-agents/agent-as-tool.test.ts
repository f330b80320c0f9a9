import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test, vi } from "vitest"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, idle, memoryOf } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { agentAsTool, ReActAgent, UserAgent } from "../index.ts"

const expert = (steps: ScriptedStep[], name = "lawyer") =>
  new ReActAgent({ name, systemPrompt: "Know.", model: new ScriptedModel(steps), tools: [add] })
const asks = (...inputs: { message: string; session_id?: string }[]): ScriptedStep => ({
  toolUses: inputs.map((input) => ({ name: "lawyer", input })),
})
const boss = (steps: ScriptedStep[], tools: ReturnType<typeof agentAsTool>[], options = {}) =>
  new ReActAgent({ name: "boss", systemPrompt: "Ask.", model: new ScriptedModel(steps), tools, ...options })

test("the agent's text is the tool's result; it hears who asks", async () => {
  const lawyer = expert(["You may."])
  const agent = boss([asks({ message: "May we?" }), "Yes."], [agentAsTool(lawyer, { description: "Law" })])
  expect(textOf(await agent.reply("May we sell?"))).toBe("Yes.")
  expect(memoryOf(agent).flatMap(toolResultsOf)).toMatchObject([
    { name: "lawyer", state: "success", output: [{ text: "You may." }] },
  ])
  expect(memoryOf(lawyer).map((msg) => `${msg.name}: ${textOf(msg)}`)).toEqual(["boss: May we?", "lawyer: You may."])
})

test("its events come in the same stream, with their path; numbers grow by one over all of them", async () => {
  const lawyer = () => expert([{ toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }, "You may."])
  const agent = boss([asks({ message: "May we?" }), "Yes."], [agentAsTool(lawyer, { description: "Law" })])
  const events = await eventsOf(agent.stream("?"))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
  const ofLawyer = events.filter(({ agent }) => agent === "lawyer")
  expect(new Set(ofLawyer.map(({ path }) => path.join()))).toEqual(new Set(["boss"]))
  expect(ofLawyer.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["reply_start", "tool_result", "text_delta", "reply_end"]),
  )
  expect(new Set(events.map(({ replyId }) => replyId)).size).toBe(2)
  expect(events.filter(({ type }) => type === "reply_end").map(({ agent }) => agent)).toEqual(["lawyer", "boss"])
})

test("or not, with forwardEvents: false", async () => {
  const tool = agentAsTool(expert(["You may."]), { description: "Law", forwardEvents: false })
  const events = await eventsOf(boss([asks({ message: "?" }), "Yes."], [tool]).stream("?"))
  expect(new Set(events.map(({ agent }) => agent))).toEqual(new Set(["boss"]))
})

test("agents three deep say whose they are", async () => {
  const clerk = agentAsTool(expert(["§ 1"], "clerk"), { description: "Look up" })
  const lawyer = new ReActAgent({
    name: "lawyer",
    systemPrompt: "Know.",
    model: new ScriptedModel([{ toolUses: [{ name: "clerk", input: { message: "?" } }] }, "You may."]),
    tools: [clerk],
  })
  const events = await eventsOf(
    boss([asks({ message: "?" }), "Yes."], [agentAsTool(lawyer, { description: "Law" })]).stream("?"),
  )
  expect(new Set(events.map(({ agent, path }) => [...path, agent].join("/")))).toEqual(
    new Set(["boss", "boss/lawyer", "boss/lawyer/clerk"]),
  )
})

describe("whose conversation it is", () => {
  test("a factory makes an instance for each session, and one that is gone on with; without a session each call is new", async () => {
    const made: ReActAgent[] = []
    const lawyer = () => {
      made.push(expert(["one", "two"]))
      return made.at(-1)!
    }
    const tool = agentAsTool(lawyer, { description: "Law" })
    const agent = boss(
      [
        asks({ message: "a", session_id: "x" }, { message: "b", session_id: "y" }, { message: "c" }, { message: "d" }),
        asks({ message: "e", session_id: "x" }),
        "Yes.",
      ],
      [tool],
    )
    made.length = 0
    await agent.reply("?")
    expect(
      made.map((instance) =>
        memoryOf(instance)
          .filter(({ role }) => role === "user")
          .map((msg) => textOf(msg)),
      ),
    ).toEqual([["a", "e"], ["b"], ["c"], ["d"]])
  })

  test("an agent given as it is has one conversation, and its calls do not meet", async () => {
    const lawyer = expert(["one", "two"])
    const agent = boss(
      [asks({ message: "a" }, { message: "b" }), "Yes."],
      [agentAsTool(lawyer, { description: "Law" })],
    )
    await agent.reply("?")
    expect(
      memoryOf(agent)
        .flatMap(toolResultsOf)
        .map((result) => textOf(result)),
    ).toEqual(["one", "two"])
  })

  test("FR-34 asking an agent changes nothing of the one that asks but its history, and two that ask share no memory", async () => {
    const lawyer = expert(["one", "two"])
    const tool = agentAsTool(lawyer, { description: "Law" })
    const [a, b] = [1, 2].map((i) => boss([asks({ message: `of ${i}` }), "Yes."], [tool]))
    await a!.reply("secret of a")
    await b!.reply("secret of b")
    expect(
      memoryOf(lawyer)
        .map((msg) => textOf(msg))
        .join(),
    ).not.toContain("secret")
    expect([a!, b!].map((agent) => memoryOf(agent).length)).toEqual([4, 4])
  })

  test("sessions are bounded: the one that was not used for longest is forgotten", async () => {
    let made = 0
    const tool = agentAsTool(() => (made++, expert(["a", "b", "c"])), { description: "Law" })
    made = 0
    const toolkit = new Toolkit({ tools: [tool] })
    const call = (session_id: string) =>
      toolkit.execute({ type: "tool_use", id: "1", name: "lawyer", input: { message: "?", session_id } }).result
    await call("first")
    for (let i = 0; i < 99; i++) await call(`s${i}`)
    await call("first")
    expect(made).toBe(100)
    await call("one more")
    await call("first")
    expect(made).toBe(101)
    await call("s0")
    expect(made).toBe(102)
  })
})

describe("when it does not go well", () => {
  test("an interrupt or an abort of the one that asks reaches it", async () => {
    const model = new ManualModel(stalls(...text(0, "Well")))
    const lawyer = new ReActAgent({ name: "lawyer", systemPrompt: "Know.", model })
    const agent = boss([asks({ message: "?" })], [agentAsTool(lawyer, { description: "Law" })])
    const reply = agent.reply("?")
    await idle()
    agent.interrupt()
    expect((await reply).finishReason).toBe("interrupted")
    await idle()
    expect(model.requests[0]?.signal?.aborted).toBe(true)
    expect(textOf(memoryOf(lawyer)[1]!)).toBe("Well")
    expect(lawyer.interrupt()).toBe(false)
  })

  test("an error and an empty budget are error results; an error says whose it is, and its code", async () => {
    const cases: [ReActAgent, RegExp][] = [
      [expert([]), /agent "lawyer" failed \(unexpected_call\): .*ScriptedModel got call 1/],
      [
        new ReActAgent({ name: "lawyer", systemPrompt: "x", model: new ScriptedModel([]), budget: { modelCalls: 0 } }),
        /budget of 0 model calls/,
      ],
    ]
    for (const [lawyer, message] of cases) {
      const agent = boss([asks({ message: "?" }), "Sorry."], [agentAsTool(lawyer, { description: "Law" })])
      await agent.reply("?")
      const [result] = memoryOf(agent).flatMap(toolResultsOf)
      expect(result?.state).toBe("error")
      expect(textOf(result!)).toMatch(message)
    }
  })

  test("an answer at the iteration limit is an answer, and says so", async () => {
    const lawyer = new ReActAgent({
      name: "lawyer",
      systemPrompt: "x",
      model: new ScriptedModel([{ toolUses: [{ name: "add", input: { a: 1, b: 1 } }] }, "So far 2."]),
      tools: [add],
      maxIterations: 1,
    })
    const agent = boss([asks({ message: "?" }), "Ok."], [agentAsTool(lawyer, { description: "Law" })])
    await agent.reply("?")
    expect(memoryOf(agent).flatMap(toolResultsOf)).toMatchObject([
      { state: "success", metadata: { finishReason: "max_iterations" } },
    ])
  })
})

test("names and options", () => {
  expect(agentAsTool(expert([], "Dr. Müller & Co."), { description: "Law" }).name).toBe("Dr_M_ller_Co_")
  expect(agentAsTool(new UserAgent({ name: "Bob" }), { name: "ask_bob", description: "Ask" }).name).toBe("ask_bob")
  expect(() => agentAsTool(expert([]), { descripton: "Law" } as never)).toThrow(/Did you mean "description"/)
  expect(() => agentAsTool(expert([]), {} as never)).toThrow(/description must be a text/)
  expect(() => agentAsTool(expert([]), { description: "x", forwardEvents: 1 as never })).toThrow(/true or false/)
})

test("a factory is asked for an instance only where its name is needed", () => {
  const make = vi.fn(() => expert([]))
  expect(agentAsTool(make, { name: "counsel", description: "Law" }).name).toBe("counsel")
  expect(make).not.toHaveBeenCalled()
  expect(agentAsTool(make, { description: "Law" }).name).toBe("lawyer")
})

test("run from code, outside an agent, it answers too", async () => {
  const tool = agentAsTool(expert(["You may."]), { description: "Law" })
  const answer: string = await tool.run({ message: "May we?" })
  expect(answer).toBe("You may.")
})

describe("what is no agent", () => {
  test.each<[unknown, RegExp]>([
    [undefined, /agent must be an agent, or a function that makes one: .* not undefined/],
    [{ name: "lawyer" }, /not an Object/],
    [ReActAgent, /ReActAgent is a class of agents: give a function that makes one/],
    [() => undefined, /must return an agent, not undefined/],
    [async () => expert([]), /returned a promise: make what it needs before/],
    [() => Promise.reject(new Error("late")), /returned a promise/],
  ])("is refused where the tool is defined (%#)", (agent, message) => {
    const define = () => agentAsTool(agent as never, { description: "Law" })
    expect(define).toThrow(
      expect.objectContaining({ code: "invalid_argument", message: expect.stringMatching(message) }),
    )
  })

  test("is an error result where the tool has a name of its own, and so the factory is first asked by a call", async () => {
    const make = vi.fn(() => undefined)
    const tool = agentAsTool(make as never, { name: "lawyer", description: "Law" })
    expect(make).not.toHaveBeenCalled()
    const agent = boss([asks({ message: "?" }, { message: "?", session_id: "1" }), "No."], [tool])
    await agent.reply("?")
    for (const { state, output } of memoryOf(agent).flatMap(toolResultsOf)) {
      expect([state, JSON.stringify(output)]).toEqual([
        "error",
        expect.stringContaining("must return an agent, not undefined"),
      ])
    }
    expect(() => agentAsTool(ReActAgent as never, { name: "lawyer", description: "Law" })).toThrow(
      /is a class of agents/,
    )
    expect(() => agentAsTool(expert([]), { name: 5 as never, description: "Law" })).toThrow(
      /name must be a text, not 5/,
    )
  })
})
