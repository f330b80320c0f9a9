// What is measured inside a contestant's process. CPU is user + system of the whole process: collector and compiler included.
import { strict as assert } from "node:assert"
import { median, percentile } from "./statistics.mjs"

const done = "It is done."
const gc = globalThis.gc ?? (() => {})

async function cpuMs(fn) {
  const before = process.cpuUsage()
  await fn()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function repeat(times, fn) {
  for (let i = 0; i < times; i++) await fn(i)
}

async function wallMs(fn) {
  const start = performance.now()
  await fn()
  return performance.now() - start
}

/** A new conversation that must end with the text the script ends with. */
async function runToEnd(contestant, model, settings) {
  const text = await contestant.agent(model, settings).run("Go on until it is done.")
  assert.equal(text, done, `${model} ended with ${JSON.stringify(text).slice(0, 200)}`)
}

function counting() {
  let count = 0
  const onDelta = () => {
    count++
  }
  return { onDelta, taken: () => [count, (count = 0)][0] }
}

export const jobs = {
  /** K tool rounds a run, after the warm-up: `{ ms }` CPU a round. `iterate`: the text is taken delta by delta. */
  async rounds(contestant, { k, stream, iterate, warmups, runs }, marks) {
    let calls = 0
    marks.onAdd = () => calls++
    const settings = { stream, ...(iterate ? { onDelta: () => {} } : {}) }
    const once = () => runToEnd(contestant, `rounds-${k}`, settings)
    await repeat(warmups, once)
    gc()
    calls = 0
    const ms = await cpuMs(() => repeat(runs, once))
    assert.equal(calls, k * runs, "every call runs once")
    await contestant.close?.()
    return { ms: ms / (runs * k) }
  },

  /** `{ early, late }`: CPU ms a round in rounds 10–30 and in the last 20. */
  async growth(contestant, { k, warmups, runs }, marks) {
    const early = []
    const late = []
    let round = 0
    let mark
    const spent = () => {
      const { user, system } = process.cpuUsage(mark)
      return (user + system) / 1000 / 20
    }
    marks.onAdd = () => {
      round++
      if (round === 30) early.push(spent())
      if (round === k) late.push(spent())
      if (round === 10 || round === k - 20) mark = process.cpuUsage()
    }
    const once = () => {
      round = 0
      return runToEnd(contestant, `rounds-${k}`, { stream: true })
    }
    await repeat(warmups, once)
    early.length = 0
    late.length = 0
    await repeat(runs, once)
    return { early: mean(early), late: mean(late) }
  },

  /** A text of n deltas: `{ us }` CPU a delta. */
  async deltas(contestant, { script, n, warmups, runs }) {
    const { onDelta, taken } = counting()
    const once = async () => {
      await contestant.agent(`${script}-${n}`, { stream: true, onDelta }).run("Write.")
      assert.equal(taken(), n, "every delta arrives")
    }
    await repeat(warmups, once)
    gc()
    const ms = await cpuMs(() => repeat(runs, once))
    return { us: (ms * 1000) / (runs * n) }
  },

  /** Tool arguments of n deltas: `{ us }` CPU a delta. */
  async args(contestant, { n, warmups, runs }) {
    const once = () => runToEnd(contestant, `args-${n}`, { stream: true })
    await repeat(warmups, once)
    gc()
    const ms = await cpuMs(() => repeat(runs, once))
    return { us: (ms * 1000) / (runs * n) }
  },

  /** `{ ms }`: wall time from the call to the first delta, the median of many. */
  async firstToken(contestant, { warmups, runs }) {
    const times = []
    const once = async () => {
      let first
      const start = performance.now()
      const onDelta = () => {
        first ??= performance.now() - start
      }
      await contestant.agent("paced-3", { stream: true, onDelta }).run("Write.")
      times.push(first)
    }
    await repeat(warmups, once)
    times.length = 0
    await repeat(runs, once)
    return { ms: median(times) }
  },

  /** P parallel tools of 20 ms: `{ ms }` wall time of a run, the median of many. */
  async fan(contestant, { p, warmups, runs }) {
    const times = []
    const once = async () => times.push(await wallMs(() => runToEnd(contestant, `fan-${p}`, { stream: true })))
    await repeat(warmups, once)
    times.length = 0
    await repeat(runs, once)
    return { ms: median(times) }
  },

  /** `inFlight` runs of three rounds at a time, `total` in all: `{ perSecond, p99, peakMb, ms }`. */
  async inFlight(contestant, { inFlight, total, warmups }) {
    const once = () => runToEnd(contestant, "rounds-3", { stream: true })
    await repeat(warmups, once)
    const times = []
    let started = 0
    const lane = async () => {
      while (started < total) {
        started++
        times.push(await wallMs(once))
      }
    }
    let wall
    const cpu = await cpuMs(async () => {
      wall = await wallMs(() => Promise.all(Array.from({ length: inFlight }, lane)))
    })
    const peakMb = process.resourceUsage().maxRSS / 1024
    return { perSecond: (total / wall) * 1000, p99: percentile(times, 0.99), peakMb, ms: cpu / total }
  },

  /** A trivial validated call in the toolkit over the same without it: `{ us }` CPU a call. */
  async execute(contestant, { warmups, runs }) {
    const all = async (call) => {
      for (let i = 0; i < runs; i++) await call({ a: i, b: 7 })
    }
    const plain = async (input) => contestant.plain(input)
    for (let i = 0; i < warmups; i++) {
      await all(contestant.execute)
      await all(plain)
    }
    gc()
    const bare = await cpuMs(() => all(plain))
    return { us: ((await cpuMs(() => all(contestant.execute))) - bare) * (1000 / runs) }
  },

  /** Lists n tools: `{ firstMs, againMs, switchMs }` the first time, with nothing changed, after a group was switched. */
  async list(contestant, { n }) {
    const toolkit = contestant.many(n)
    const firstMs = await wallMs(() => assert.equal(toolkit.schemas().length, n + 1))
    const againMs = await wallMs(() => toolkit.schemas(toolkit.newState()))
    const switches = []
    for (let g = 0; g < 50; g++) {
      toolkit.updateGroups([`group_${g}`], false)
      switches.push(await wallMs(() => toolkit.schemas()))
    }
    return { firstMs, againMs, switchMs: median(switches) }
  },

  /** What a toolkit keeps for a conversation that does nothing: `{ kb }`. */
  async idle(contestant, { count }) {
    const kept = Array.from({ length: 100 }, contestant.session)
    const before = await heapKb()
    for (let i = 0; i < count; i++) kept.push(contestant.session())
    const after = await heapKb()
    assert.equal(kept.length, count + 100, "all are alive until here")
    return { kb: (after.heap - before.heap) / count }
  },

  /** Sessions of 20 messages of 200 characters: `{ kb, outsideKb }` each, on and off the heap, with their agents or without. */
  async sessions(contestant, { count, withAgent }) {
    const one = async (i) => {
      const agent = contestant.agent("plain-40", { stream: true, onDelta: () => {} })
      for (let turn = 0; turn < 10; turn++) await agent.run(`${i}-${turn} `.padEnd(200, "please tell me more "))
      return agent
    }
    await repeat(100, one) // code and its feedback take heap of their own at first
    const kept = []
    const before = await heapKb()
    await repeat(count, async (i) => {
      const agent = await one(i)
      kept.push(withAgent ? agent : agent.session)
    })
    const after = await heapKb()
    assert.equal(kept.length, count, "all are alive until here")
    return { kb: (after.heap - before.heap) / count, outsideKb: (after.outside - before.outside) / count }
  },

  /** One long conversation: `{ kb }` heap a turn and `{ ms }` CPU a turn over the 100 turns before `at`. */
  async turns(contestant, { turns, at }) {
    const agent = contestant.agent("plain-20", { stream: true, onDelta: () => {} })
    const from = Math.floor(turns / 2)
    let start
    let heapBefore
    let ms
    for (let turn = 1; turn <= turns; turn++) {
      if (turn === at - 99) start = process.cpuUsage()
      await agent.run(`Turn ${turn}: tell me a little more, please.`)
      if (turn === at) {
        const { user, system } = process.cpuUsage(start)
        ms = (user + system) / 1000 / 100
      }
      if (turn === from) heapBefore = (await heapKb()).heap
    }
    const kb = ((await heapKb()).heap - heapBefore) / (turns - from)
    assert.ok(agent.session, "the conversation is alive until here")
    return { kb, ms }
  },
}

/** Once it no longer falls: what requests leave in sockets and finalizers goes in several rounds. */
async function heapKb() {
  for (let before = Number.POSITIVE_INFINITY, rounds = 0; rounds < 20; rounds++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    gc()
    const { heapUsed } = process.memoryUsage()
    if (before - heapUsed < 2048) break
    before = heapUsed
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed / 1024, outside: external / 1024 }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
