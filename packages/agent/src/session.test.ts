import {
  approve,
  type Msg,
  textOf,
  type ToolResultBlock,
  toolResult,
  toolResultsOf,
  userMsg,
} from "@agentscope-ts/message"
import { MemorySessionStore, type SessionLog, type SessionStore, SqliteSessionStore } from "@agentscope-ts/state"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { type AnyTool, tool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { ReActAgent, type ReActOptions } from "./index.ts"

/** A process that can be killed at its n-th write: that one and all after it never end, made or not made before. */
class Disk {
  readonly store = new MemorySessionStore()
  writes = 0
  readonly #dead = new Set<SessionStore>()

  process(killAt = Number.POSITIVE_INFINITY, isMade = true): SessionStore {
    const disk = this
    const { log } = this.store as unknown as { readonly log: SessionLog }
    const write = async (make: () => ReturnType<SessionLog["append"]>) => {
      const at = ++disk.writes
      if (at < killAt && !disk.#dead.has(mine)) return make()
      if (at === killAt && isMade) make()
      killed()
      return new Promise<never>(() => {})
    }
    let killed = (): void => {}
    class Process extends MemorySessionStore {
      readonly killed = new Promise<void>((resolve) => (killed = resolve))
      protected override get log(): SessionLog {
        return {
          read: log.read,
          replace: (...args) => write(() => log.replace(...args)),
          append: (...args) => write(() => log.append(...args)),
        }
      }
    }
    this.writes = 0
    const mine = new Process()
    return mine
  }

  /** Kills a process: what it still does is seen by nobody. */
  kill(store: SessionStore): void {
    this.#dead.add(store)
  }
}

/** What the world has seen: each entry a run of a tool, with its key. */
class World {
  readonly runs: { readonly tool: string; readonly n: number; readonly key: string }[] = []
  /** A tool, by name, that never ends: its process is killed while it runs. */
  hangs: string | undefined
  begun = (): void => {}

  readonly tools: readonly AnyTool[] = (["none", "idempotent", "once"] as const).map((effects) =>
    tool({
      name: effects,
      description: effects,
      effects,
      input: z.object({ n: z.number() }),
      execute: ({ n }, ctx) => {
        this.runs.push({ tool: effects, n, key: ctx.idempotencyKey })
        if (this.hangs !== `${effects}${n}`) return `${effects} ${n}`
        this.begun()
        return new Promise<string>(() => {})
      },
    }),
  )
}

const call = (name: string, n: number, id = `${name}${n}`) => ({ id, name, input: { n } })
/** Answers by how far the conversation is: made anew after a kill it goes on as it would have. */
const byHistory = (steps: readonly ScriptedStep[]): ScriptedStep[] =>
  Array.from(
    { length: 20 },
    () =>
      ({ messages }: { readonly messages: readonly Msg[] }) =>
        steps[messages.filter(({ role }) => role === "assistant").length] as ScriptedStep,
  )
const script = [
  { text: "Let me see.", toolUses: [call("none", 1), call("once", 1), call("idempotent", 1)] },
  { toolUses: [call("once", 2)] },
  { toolUses: [call("idempotent", 3)] },
  "Done.",
]
const make = (
  store: SessionStore,
  world: World,
  more: Partial<ReActOptions> & { steps?: readonly ScriptedStep[] } = {},
) => {
  const { steps = script, ...options } = more
  const model = new ScriptedModel(byHistory(steps))
  return new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model,
    tools: world.tools,
    session: { store, id: "s" },
    ...options,
  })
}
const linesOf = (messages: readonly Msg[]): string[] =>
  messages.flatMap((msg) => {
    const results = toolResultsOf(msg).map((result) => `${result.id}: ${stateOf(result)} ${textOf(result)}`)
    return results.length > 0 ? results : [`${msg.role}: ${textOf(msg)}`]
  })
const stateOf = ({ state, metadata }: ToolResultBlock) => (metadata?.["indeterminate"] ? "indeterminate" : state)
const whole = [
  "user: Go.",
  "assistant: Let me see.",
  "none1: success none 1",
  "once1: success once 1",
  "idempotent1: success idempotent 1",
  "assistant: ",
  "once2: success once 2",
  "assistant: ",
  "idempotent3: success idempotent 3",
  "assistant: Done.",
]
const memoryOf = (agent: ReActAgent) => agent.memory.get() as readonly Msg[]
const killedOf = (store: SessionStore) => (store as unknown as { readonly killed: Promise<void> }).killed
/** Answers a message with an id of its own, or goes on: what a program does that may have been killed anywhere. */
async function goOn(agent: ReActAgent, input: Msg) {
  const { cutOff } = await agent.restore()
  if (cutOff || !memoryOf(agent).some(({ id }) => id === input.id)) await agent.reply(cutOff ? undefined : input)
}
const count = (world: World, name: string) => world.runs.filter((run) => run.tool === name).length
const input = userMsg("Go.")

