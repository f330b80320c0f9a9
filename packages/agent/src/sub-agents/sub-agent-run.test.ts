import { approve, AgentScopeError, replaceAmbient, textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { contextKey, tool, type ToolContext } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { agentOf, asTool, calls, paying, resultsOf } from "../fixtures/family.ts"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, gate, idle, memoryOf, ofType } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { AgentBase, Budget, type ReActAgent } from "../index.ts"

const asks = (name: string, message = "?") => calls([name, { message }])
/** Waits until somebody aborts it. */
const hangs = () => {
  let aborted = false
  const began = gate()
  const hang = named("hang", (_, { signal }) => {
    signal.addEventListener("abort", () => (aborted = true))
    began.resolve()
    return new Promise(() => {})
  })
  return { hang, began: began.promise, wasAborted: () => aborted }
}

describe("stopped with the one that asks", () => {
  test.each(["interrupt", "abort"] as const)(
    "an %s ends the tools three deep; each history is valid and says so",
    async (how) => {
      const { hang, began, wasAborted } = hangs()
      const clerk = agentOf("clerk", [calls(["hang", {}])], [hang])
      const lawyer = agentOf("lawyer", [asks("clerk")], [asTool(clerk)])
      const boss = agentOf("boss", [asks("lawyer")], [asTool(lawyer)])
      const program = new AbortController()
      const reply = boss.reply("Go", { signal: program.signal })
      reply.catch(() => {})
      await began
      const start = performance.now()
      if (how === "interrupt") boss.interrupt()
      else program.abort(new Error("enough"))
      expect(wasAborted()).toBe(true)
      if (how === "interrupt") expect((await reply).finishReason).toBe("interrupted")
      else await expect(reply).rejects.toThrow("enough")
      expect(performance.now() - start).toBeLessThan(100)
      for (const agent of [boss, lawyer, clerk]) {
        expect(resultsOf(agent)).toEqual([expect.stringMatching(/^interrupted/)])
        expect(agent.interrupt()).toBe(false)
        expectValid(memoryOf(agent))
        if (how === "interrupt") expect(memoryOf(agent).at(-1)?.finishReason).toBe("interrupted")
      }
      lawyer.toolkit.clear()
    },
  )

  test("a model stream is cut, and what it said is kept", async () => {
    const model = new ManualModel(stalls(...text(0, "Well")))
    const lawyer = agentOf("lawyer", [], [], { model })
    const boss = agentOf("boss", [asks("lawyer")], [asTool(lawyer)])
    const run = boss.stream("Go")
    for await (const event of run) if (event.type === "text_delta") run.interrupt("Stop")
    expect(model.requests[0]?.signal?.aborted).toBe(true)
    expect(memoryOf(lawyer).map((msg) => [textOf(msg), msg.finishReason])).toEqual([
      ["?", undefined],
      ["Well", "interrupted"],
      [expect.stringContaining("interrupted me"), "interrupted"],
    ])
  })

  test("one that waits until it is free does not begin any more", async () => {
    const { hang, began } = hangs()
    const lawyer = agentOf("lawyer", [calls(["hang", {}])], [hang])
    const own = lawyer.reply("of somebody else")
    await began
    const boss = agentOf("boss", [asks("lawyer")], [asTool(lawyer)])
    const reply = boss.reply("Go")
    await idle()
    boss.interrupt()
    expect((await reply).finishReason).toBe("interrupted")
    lawyer.interrupt()
    await own
    expect(
      memoryOf(lawyer)
        .map((msg) => textOf(msg))
        .join(),
    ).not.toContain("?,")
    expect(memoryOf(lawyer)[0]).toMatchObject({ name: "user" })
  })

  test("while answers are worked off", async () => {
    const { pay } = paying()
    const { hang, began } = hangs()
    const lawyer = agentOf("lawyer", [calls(["pay", { amount: 1 }]), calls(["hang", {}])], [pay, hang])
    const boss = agentOf("boss", [calls(["lawyer", { message: "?" }], ["pay", { amount: 2 }])], [asTool(lawyer), pay])
    await boss.reply("Go")
    const reply = boss.resume({ approvals: [approve(boss.pending[0]!)] })
    await began
    boss.interrupt()
    expect((await reply).finishReason).toBe("interrupted")
    expect(boss.pending).toEqual([])
    expect(resultsOf(boss).map((line) => line.slice(0, 11))).toEqual(["interrupted", "interrupted"])
    for (const agent of [boss, lawyer]) expectValid(memoryOf(agent))
  })

  test("an agent that does not end is not waited for without end", async () => {
    class Stubborn extends AgentBase {
      protected override run(): Promise<never> {
        return new Promise(() => {})
      }
      protected override handleInterrupt(): Promise<string> {
        return new Promise(() => {})
      }
    }
    const boss = agentOf("boss", [asks("mule")], [asTool(new Stubborn({ name: "mule" }) as never)])
    const reply = boss.reply("Go")
    await idle()
    const waited: number[] = []
    const restore = replaceAmbient({ sleep: async (ms) => void waited.push(ms) })
    try {
      boss.interrupt()
      expect((await reply).finishReason).toBe("interrupted")
    } finally {
      restore()
    }
    expect(waited).toEqual([2000])
  })

  test("a call that takes too long interrupts it, and the one that asks goes on; without a limit nothing does", async () => {
    const { hang } = hangs()
    const lawyer = agentOf("lawyer", [calls(["hang", {}])], [hang])
    const boss = agentOf("boss", [asks("lawyer"), "Too slow."], [asTool(lawyer, { timeoutMs: 20 })])
    expect(textOf(await boss.reply("Go"))).toBe("Too slow.")
    expect(resultsOf(boss)).toEqual([expect.stringMatching(/^error: .*within 20 ms/)])
    await idle()
    expect(memoryOf(lawyer).at(-1)?.finishReason).toBe("interrupted")
    expect(asTool(lawyer)).toMatchObject({ timeoutMs: Number.POSITIVE_INFINITY })
  })

  test("a steering message is for the one at the top", async () => {
    const open = gate()
    const slow = named("slow", () => open.promise)
    const lawyer = agentOf("lawyer", [calls(["slow", {}]), "Yes."], [slow])
    const boss = agentOf("boss", [asks("lawyer"), "Ok."], [asTool(lawyer)])
    const reply = boss.reply("Go")
    await idle()
    boss.steer("Hurry")
    open.resolve()
    await reply
    expect(memoryOf(boss).map((msg) => textOf(msg))).toContain("Hurry")
    expect(memoryOf(lawyer).map((msg) => textOf(msg))).not.toContain("Hurry")
  })
})

