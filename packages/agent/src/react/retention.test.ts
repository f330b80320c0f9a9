import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type AgentEvent, foldEvent, type Msg, textOf } from "@agentscope-ts/message"
import { InMemoryMemory } from "@agentscope-ts/memory"
import { expect, test } from "vitest"
import { call, ManualModel, says, text } from "../fixtures/manual-model.ts"
import { idle, memoryOf } from "../fixtures/runs.ts"
import { add, named } from "../fixtures/tools.ts"
import { agentAsTool, ReActAgent } from "../index.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const heapMb = () => {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

/** A look at a weak reference keeps its target until the end of the job: so each look has a job of its own. */
async function areGone(refs: readonly WeakRef<object>[]): Promise<boolean> {
  for (let i = 0; i < 20; i++) {
    await idle()
    collect()
    await idle()
    if (refs.every((ref) => ref.deref() === undefined)) return true
  }
  return false
}

const base = { name: "Friday", systemPrompt: "Help." }

test("FR-35 300 tool results of 1 MB: an agent keeps of each what its model is told, and nothing of the rest", async () => {
  const rounds = 300
  const results: WeakRef<object>[] = []
  const big = named("big", () => {
    // objects, so that they can be looked for; the text is as long as the answer of a server may be
    const result = { rows: [`${results.length} ${"x".repeat(1_000_000)}`] }
    results.push(new WeakRef(result))
    return result
  })
  const acts = Array.from({ length: rounds }, (_, i) => says(...call(0, `c${i}`, "big", `{"n":${i}}`)))
  const model = new ManualModel(...acts, says(...text(0, "Done.")))
  const agent = new ReActAgent({ ...base, model, tools: [big], maxIterations: rounds + 1, maxRepeats: Infinity })
  const before = heapMb()
  const run = agent.stream("Go.")
  let events = 0
  for await (const _ of run) events++
  expect((await run.reply).finishReason).toBe("completed")
  expect(events).toBeGreaterThan(rounds * 4)
  // the lists of messages, which the fixture keeps; and weak references hold on until the end of the job
  model.requests.length = 0
  await idle()
  const told = memoryOf(agent).reduce((length, msg) => length + JSON.stringify(msg).length, 0) / 1e6
  expect(heapMb() - before).toBeLessThan(told * 1.5 + 20)
  // a result is bounded before it enters the history
  expect(told).toBeLessThan(60)
  expect(await areGone(results)).toBe(true)
  expect(memoryOf(agent)).toHaveLength(2 * rounds + 2)
})

test("FR-35 20,000 deltas, each shown as the whole text so far: memory and time grow with the text, not with its square", async () => {
  const deltas = Array.from({ length: 20_000 }, (_, i) => `word ${i} and so on, `)
  const whole = deltas.join("")
  const agent = new ReActAgent({ ...base, model: new ManualModel(says(...text(0, ...deltas))) })
  let shown: readonly Msg[] = []
  let length = 0
  const before = heapMb()
  let most = 0
  for await (const event of agent.stream("Go.")) {
    shown = foldEvent(shown, event)
    if (event.type !== "text_delta") continue
    // as a screen shows it
    length += event.text.length
    expect(textOf(shown.at(-1) as Msg)).toHaveLength(length)
    if (event.seq % 5000 === 0) most = Math.max(most, heapMb() - before)
  }
  expect(shown).toEqual(memoryOf(agent))
  expect(textOf(shown[1] as Msg)).toBe(whole)
  expect(most).toBeLessThan(40)
})

test("FR-35 a stream that nobody reads is bounded: neighbouring deltas are joined, and no text is lost", async () => {
  const deltas = Array.from({ length: 100_000 }, (_, i) => `${i} `)
  const agent = new ReActAgent({ ...base, model: new ManualModel(says(...text(0, ...deltas))) })
  const before = heapMb()
  const run = agent.stream("Go.")
  await run.reply
  expect(heapMb() - before).toBeLessThan(15)
  let count = 0
  let said = ""
  for await (const event of run) {
    count++
    if (event.type === "text_delta") said += event.text
  }
  expect(count).toBeLessThan(5000)
  expect(said).toBe(deltas.join(""))
})

test("FR-35 finished replies, their events, and agents behind tools are let go", async () => {
  const refs: WeakRef<object>[] = []
  const helper = agentAsTool(
    () => {
      const agent = new ReActAgent({
        name: "Helper",
        systemPrompt: "x",
        model: new ManualModel(says(...call(0, "h", "add", '{"a":1,"b":2}')), says(...text(0, "3"))),
        tools: [add],
      })
      refs.push(new WeakRef(agent), new WeakRef(agent.memory))
      return agent
    },
    { name: "helper", description: "Helps" },
  )
  const turns = 10
  const acts = Array.from({ length: turns }, (_, i) => [
    says(...call(0, `c${i}`, "helper", `{"message":"${i}"}`)),
    says(...text(0, "ok")),
  ])
  const model = new ManualModel(...acts.flat())
  const agent = new ReActAgent({ ...base, model, tools: [helper], memory: new InMemoryMemory() })
  const giveUp = new AbortController()
  const talk = async (i: number) => {
    const heard: AgentEvent[] = []
    const stop = agent.onReply(() => {})
    agent.registerHook("prePrint", "mine", ({ input }) => void heard.push(input.event))
    const run = agent.stream(`${i}`, { signal: giveUp.signal })
    for await (const event of run) if (event.type === "model_start") refs.push(new WeakRef(event))
    refs.push(new WeakRef(run), new WeakRef(heard))
    agent.removeHook("prePrint", "mine")
    stop()
  }
  for (let i = 0; i < turns; i++) await talk(i)
  expect(refs.length).toBeGreaterThan(turns * 5)
  model.requests.length = 0
  expect(await areGone(refs)).toBe(true)
  // used here, so that they were there all the time
  expect(memoryOf(agent)).toHaveLength(turns * 4)
  expect(giveUp.signal.aborted).toBe(false)
})