test("a reply saves its input, what the model says, each call before and after it has an effect, and its end", async () => {
  const disk = new Disk()
  const agent = make(disk.process(), new World())
  await agent.reply(input)
  expect(linesOf(memoryOf(agent))).toEqual(whole)
  // 1 input, 3 rounds, 3 results, 1 end; four calls with effects, two of them at once
  expect(disk.writes).toBeGreaterThanOrEqual(8 + 6)
  expect(disk.writes).toBeLessThanOrEqual(8 + 8)
  const again = make(disk.process(), new World())
  expect(await again.restore()).toEqual({ found: true, cutOff: false })
  expect(memoryOf(again)).toEqual(memoryOf(agent))
  expect(disk.writes).toBe(0)
})

describe.each([
  ["made", true],
  ["not made", false],
])("a process that is killed at any write, that one %s, is gone on with", (_, isMade) => {
  test("to the same end: no message lost or doubled, and a call of unknown outcome not run again", async () => {
    const dry = new Disk()
    await make(dry.process(), new World()).reply(input)
    for (let killAt = 1; killAt <= dry.writes; killAt++) {
      const disk = new Disk()
      const world = new World()
      const first = disk.process(killAt, isMade)
      void make(first, world).reply(input)
      await killedOf(first)
      const agent = make(disk.process(), world)
      await goOn(agent, input)
      const lines = linesOf(memoryOf(agent))
      const isUnknown = (line: string) => lines.some((each) => each.startsWith(`${line.split(":")[0]}: indet`))
      const expected = whole.map((line) =>
        isUnknown(line) ? expect.stringMatching(/: indeterminate .*not known/) : line,
      )
      expect(lines, `killed at ${killAt}`).toEqual(expected)
      expect(count(world, "once"), `killed at ${killAt}`).toBeLessThanOrEqual(2)
      const keys = world.runs.filter((run) => run.tool === "idempotent")
      for (const { n, key } of keys) expect(keys.find((run) => run.n === n)?.key).toBe(key)
      expect(new Set(keys.map(({ key }) => key)).size).toBe(2)
      // and what is on the disk is what is in memory
      const last = make(disk.process(), world)
      expect(await last.restore()).toEqual({ found: true, cutOff: false })
      expect(memoryOf(last)).toEqual(memoryOf(agent))
    }
  })
})

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

test("what is observed, steered in and said around an interrupt is saved", async () => {
  const disk = new Disk()
  const world = new World()
  const agent = make(disk.process(), world)
  await agent.observe("Heard.")
  const other = make(disk.process(), world)
  await other.restore()
  expect(linesOf(memoryOf(other))).toEqual(["user: Heard."])
  world.hangs = "once2"
  const begun = new Promise<void>((resolve) => (world.begun = resolve))
  const reply = agent.reply(input)
  await begun
  agent.steer("And this.")
  await agent.observe("Heard meanwhile.")
  agent.interrupt("Stop.")
  expect((await reply).finishReason).toBe("interrupted")
  const last = make(disk.process(), world)
  expect(await last.restore()).toEqual({ found: true, cutOff: false })
  expect(memoryOf(last)).toEqual(memoryOf(agent))
  const lines = linesOf(memoryOf(last))
  for (const said of ["And this.", "Heard meanwhile.", "Stop."])
    expect(lines.filter((line) => line.endsWith(said))).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^assistant: I noticed/)
})

test("a reply that is given up is over, and what was said and done of it is saved", async () => {
  const disk = new Disk()
  const world = new World()
  world.hangs = "once2"
  const abort = new AbortController()
  world.begun = () => abort.abort(new Error("given up"))
  const agent = make(disk.process(), world)
  await expect(agent.reply(input, { signal: abort.signal })).rejects.toThrow("given up")
  const last = make(disk.process(), world)
  expect(await last.restore()).toEqual({ found: true, cutOff: false })
  expect(memoryOf(last)).toEqual(memoryOf(agent))
  expect(linesOf(memoryOf(last)).at(-1)).toMatch(/^once2: indeterminate/)
})

describe("a save that fails", () => {
  class Failing extends MemorySessionStore {
    failing = false
    protected override get log(): SessionLog {
      const { read, replace, append } = super.log
      const check = (): void => {
        if (this.failing) throw new Error("disk full")
      }
      return {
        read,
        replace: (...args) => (check(), replace(...args)),
        append: (...args) => (check(), append(...args)),
      }
    }
  }

  test.each(["preReply", "preReasoning", "postReasoning", "preActing", "postActing"] as const)(
    "is told by the reply (from %s on), no tool runs without its intent, and the next save has it all",
    async (point) => {
      const store = new Failing()
      const world = new World()
      const agent = make(store, world, { hooks: { [point]: () => void (store.failing = true) } })
      await agent.restore()
      await expect(agent.reply(input)).rejects.toThrow("disk full")
      const ran = world.runs.filter((run) => run.tool !== "none").length
      if (point !== "postActing") expect(ran).toBe(0)
      store.failing = false
      agent.clearHooks()
      await agent.reply("Again.")
      const other = make(store, world)
      await other.restore()
      expect(memoryOf(other)).toEqual(memoryOf(agent))
      const lines = linesOf(memoryOf(agent))
      for (const { tool: name, n } of world.runs.slice(0, ran)) {
        if (name !== "none") expect(lines).toContain(`${name}${n}: success ${name} ${n}`)
      }
    },
  )
})

