import { approve, toolResult, userMsg } from "@agentscope-ts/message"
import type { SessionStore } from "@agentscope-ts/state"
import { type AnyTool, tool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { ScriptedModel } from "@agentscope-ts/testing"
import { agentAsTool, ReActAgent } from "../index.ts"
import { byHistory, call, Disk, linesOf, make, memoryOf, script, whole, World } from "../fixtures/sessions.ts"

const count = (world: World, name: string) => world.runs.filter((run) => run.tool === name).length
const input = userMsg("Go.")

describe("a call that ran when its process was killed", () => {
  const cut = async (hangs: string, more?: Parameters<typeof make>[2]) => {
    const disk = new Disk()
    const world = new World()
    world.hangs = hangs
    const begun = new Promise<void>((resolve) => (world.begun = resolve))
    const store = disk.process()
    void make(store, world, more).reply(input)
    await begun
    // the other calls of the round end, and what came of them is saved
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
    disk.kill(store)
    world.hangs = undefined
    return { disk, world }
  }

  test("is told to the model as indeterminate, and not run again", async () => {
    const { disk, world } = await cut("once1")
    const agent = make(disk.process(), world)
    expect(await agent.restore()).toEqual({ found: true, cutOff: true })
    const run = agent.stream()
    const events: string[] = []
    for await (const event of run)
      if (event.type === "tool_result") events.push(`${event.toolUse.id} ${event.result.state}`)
    expect(events).toEqual(expect.arrayContaining(["once1 error", "idempotent1 success"]))
    expect((await run.reply).finishReason).toBe("completed")
    expect(linesOf(memoryOf(agent))[3]).toMatch(/^once1: indeterminate .*not known whether.*not run again/)
    expect(world.runs.filter(({ tool: name, n }) => name === "once" && n === 1)).toHaveLength(1)
  })

  test("runs again under its key where it is idempotent, and beside it what was known is not asked again", async () => {
    const { disk, world } = await cut("idempotent1")
    const agent = make(disk.process(), world)
    await agent.reply()
    expect(linesOf(memoryOf(agent))).toEqual(whole)
    const keys = world.runs.filter(({ tool: name, n }) => name === "idempotent" && n === 1).map(({ key }) => key)
    expect(keys).toEqual([keys[0], keys[0]])
    expect(count(world, "once")).toBe(2)
  })

  test("just runs again where it has no effects", async () => {
    const { disk, world } = await cut("none1")
    const agent = make(disk.process(), world)
    await agent.reply()
    expect(linesOf(memoryOf(agent))).toEqual(whole)
    expect(count(world, "none")).toBe(2)
  })

  test("is closed with what is known of it by a new input", async () => {
    const { disk, world } = await cut("idempotent1")
    const agent = make(disk.process(), world, { steps: [...script.slice(0, 1), "Something else."] })
    await agent.reply("Leave it.")
    expect(linesOf(memoryOf(agent))).toEqual([
      ...whole.slice(0, 2),
      expect.stringMatching(/^none1: interrupted/),
      "once1: success once 1",
      expect.stringMatching(/^idempotent1: indeterminate/),
      "user: Leave it.",
      "assistant: Something else.",
    ])
    expect(world.runs).toHaveLength(3)
  })

  test("is told as far as it is known also when the reply that goes on is stopped, or may not spend on tools", async () => {
    for (const stop of ["interrupt", "budget"]) {
      const { disk, world } = await cut("idempotent1")
      const agent = make(disk.process(), world, {
        ...(stop === "budget" && { budget: { toolCalls: 0 } }),
        ...(stop === "interrupt" && { hooks: { preActing: () => void agent.interrupt() } }),
      })
      await agent.reply()
      expect(linesOf(memoryOf(agent)).slice(3, 5), stop).toEqual([
        "once1: success once 1",
        expect.stringMatching(/^idempotent1: indeterminate/),
      ])
      expect(world.runs.slice(3)).toEqual([])
    }
  })

  test("is gone on with also when the same message is sent again", async () => {
    const { disk, world } = await cut("idempotent3")
    const agent = make(disk.process(), world)
    await agent.reply(input)
    expect(linesOf(memoryOf(agent))).toEqual(whole)
  })

  test("is indeterminate where its tool is gone, has become one of unknown effects, or would get other arguments", async () => {
    const once = tool({
      name: "idempotent",
      description: "Changed",
      input: z.object({ n: z.number() }),
      execute: () => "ran",
    })
    const tools = (world: World) => world.tools.filter(({ name }) => name !== "idempotent")
    for (const change of ["gone", "changed", "hooked"]) {
      const { disk, world } = await cut("idempotent1")
      const before = world.runs.length
      const agent = make(disk.process(), world, {
        ...(change !== "hooked" && { tools: change === "gone" ? tools(world) : [...tools(world), once] }),
        ...(change === "hooked" && {
          hooks: { preActing: ({ input: { toolUse } }) => ({ toolUse: { ...toolUse, input: { n: 77 } } }) },
        }),
        steps: [...script.slice(0, 1), "Done."],
      })
      await agent.reply()
      expect(
        linesOf(memoryOf(agent)).find((line) => line.startsWith("idempotent1")),
        change,
      ).toMatch(/indeterminate/)
      expect(world.runs.slice(before).filter((run) => run.tool === "idempotent")).toEqual([])
    }
  })

  test("runs once more without a journal, whatever its effects", async () => {
    const disk = new Disk()
    const world = new World()
    world.hangs = "once2"
    const begun = new Promise<void>((resolve) => (world.begun = resolve))
    const session = (store: SessionStore) => ({ session: { store, id: "s", journal: false } })
    void make(disk.process(), world, session(disk.process())).reply(input)
    await begun
    world.hangs = undefined
    const agent = make(disk.process(), world, session(disk.process()))
    await agent.reply()
    expect(linesOf(memoryOf(agent))).toEqual(whole)
    expect(world.runs.filter(({ n, tool: name }) => name === "once" && n === 2)).toHaveLength(2)
  })
})

describe("calls that wait", () => {
  const world = () => {
    const ran: string[] = []
    let hang = true
    let begun = (): void => {}
    const started = new Promise<void>((resolve) => (begun = resolve))
    const effectsOf = { pay: "once", set: "idempotent" } as const
    const tools: AnyTool[] = (["pay", "set"] as const).map((name) =>
      tool({
        name,
        description: name,
        effects: effectsOf[name],
        needsApproval: true,
        input: z.object({ n: z.number() }),
        execute: ({ n }, ctx) => {
          ran.push(`${name} ${n} ${ctx.idempotencyKey}`)
          if (!hang || n !== 1) return `${name} ${n}`
          begun()
          return new Promise<string>(() => {})
        },
      }),
    )
    tools.push(tool({ name: "ask", description: "Ask", input: z.object({ n: z.number() }) }))
    return { ran, tools, started, unhang: () => (hang = false) }
  }
  const steps = [{ toolUses: [call("pay", 1), call("set", 1), call("pay", 2), call("ask", 3)] }, "Done."]
  const of = (disk: Disk, { tools }: ReturnType<typeof world>) => make(disk.process(), new World(), { tools, steps })
  const answersOf = (agent: ReActAgent) => ({
    approvals: agent.pending.flatMap((each) => (each.kind === "approval" ? [approve(each)] : [])),
    results: agent.pending.flatMap((each) => (each.kind === "external" ? [toolResult(each.toolUse, "asked")] : [])),
  })

  test("are there in another process without being saved by hand", async () => {
    const disk = new Disk()
    const place = world()
    place.unhang()
    expect((await of(disk, place).reply(input)).finishReason).toBe("approval_required")
    const agent = of(disk, place)
    expect(await agent.restore()).toEqual({ found: true, cutOff: false })
    expect(agent.pending).toHaveLength(4)
    expect((await agent.resume(answersOf(agent))).finishReason).toBe("completed")
  })

  test.each(["reply()", "the same answers"])(
    "and were approved when the process was killed go on with %s: what ran once is indeterminate, the rest is done",
    async (how) => {
      const disk = new Disk()
      const place = world()
      await of(disk, place).reply(input)
      const second = of(disk, place)
      await second.restore()
      void second.resume(answersOf(second))
      await place.started
      await expect.poll(() => place.ran.length).toBe(3)
      place.unhang()
      const agent = of(disk, place)
      expect(await agent.restore()).toEqual({ found: true, cutOff: true })
      expect(agent.pending).toHaveLength(4)
      const reply = await (how === "reply()" ? agent.reply() : agent.resume(answersOf(agent)))
      expect(reply.finishReason).toBe("completed")
      expect(linesOf(memoryOf(agent)).slice(2)).toEqual([
        expect.stringMatching(/^pay1: indeterminate/),
        "set1: success set 1",
        "pay2: success pay 2",
        "ask3: success asked",
        "assistant: Done.",
      ])
      expect(place.ran.filter((run) => run.startsWith("pay 1"))).toHaveLength(1)
      expect(place.ran.filter((run) => run.startsWith("pay 2"))).toHaveLength(1)
      const set = place.ran.filter((run) => run.startsWith("set 1"))
      expect(set).toEqual([set[0], set[0]])
    },
  )

  test("and were approved when the process was killed are closed with what is known by a new input", async () => {
    const disk = new Disk()
    const place = world()
    await of(disk, place).reply(input)
    const second = of(disk, place)
    await second.restore()
    void second.resume(answersOf(second))
    await place.started
    await expect.poll(() => place.ran.length).toBe(3)
    const agent = of(disk, place)
    await agent.reply("Never mind.")
    expect(linesOf(memoryOf(agent)).slice(2)).toEqual([
      expect.stringMatching(/^pay1: indeterminate/),
      expect.stringMatching(/^set1: indeterminate/),
      "pay2: success pay 2",
      expect.stringMatching(/^ask3: interrupted/),
      "user: Never mind.",
      "assistant: Done.",
    ])
    expect(place.ran).toHaveLength(3)
  })

  test("wait on after answers that fit none of them", async () => {
    const disk = new Disk()
    const place = world()
    place.unhang()
    await of(disk, place).reply(input)
    const agent = of(disk, place)
    await expect(
      agent.resume({
        results: [{ ...toolResult(agent.pending[0]?.toolUse ?? (call("x", 1) as never), "x"), id: "x" }],
      }),
    ).rejects.toMatchObject({ code: "unknown_pending" })
    expect(agent.pending).toHaveLength(4)
    expect((await of(disk, place).restore()).cutOff).toBe(false)
  })
})

test("a call of a sub-agent that waits is there after a restart, and what it did once it was answered is not done twice", async () => {
  let signed = 0
  let hang = false
  let begun = (): void => {}
  const sign = tool({
    name: "sign",
    description: "Sign",
    input: {},
    needsApproval: true,
    execute: () => {
      signed++
      if (!hang) return "signed"
      begun()
      return new Promise<string>(() => {})
    },
  })
  const lawyer = () => {
    const model = new ScriptedModel(byHistory([{ toolUses: [{ name: "sign", input: {} }] }, "It is signed."]))
    return new ReActAgent({ name: "lawyer", systemPrompt: "Law.", model, tools: [sign] })
  }
  const steps = [{ toolUses: [{ id: "law", name: "lawyer", input: { message: "Sign." } }] }, "Done."]
  const of = (disk: Disk) =>
    make(disk.process(), new World(), { tools: [agentAsTool(lawyer, { description: "Law" })], steps })
  for (const killed of [false, true]) {
    const disk = new Disk()
    expect((await of(disk).reply(input)).finishReason).toBe("approval_required")
    const agent = of(disk)
    await agent.restore()
    expect(agent.pending.map(({ toolUse }) => toolUse.name)).toEqual(["sign"])
    const approvals = agent.pending.map((each) => approve(each))
    signed = 0
    hang = killed
    const started = new Promise<void>((resolve) => (begun = resolve))
    const reply = agent.resume({ approvals })
    if (killed) await started
    else await reply
    const last = of(disk)
    expect((await last.restore()).cutOff).toBe(killed)
    if (killed) await last.reply()
    expect(linesOf(memoryOf(last)).slice(-2)).toEqual([
      killed ? expect.stringMatching(/^law: indeterminate/) : "law: success It is signed.",
      "assistant: Done.",
    ])
    expect(signed).toBe(1)
  }
})
