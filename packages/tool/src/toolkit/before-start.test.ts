import { textOf } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { z } from "zod"
import { use } from "../fixtures/calls.ts"
import { type StartingCall, Toolkit, tool } from "../index.ts"

const keys: string[] = []
const ran: string[] = []
const pay = tool({
  name: "pay",
  description: "Pays",
  effects: "idempotent",
  input: z.object({ sum: z.number().max(100), token: z.string().optional() }),
  needsApproval: ({ sum }) => sum > 50,
  execute: ({ sum }, ctx) => {
    ran.push(`paid ${sum}`)
    keys.push(ctx.idempotencyKey)
    return "paid"
  },
})
const toolkit = new Toolkit({ tools: [pay] })

test("a tool runs once it may: after its input and its approval were judged, and with what the model sent alone", async () => {
  ran.length = 0
  const asked: StartingCall[] = []
  let go = (): void => {}
  const beforeStart = (call: StartingCall) => {
    asked.push(call)
    return new Promise<void>((resolve) => (go = resolve))
  }
  for (const input of [{ sum: 200 }, { sum: 70 }, "no JSON"]) {
    await toolkit.execute(use("pay", input as never), { beforeStart }).result
  }
  expect(asked).toEqual([])
  const call = use("pay", { sum: 5 })
  const run = toolkit.execute(call, { beforeStart })
  expect(asked).toEqual([{ toolUse: call, effects: "idempotent" }])
  expect(ran).toEqual([])
  go()
  expect((await run.result).state).toBe("success")
  expect(ran).toEqual(["paid 5"])
})

test("a tool does not run where that was refused, or the call was given up meanwhile", async () => {
  ran.length = 0
  const refused = toolkit.execute(use("pay", { sum: 1 }), { beforeStart: () => Promise.reject(new Error("disk full")) })
  const result = await refused.result
  expect(result).toMatchObject({ state: "error", metadata: { error: { code: "not_started" } } })
  expect(textOf(result)).toContain("disk full")
  let go = (): void => {}
  const run = toolkit.execute(use("pay", { sum: 1 }), { beforeStart: () => new Promise((resolve) => (go = resolve)) })
  run.cancel()
  go()
  expect(await run.result).toMatchObject({ state: "interrupted" })
  expect((await run.result).metadata?.["indeterminate"]).toBeUndefined()
  expect(ran).toEqual([])
})

test("a key names one call of one conversation, each time that it is run", async () => {
  keys.length = 0
  const agent = { id: "agent-1", name: "Friday" }
  const terms = [
    { id: "c1", agent },
    { id: "c1", agent },
    { id: "c2", agent },
    { id: "c1", agent: { ...agent, id: "agent-2" } },
    { id: "c1", agent, conversation: "talk" },
    { id: "c1", agent: { ...agent, id: "agent-2" }, conversation: "talk" },
    { id: "", conversation: "talkc1" },
  ]
  for (const { id, ...options } of terms) {
    await toolkit.execute({ ...use("pay", { sum: 1 }), id }, options).result
  }
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
  const [first, again, other, elsewhere, talk, taken, apart] = keys
  expect(again).toBe(first)
  expect(taken).toBe(talk)
  expect(new Set([first, other, elsewhere, talk, apart]).size).toBe(5)
  await pay.run({ sum: 1 })
  expect(keys.at(-1)).toBe("")
})