describe("agents that ask each other", () => {
  test("one that asks itself is told so, with whenBusy queue, too", async () => {
    for (const whenBusy of ["throw", "queue"] as const) {
      const tools: ReturnType<typeof asTool>[] = []
      const boss: ReActAgent = agentOf("boss", [asks("me"), "Ok."], [], { whenBusy })
      tools.push(asTool(boss, { name: "me" }))
      boss.toolkit.register(tools[0]!)
      await boss.reply("Go")
      expect(resultsOf(boss)).toEqual([expect.stringMatching(/^error: .*busy until this very call.*boss > boss/)])
    }
  })

  test("two that ask each other at the same time do not wait for ever", { timeout: 5000 }, async () => {
    const a = agentOf("a", [asks("b"), "a1", "a2"])
    const b = agentOf("b", [asks("a"), "b1", "b2"])
    a.toolkit.register(asTool(b))
    b.toolkit.register(asTool(a))
    await Promise.all([a.reply("Go"), b.reply("Go")])
    const results = [...resultsOf(a), ...resultsOf(b)]
    expect(results.filter((line) => /busy until this very call/.test(line))).toHaveLength(1)
    for (const agent of [a, b]) expectValid(memoryOf(agent))
  })

  test("a chain without end is cut, at a cost that grows with its depth alone", { timeout: 20_000 }, async () => {
    let calls = 0
    const again = ({ messages }: { messages: readonly unknown[] }) => (
      calls++, asks("self", `${messages.length} ${calls}`)
    )
    const make = (): ReActAgent =>
      agentOf(
        "self",
        Array.from({ length: 20 }, () => again as never),
        [asTool(make, { name: "self" })],
      )
    const boss = agentOf("boss", [asks("self"), "Ok."], [asTool(make, { name: "self" })])
    expect(textOf(await boss.reply("Go"))).toBe("Ok.")
    expect(resultsOf(boss)).toEqual([
      expect.stringMatching(/^error: .*ask each other more than 15 deep: boss > self > self/),
    ])
    expect(calls).toBeLessThan(20)
    expect(memoryOf(boss).flatMap(toolResultsOf)[0]?.metadata).toMatchObject({ error: { code: "too_deep" } })
  })
})

