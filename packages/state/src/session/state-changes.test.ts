import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { change, changesBetween, kept } from "./state-changes.ts"

/** Numbers that look random and are the same in each run. */
function randoms(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

const keys = ["a", "b", "constructor", "__proto__", "", "length"]

function anyValue(random: (below: number) => number, depth: number): JsonValue {
  const kind = random(depth > 0 ? 7 : 4)
  if (kind < 4) return [random(3), `t${random(3)}`, random(2) === 0, null][kind] as JsonValue
  if (kind < 6) return Array.from({ length: random(5) }, () => anyValue(random, depth - 1))
  return anyObject(random, depth - 1)
}

function anyObject(random: (below: number) => number, depth: number): JsonObject {
  // by JSON, which makes "__proto__" a key like any other
  const members = Array.from({ length: random(5) }, () => [keys[random(keys.length)], anyValue(random, depth)] as const)
  const text = members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")
  return JSON.parse(`{${text}}`) as JsonObject
}

/** With keys in one order. */
const sorted = (value: JsonValue): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part) ? Object.entries(part).toSorted() : part,
  )

test("the changes between any two states, as text, lead from the one to the other", () => {
  for (let seed = 0; seed < 3000; seed++) {
    const random = randoms(seed)
    const before = anyObject(random, 4)
    const after = anyObject(random, 4)
    const changes = JSON.parse(JSON.stringify(changesBetween(kept(before), after))) as unknown
    const state = structuredClone(before)
    expect(change(state, changes), `seed ${seed}`).toBe(true)
    expect(sorted(state), `seed ${seed}`).toBe(sorted(after))
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)
    expect(changesBetween(kept(after), structuredClone(after))).toEqual([])
  }
})

test("what is added to a list, taken off its beginning or changed inside is told alone", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((text) => ({ text }))
  const change = (before: JsonValue[], after: JsonValue[]) => changesBetween(kept({ list: before }), { list: after })
  expect(change([a!, b!], [a!, b!, c!])).toEqual([{ at: ["list"], cut: [2, 0], add: [c] }])
  expect(change([a!, b!, c!], [c!])).toEqual([{ at: ["list"], cut: [0, 2], add: [] }])
  expect(change([a!, b!, c!], [a!, d!, c!])).toEqual([{ at: ["list"], cut: [1, 1], add: [d] }])
  // a memory that hands out copies
  expect(change([a!, b!], structuredClone([a!, b!, c!]))).toEqual([{ at: ["list"], cut: [2, 0], add: [c] }])
})

test("lists and objects that a module changes in place are seen to have changed", () => {
  const list = [1]
  const object: Record<string, JsonValue> = { a: { b: 1 } }
  const before = kept({ list, object })
  list.push(2)
  ;(object["a"] as Record<string, JsonValue>)["b"] = 2
  expect(changesBetween(before, { list, object })).toHaveLength(2)
})

test.each([
  ["no list", {}],
  ["no change", [5]],
  ["no path", [{ set: 1 }]],
  ["a path to nothing", [{ at: ["x", "y"], set: 1 }]],
  ["a path through a list", [{ at: ["list", "0"], set: 1 }]],
  ["a cut beyond the end", [{ at: ["list"], cut: [1, 1], add: [] }]],
  ["a cut of what is no list", [{ at: ["a"], cut: [0, 0], add: [] }]],
  ["a cut that says nothing", [{ at: ["list"] }]],
  ["a path of other things", [{ at: [1], set: 1 }]],
])("%s is no change that could be made", (_, changes) => {
  expect(change({ a: 1, list: [1] }, changes)).toBe(false)
})