describe("a session", () => {
  test("that another agent has taken is lost to the first before it runs any tool, and can be taken back", async () => {
    const store = new MemorySessionStore()
    const [mine, theirs] = [new World(), new World()]
    const [agent, other] = [make(store, mine), make(store, theirs)]
    await agent.restore()
    await other.restore()
    await other.reply(input)
    await expect(agent.reply("Mine.")).rejects.toMatchObject({ code: "session_conflict" })
    await expect(agent.observe("Mine.")).rejects.toMatchObject({ code: "session_conflict" })
    expect(mine.runs).toEqual([])
    expect(await agent.restore()).toEqual({ found: true, cutOff: false })
    expect(memoryOf(agent)).toEqual(memoryOf(other))
    await agent.observe("Mine.")
    await expect(other.observe("Theirs.")).rejects.toMatchObject({ code: "session_conflict" })
  })

  test("that was deleted is not made again behind the back of whoever deleted it", async () => {
    const store = new MemorySessionStore()
    const agent = make(store, new World())
    await agent.observe("Heard.")
    await store.delete("s")
    await expect(agent.observe("More.")).rejects.toMatchObject({ code: "session_not_found" })
    expect(await store.list()).toEqual([])
    expect(await agent.restore()).toEqual({ found: false, cutOff: false })
    await agent.observe("Anew.")
    expect(await store.list()).toEqual(["s"])
  })

  test("of another agent, of something else, or damaged is refused, and changes nothing", async () => {
    const store = new MemorySessionStore()
    await make(store, new World(), { name: "Monday" }).observe("Heard.")
    await expect(make(store, new World()).reply(input)).rejects.toThrow(
      /of the agent "Monday", and this agent is "Friday"/,
    )
    await store.save("s", { someone: make(store, new World(), { session: undefined }) })
    await expect(make(store, new World()).reply(input)).rejects.toThrow(/holds no agent/)
    await store.save("s", { agent: new World().tools as never } as never).catch(() => {})
    const raw = store as unknown as { write(id: string, text: string): void; read(id: string): string }
    raw.write("s", raw.read("s").slice(0, 40))
    await expect(make(store, new World()).reply(input)).rejects.toMatchObject({ code: "corrupted_session" })
    raw.write("s", '{"format":"agentscope-session","version":9,"id":"s","modules":{}}')
    await expect(make(store, new World()).restore()).rejects.toMatchObject({ code: "unsupported_version" })
    expect(raw.read("s")).toContain('"version":9')
  })

  test("that was saved by hand is taken up, and one that is open can be loaded by hand", async () => {
    const store = new MemorySessionStore()
    const old = make(store, new World(), { session: undefined })
    await old.reply(input)
    await store.save("s", { agent: old })
    const agent = make(store, new World())
    expect(await agent.restore()).toEqual({ found: true, cutOff: false })
    await agent.observe("Heard.")
    const byHand = make(store, new World(), { session: undefined })
    await store.load("s", { agent: byHand })
    expect(memoryOf(byHand)).toEqual(memoryOf(agent))
  })

  test("in a store that only saves whole works the same", async () => {
    const inner = new MemorySessionStore()
    const store: SessionStore = {
      save: (id, modules) => inner.save(id, modules),
      load: (id, modules, options) => inner.load(id, modules, options),
      delete: (id) => inner.delete(id),
      list: () => inner.list(),
    }
    const world = new World()
    world.hangs = "idempotent3"
    const begun = new Promise<void>((resolve) => (world.begun = resolve))
    void make(store, world).reply(input)
    await begun
    world.hangs = undefined
    const agent = make(store, world)
    await goOn(agent, input)
    expect(linesOf(memoryOf(agent))).toEqual(whole)
  })

  test("can be restored only where there is one, and is checked when the agent is made", async () => {
    await expect(make(new MemorySessionStore(), new World(), { session: undefined }).restore()).rejects.toThrow(
      /no session/,
    )
    const bad = [
      { store: {} },
      { store: new MemorySessionStore() },
      { store: new MemorySessionStore(), id: "" },
      { id: "s" },
      { store: new MemorySessionStore(), id: "s", journal: 1 },
      { store: new MemorySessionStore(), id: "s", jurnal: true },
    ]
    for (const session of bad)
      expect(() => make(new MemorySessionStore(), new World(), { session: session as never })).toThrow(/session/)
  })
})

test("200 agents on one database keep their conversations apart", async () => {
  await using store = new SqliteSessionStore({ path: ":memory:" })
  const ids = Array.from({ length: 200 }, (_, i) => `s${i}`)
  const agents = ids.map((id) => make(store, new World(), { session: { store, id } }))
  await Promise.all(agents.map((agent, i) => agent.reply(`I am ${i}.`)))
  const again = ids.map((id) => make(store, new World(), { session: { store, id } }))
  await Promise.all(again.map((agent) => agent.restore()))
  again.forEach((agent, i) => expect(linesOf(memoryOf(agent))).toEqual([`user: I am ${i}.`, ...whole.slice(1)]))
})
