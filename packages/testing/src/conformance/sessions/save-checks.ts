import type { JsonValue } from "@agentscope-ts/message"
import { must, mustEqual } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import { Probe } from "./probe.ts"
import type { SessionCheck } from "./run-session-conformance.ts"

const odd: JsonValue = {
  text: '中文 😀 \u0000 \u2028 "quoted" \\ \n',
  halves: ["\ud83d", "\ude00"],
  numbers: [0, -1.5, 1e300, Number.MAX_SAFE_INTEGER],
  empty: [{}, [], "", null, false],
  deep: { a: [{ b: { c: [1, { d: 2 }] } }] },
}

export const saveChecks: Record<string, SessionCheck> = {
  "is what another store restores in other modules": async (store, open) => {
    await store.save("s", { first: new Probe(odd), second: new Probe(7) })
    const [first, second] = [new Probe({}), new Probe(0)]
    must(await (await open()).load("s", { first, second }), "load did not answer true")
    mustEqual(first.value, odd, "the first module")
    mustEqual(second.value, 7, "the second module")
  },
  "holds what the modules were at the moment of the call, in values of its own": async (store) => {
    const probe = new Probe(["before"])
    const saving = store.save("s", { probe })
    ;(probe.value as string[]).push("after")
    await saving
    const loaded = new Probe([])
    await store.load("s", { probe: loaded })
    mustEqual(loaded.value, ["before"], "what was saved")
    ;(loaded.value as string[]).push("changed")
    const again = new Probe([])
    await store.load("s", { probe: again })
    mustEqual(again.value, ["before"], "what is loaded after a loaded module changed")
  },
  "replaces the session as a whole": async (store) => {
    await store.save("s", { a: new Probe(1), b: new Probe(2) })
    await store.save("s", { a: new Probe(3) })
    const [a, b] = [new Probe(0), new Probe(0)]
    await store.load("s", { a, b }, { strict: false })
    mustEqual([a.value, b.value], [3, 0], "the modules")
  },
  "touches no other session": async (store) => {
    await store.save("a", { probe: new Probe("a") })
    await store.save("b", { probe: new Probe("b") })
    await store.delete("b")
    const probe = new Probe("")
    await store.load("a", { probe })
    mustEqual(probe.value, "a", "the other session")
  },
  "and what comes after it are done in the order in which they were asked for": async (store) => {
    const probe = new Probe(-1)
    const asked: Promise<unknown>[] = []
    for (let value = 0; value < 20; value++) asked.push(store.save("s", { probe: new Probe(value) }))
    const loaded = store.load("s", { probe })
    asked.push(loaded, store.delete("s"))
    const listed = store.list()
    await Promise.all(asked)
    must(await loaded, "the load did not see the saves before it")
    mustEqual(probe.value, 19, "what was loaded")
    mustEqual(await listed, [], "the sessions after the deletion")
  },
  "that many stores make at once leaves one of them, whole": async (store, open) => {
    const writers = [store, await open(), await open(), await open()]
    const valueOf = (writer: number, round: number) => [writer, round, "x".repeat(20_000 + writer)]
    for (let round = 0; round < 8; round++) {
      const saves = writers.map((each, i) => each.save("s", { a: new Probe(valueOf(i, round)), b: new Probe(i) }))
      const [a, b] = [new Probe([]), new Probe(-1)]
      if (round > 0) must(await (await open()).load("s", { a, b }), "the session was away during a save")
      if (round > 0) mustEqual((a.value as number[])[0], b.value, "the writer of both modules")
      await Promise.all(saves)
      await store.load("s", { a, b })
      mustEqual(a.value, valueOf(b.value as number, round), "what was loaded")
    }
  },
  "of hundreds of sessions at once is made for each": async (store) => {
    const ids = Array.from({ length: 600 }, (_, i) => `s${i}`)
    await Promise.all(ids.map((id) => store.save(id, { probe: new Probe(id) })))
    const probes = ids.map(() => new Probe(""))
    await Promise.all(ids.map((id, i) => store.load(id, { probe: probes[i] as Probe })))
    mustEqual(
      probes.map(({ value }) => value),
      ids,
      "the sessions",
    )
  },
  "may be large": async (store) => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${"é".repeat(200)}`)
    await store.save("s", { probe: new Probe(lines) })
    const probe = new Probe([])
    await store.load("s", { probe })
    mustEqual(probe.value, lines, "the session")
  },
  "of what is no module is refused, and the last save stays": async (store) => {
    await store.save("s", { probe: new Probe(1) })
    for (const modules of [{ probe: { value: 2 } }, { probe: undefined }, null]) {
      must((await failureOfCall(store.save("s", modules as never))) !== undefined, "it was saved")
    }
    const probe = new Probe(0)
    await store.load("s", { probe })
    mustEqual(probe.value, 1, "the session")
  },
}
