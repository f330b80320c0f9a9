import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { approve, deny, textOf, toolResult, toolResultMsg, toolResultsOf } from "@agentscope-ts/message"
import { MemorySessionStore } from "@agentscope-ts/state"
import { beforeEach, expect, test } from "vitest"
import { z } from "zod"
import { agentOf, ask, asTool, calls, paying, resultsOf } from "../fixtures/family.ts"
import { eventsOf, expectValid, idle, memoryOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import type { ReActAgent } from "../index.ts"

const asks = calls(["lawyer", { message: "?" }])
let made: ReActAgent[] = []
beforeEach(() => {
  made = []
})
/** A factory of lawyers that pay. */
const payer =
  (pay: ReturnType<typeof paying>["pay"], ...steps: Parameters<typeof agentOf>[1]) =>
  () => {
    made.push(agentOf("lawyer", steps.length > 0 ? steps : [calls(["pay", { amount: 5 }]), "Paid."], [pay]))
    return made.at(-1)!
  }

test("hooks around the call see it wait, and then its result; the call that they changed is the one that is gone on with", async () => {
  const { pay, paid } = paying()
  const seen: string[] = []
  const boss = agentOf("boss", [asks, "Done."], [asTool(payer(pay))], {
    hooks: {
      preActing: ({ input }) => {
        seen.push("before")
        return { toolUse: { ...input.toolUse, input: { message: "Now." } } }
      },
      postActing: ({ output }) => {
        seen.push(output.state)
        return { ...output }
      },
    },
  })
  await boss.reply("Go")
  expect(boss.pending).toMatchObject([{ path: ["boss", "lawyer"] }])
  await boss.resume({ approvals: [approve(boss.pending[0]!)] })
  expect([seen, paid]).toEqual([["before", "suspended", "success"], [5]])
  expect(textOf(memoryOf(made.at(-1)!)[0]!)).toBe("Now.")
})

test("a structured answer beside a sub-agent that waits is asked for again", async () => {
  const { pay } = paying()
  const finish = ["generate_response", { ok: true }] as [string, object]
  const boss = agentOf("boss", [calls(["lawyer", { message: "?" }], finish), calls(finish)], [asTool(payer(pay))])
  const schema = z.object({ ok: z.boolean() })
  expect((await boss.reply("Go", { schema })).finishReason).toBe("approval_required")
  const reply = await boss.resume({ approvals: [approve(boss.pending[0]!)] }, { schema })
  expect(reply.structured).toEqual({ ok: true })
  expectValid(memoryOf(boss))
})

test("where the tool is gone, or the message is, what waits below is closed", async () => {
  const { pay } = paying()
  const one = agentOf("boss", [asks, "Done."], [asTool(payer(pay))])
  await one.reply("Go")
  one.toolkit.remove("lawyer")
  expect(textOf(await one.resume({ approvals: [approve(one.pending[0]!)] }))).toBe("Done.")
  expect(resultsOf(one)).toEqual([expect.stringMatching(/^error: There is no tool "lawyer"/)])
  expect(made.at(-1)?.pending).toEqual([])

  const two = agentOf("boss", [asks, "Done."], [asTool(payer(pay))])
  await two.reply("Go")
  const waiting = two.pending[0]!
  expect(made.at(-1)?.pending).toHaveLength(1)
  await two.memory.clear()
  await expect(two.resume({ approvals: [approve(waiting)] })).rejects.toMatchObject({ code: "unknown_pending" })
  expect(made.at(-1)?.pending).toEqual([])
})

test("a tool message answers, too; a call from outside can be refused", async () => {
  for (const how of ["answered", "refused"]) {
    const lawyer = agentOf("lawyer", [calls(["ask", { question: "?" }]), "Ok!"], [ask])
    const boss = agentOf("boss", [asks, "Done."], [asTool(lawyer)])
    await boss.reply("Go")
    const call = boss.pending[0]!
    if (how === "answered") await boss.reply(toolResultMsg([toolResult(call.toolUse, "yes")]))
    else await boss.resume({ approvals: [deny(call, "no")] })
    expect(resultsOf(boss)).toEqual(["success: Ok!"])
    expect(resultsOf(lawyer)).toEqual([how === "answered" ? "success: yes" : "denied: There will be no result: no."])
  }
})

test("who leaves when a call is told to wait leaves nothing that waits", async () => {
  const { pay } = paying()
  const boss = agentOf("boss", [asks, "Done."], [asTool(payer(pay))])
  for await (const event of boss.stream("Go")) if (event.type === "pending") break
  expect([boss.pending, made.at(-1)?.pending]).toEqual([[], []])
  for (const agent of [boss, made.at(-1)!]) expectValid(memoryOf(agent))
})

test("with a session: it goes on after the program was stopped, and a call that was cut off while it went on runs no second time", async () => {
  const { pay, paid } = paying()
  const store = new MemorySessionStore()
  const boss = (tool: ReturnType<typeof asTool>, ...steps: Parameters<typeof agentOf>[1]) =>
    agentOf("boss", steps, [tool], { session: { store, id: "s" } })
  await boss(asTool(payer(pay)), asks).reply("Go")
  const hang = named("hang", () => new Promise(() => {}))
  const hangs = () => agentOf("lawyer", [calls(["hang", {}])], [pay, hang])
  const two = boss(asTool(hangs), "Done.")
  await two.restore()
  const approvals = [approve(two.pending[0]!)]
  two.resume({ approvals }).catch(() => {})
  while (paid.length === 0) await idle()
  // and it never comes back
  const three = boss(asTool(payer(pay, "Paid.")), "Done.")
  expect(await three.restore()).toMatchObject({ found: true, cutOff: true })
  expect(textOf(await three.resume({ approvals }))).toBe("Done.")
  expect(resultsOf(three)).toEqual([expect.stringMatching(/^error: The program was stopped while "lawyer" ran/)])
  expect(paid).toEqual([5])
  expectValid(memoryOf(three))
})

test("FR-35 sub-agents that have answered are let go", async () => {
  const refs: WeakRef<ReActAgent>[] = []
  const lawyer = () => {
    const agent = agentOf("lawyer", ["Yes."])
    refs.push(new WeakRef(agent))
    return agent
  }
  const rounds = Array.from({ length: 50 }, (_, i) => calls(["lawyer", { message: `${i}` }]))
  const boss = agentOf("boss", [...rounds, "Done."], [asTool(lawyer)], { maxIterations: 100 })
  await eventsOf(boss.stream("Go"))
  expect(memoryOf(boss).flatMap(toolResultsOf)).toHaveLength(50)
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void
  for (let i = 0; i < 20 && refs.some((ref) => ref.deref()); i++) {
    await idle()
    gc()
  }
  expect(refs.filter((ref) => ref.deref())).toHaveLength(0)
  expect(boss.pending).toEqual([])
})