describe("endings", () => {
  const add = named("add", () => 2)
  test("a reply that is not whole says why", async () => {
    const round = calls(["add", {}])
    const cases: [ReActAgent, RegExp, string][] = [
      [
        agentOf("x", [round, "So far 2."], [add], { maxIterations: 1 }),
        /^success: So far 2\.\n.*limit of iterations/,
        "max_iterations",
      ],
      [agentOf("x", [round, round, "?"], [add], { maxRepeats: 2 }), /^success: .*\n.*repeated itself/, "repetition"],
      [agentOf("x", [], [], { budget: { modelCalls: 0 } }), /^error: .*budget of 0 model calls/, "budget_exceeded"],
    ]
    for (const [agent, said, finishReason] of cases) {
      const boss = agentOf("boss", [asks("x"), "Ok."], [asTool(agent)])
      await boss.reply("Go")
      expect(resultsOf(boss)).toEqual([expect.stringMatching(said)])
      expect(memoryOf(boss).flatMap(toolResultsOf)).toMatchObject([{ metadata: { finishReason } }])
    }
  })

  test("an error keeps its code", async () => {
    const error = new AgentScopeError({ code: "rate_limited", message: "slow down", retryable: true })
    const model = new ScriptedModel([
      () => {
        throw error
      },
    ])
    const boss = agentOf("boss", [asks("x"), "Ok."], [asTool(agentOf("x", [], [], { model }))])
    await boss.reply("Go")
    expect(resultsOf(boss)).toEqual([expect.stringMatching(/agent "x" failed \(rate_limited\): slow down/)])
    expect(memoryOf(boss).flatMap(toolResultsOf)[0]?.metadata).toMatchObject({
      error: { code: "rate_limited", retryable: true },
    })
  })

  test("one that was interrupted by itself is told as such", async () => {
    const { hang, began } = hangs()
    const lawyer = agentOf("lawyer", [calls(["hang", {}])], [hang])
    const boss = agentOf("boss", [asks("lawyer"), "Ok."], [asTool(lawyer)])
    const reply = boss.reply("Go")
    await began
    lawyer.interrupt()
    expect(textOf(await reply)).toBe("Ok.")
    expect(resultsOf(boss)).toEqual([expect.stringMatching(/^interrupted: .*\n.*was interrupted/)])
  })
})

test("values of the asking agent's context reach the tools below, after the agent's own", async () => {
  const [user, tenant] = [contextKey<string>("user"), contextKey<string>("tenant")]
  const who = tool({
    name: "who",
    description: "Who",
    input: {},
    execute: (_, ctx: ToolContext) => `${ctx.get(user)} of ${ctx.get(tenant)}`,
  })
  const clerk = () => agentOf("clerk", [calls(["who", {}]), "Ok."], [who], { context: [tenant.of("own")] })
  const clerks: ReActAgent[] = []
  const kept = () => (clerks.push(clerk()), clerks.at(-1)!)
  const lawyer = () => agentOf("lawyer", [asks("clerk"), "Ok."], [asTool(kept)])
  const boss = agentOf("boss", [asks("lawyer"), "Ok."], [asTool(lawyer)], { context: [tenant.of("boss's")] })
  await boss.reply("Go", { context: [user.of("Ada")] })
  expect(resultsOf(clerks.at(-1)!)).toEqual(["success: Ada of own"])
})

test("what it spends counts for the one that asks: usage, and a lease of the budget for each call", async () => {
  const usage = { inputTokens: 10, outputTokens: 5 }
  const lawyer = () =>
    agentOf(
      "lawyer",
      [
        { ...(calls(["add", {}]) as object), usage },
        { text: "Yes.", usage },
        { text: "More", usage },
      ],
      [named("add", () => 1)],
    )
  const budget = new Budget({ tokens: 1000 })
  const boss = agentOf(
    "boss",
    [
      { ...(asks("lawyer") as object), usage },
      { text: "Ok.", usage },
    ],
    [asTool(lawyer, { budget: { modelCalls: 1 } })],
    { budget },
  )
  const reply = await boss.reply("Go")
  expect(resultsOf(boss)).toEqual([expect.stringMatching(/^error: .*budget of 1 model calls/)])
  expect(reply.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 })
  expect(budget.spent).toMatchObject({ tokens: 45, modelCalls: 3, toolCalls: 2 })
})

test("its events are heard in order, also by what prints, and none once the reply has ended", async () => {
  const printed: string[] = []
  const lawyer = agentOf("lawyer", [calls(["add", {}]), "Yes."], [named("add", () => 1)])
  const boss = agentOf("boss", [asks("lawyer"), "Ok."], [asTool(lawyer)], {
    print: (event) => void printed.push(`${event.seq} ${[...event.path, event.agent].join("/")} ${event.type}`),
  })
  const events = await eventsOf(boss.stream("Go"))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
  expect(printed).toEqual(events.map((event) => `${event.seq} ${[...event.path, event.agent].join("/")} ${event.type}`))
  expect(ofType(events, "reply_start").map(({ path }) => path)).toEqual([[], ["boss"]])
})
