import type { JsonValue } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { type JsonKey, PlacedJson } from "./placed-json.ts"

type Placed = readonly [path: readonly JsonKey[], value: JsonValue, goesOn?: boolean]

function written(values: readonly Placed[]): { readonly text: string; readonly value: unknown } {
  const json = new PlacedJson()
  const text = values.map(([path, value, goesOn]) => json.put(path, value, goesOn)).join("")
  return { text: text + json.end(), value: json.value }
}

it("writes values in the order of their places as the object's text", () => {
  const { text, value } = written([
    [["a", "to"], 'San "', true],
    [["a", "to"], "José\n", true],
    [["a", "to"], ""],
    [["a", "days", 0], 3],
    [["a", "days", 1, "x"], null],
    [["a", "days", 1, "y"], "", true],
    [["b c"], false],
    [["__proto__", "x"], "safe"],
  ])
  expect(text).toBe('{"a":{"to":"San \\"José\\n","days":[3,{"x":null,"y":""}]},"b c":false,"__proto__":{"x":"safe"}}')
  expect(JSON.stringify(value)).toBe(text)
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

it("has the right object also where values come back to a place, or contradict each other", () => {
  expect(
    written([
      [["a", "x"], 1],
      [["b"], 2],
      [["a", "y"], 3],
    ]).value,
  ).toEqual({ a: { x: 1, y: 3 }, b: 2 })
  expect(
    written([
      [["a"], 1],
      [["a", "y"], 3],
    ]).value,
  ).toEqual({ a: { y: 3 } })
  expect(
    written([
      [["a"], "x", true],
      [["a"], 3],
    ]).value,
  ).toEqual({ a: 3 })
})

it("is an empty object, or what came whole, where nothing was put", () => {
  expect(new PlacedJson().end()).toBe("{}")
  expect(new PlacedJson().end({ a: [1] })).toBe('{"a":[1]}')
})
