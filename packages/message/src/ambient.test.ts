import { getEventListeners } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterEach, expect, test, vi } from "vitest"
import { type Ambient, ambient, isoNow, newId, replaceAmbient, userMsg } from "./index.ts"

afterEach(() => vi.useRealTimers())

test("ids are 16 URL-safe characters and do not repeat", () => {
  const ids = Array.from({ length: 100_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  const used = new Set<string>()
  for (const id of ids) {
    if (!/^[A-Za-z0-9_-]{16}$/.test(id)) expect.unreachable(`an id "${id}"`)
    for (const char of id) used.add(char)
  }
  expect(used.size).toBe(64)
})

test("every character of an id takes all values evenly", () => {
  const counts = Array.from({ length: 16 }, () => new Map<string, number>())
  for (let i = 0; i < 64_000; i++) {
    for (const [at, char] of Array.from(newId()).entries()) counts[at]?.set(char, (counts[at].get(char) ?? 0) + 1)
  }
  // 1,000 expected of each; six standard deviations away
  for (const of of counts) for (const count of of.values()) expect(Math.abs(count - 1000)).toBeLessThan(190)
})

test("neighbouring characters of an id do not depend on each other", () => {
  const pairs = Array.from({ length: 15 }, () => new Set<string>())
  for (let i = 0; i < 40_000; i++) {
    const id = newId()
    for (const [at, seen] of pairs.entries()) seen.add(id.slice(at, at + 2))
  }
  // nearly all of the 4,096 there are
  for (const seen of pairs) expect(seen.size).toBeGreaterThan(4000)
})

test("an id is one flat string, which the heap holds in a few words", () => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void
  const held: string[] = []
  gc()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 50_000; i++) held.push(newId())
  gc()
  // 16 characters, their header and the place in the list; a string joined from parts takes hundreds
  expect((process.memoryUsage().heapUsed - before) / held.length).toBeLessThan(60)
})

test("isoNow is the seam's time in UTC with milliseconds, also when the clock goes back", () => {
  let now = Date.UTC(2025, 0, 2, 3, 4, 5, 6)
  const restore = replaceAmbient({ now: () => now })
  try {
    expect(isoNow()).toBe("2025-01-02T03:04:05.006Z")
    expect(isoNow()).toBe("2025-01-02T03:04:05.006Z")
    now = 0
    expect(isoNow()).toBe("1970-01-01T00:00:00.000Z")
  } finally {
    restore()
  }
  expect(Math.abs(Date.parse(isoNow()) - Date.now())).toBeLessThan(1000)
})

test("changes stand until they are taken away, and what is not changed stays real", () => {
  const real = ambient()
  let count = 0
  const transport: Ambient["transport"] = (fetch) => fetch
  const restore = replaceAmbient({ newId: () => `id-${++count}`, transport })
  expect(userMsg("hello").id).toBe("id-1")
  expect(ambient().transport).toBe(transport)
  expect(Math.abs(ambient().now() - Date.now())).toBeLessThan(1000)
  restore()
  expect(ambient()).toBe(real)
  expect(ambient().transport).toBeUndefined()
  expect(newId()).not.toMatch(/^id-/)
})

test.each([
  ["the last first", [1, 0]],
  ["the first first", [0, 1]],
])("nested changes are taken away in any order: %s", (_name, order) => {
  const real = ambient()
  const restores = [replaceAmbient({ now: () => 1, newId: () => "outer" }), replaceAmbient({ now: () => 2 })]
  expect([ambient().now(), newId()]).toEqual([2, "outer"])
  restores[order[0] ?? 0]?.()
  expect([ambient().now(), newId() === "outer"]).toEqual(order[0] === 1 ? [1, true] : [2, false])
  for (const at of order) restores[at]?.()
  expect(ambient()).toBe(real)
})

test("taking away twice takes nothing else away", () => {
  const restores = [replaceAmbient({ now: () => 1 }), replaceAmbient({ now: () => 2 })]
  restores[0]?.()
  restores[0]?.()
  expect(ambient().now()).toBe(2)
  restores[1]?.()
  expect(ambient().now()).toBeGreaterThan(2)
})

test("what a layer computes is asked for each time, and is gone with its layer", () => {
  let isOn = false
  const wrap: Ambient["transport"] = (fetch) => fetch
  const restore = replaceAmbient({
    get transport() {
      return isOn ? wrap : undefined
    },
  })
  const other = replaceAmbient({ random: () => 0.5 })
  expect([ambient().transport, ambient().random()]).toEqual([undefined, 0.5])
  isOn = true
  expect(ambient().transport).toBe(wrap)
  restore()
  expect(ambient().transport).toBeUndefined()
  other()
  expect(ambient().random()).toBeLessThan(1)
})

test("two installed copies of the package share one seam", async () => {
  vi.resetModules()
  const copy = await import("./ambient.ts")
  expect(copy.newId).not.toBe(newId)
  const restore = replaceAmbient({ newId: () => "shared" })
  expect(copy.newId()).toBe("shared")
  const other = copy.replaceAmbient({ now: () => 5 })
  restore()
  expect(isoNow()).toBe("1970-01-01T00:00:00.005Z")
  other()
  expect(copy.ambient().now()).toBeGreaterThan(5)
})

test("sleep resolves after its time and leaves no listener", async () => {
  vi.useFakeTimers()
  const { signal } = new AbortController()
  const slept = vi.fn()
  void ambient().sleep(1000, signal).then(slept)
  await vi.advanceTimersByTimeAsync(999)
  expect(slept).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(slept).toHaveBeenCalled()
  expect(getEventListeners(signal, "abort")).toEqual([])
})

test("sleep rejects with the reason as soon as the signal aborts, at once if it has, and leaves no timer", async () => {
  vi.useFakeTimers()
  const controller = new AbortController()
  const sleep = ambient().sleep(60_000, controller.signal)
  controller.abort("enough")
  await expect(sleep).rejects.toBe("enough")
  await expect(ambient().sleep(1, controller.signal)).rejects.toBe("enough")
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, "abort")).toEqual([])
})

test("a sleep of months does not end at once", async () => {
  vi.useFakeTimers()
  const slept = vi.fn()
  void ambient()
    .sleep(2 ** 33)
    .then(slept)
  await vi.advanceTimersByTimeAsync(2 ** 31 - 2)
  expect(slept).not.toHaveBeenCalled()
  vi.clearAllTimers()
})
