import { InMemoryMemory } from "@agentscope-ts/memory"
import { userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { MemorySessionStore, type SessionLog, type SessionStore, SqliteSessionStore } from "@agentscope-ts/state"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, ofType } from "../fixtures/runs.ts"
import { PlanNotebook, ReActAgent } from "../index.ts"
import { Disk, goOn, linesOf, make, memoryOf, whole, World } from "../fixtures/sessions.ts"

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

test("what a program gave beside a session that is there is replaced, and a warning says so once", async () => {
  const store = new MemorySessionStore()
  const step = { name: "Cook", description: "Cook", expectedOutcome: "Dinner" }
  const start = async () => {
    const memory = new InMemoryMemory()
    memory.add(userMsg("Given by the program."))
    const plan = new PlanNotebook()
    plan.createPlan({ ...step, subtasks: [step] })
    const model = new ScriptedModel(["Yes.", "Yes."])
    const agent = new ReActAgent({ name: "F", systemPrompt: "Help.", model, memory, plan, session: { store, id: "1" } })
    const warnings = []
    for (const text of ["Hi", "Ho"]) {
      for await (const event of agent.stream(text)) if (event.type === "warning") warnings.push(event)
    }
    return warnings
  }
  expect(await start()).toEqual([])
  expect(await start()).toMatchObject([
    {
      code: "session_replaced",
      message: expect.stringMatching(/"1".*: 1 message of its memory and its plan\. Await restore/),
    },
  ])
  const plain = new ScriptedModel(["Yes."])
  const agent = new ReActAgent({ name: "F", systemPrompt: "Help.", model: plain, session: { store, id: "1" } })
  for await (const event of agent.stream("Hi")) expect(event.type).not.toBe("warning")
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
      await first.killed
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

test("a structured reply that was cut off is gone on with by its schema; without one the reply warns", async () => {
  const disk = new Disk()
  const world = new World()
  const first = disk.process(4)
  void make(first, world).reply(input, { schema: z.object({ done: z.boolean() }) })
  await first.killed
  const run = make(disk.process(), world).stream()
  const events = await eventsOf(run)
  expect(ofType(events, "warning").map(({ code }) => code)).toContain("schema_missing")
  await run.reply
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
