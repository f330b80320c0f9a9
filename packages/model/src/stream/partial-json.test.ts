import * as fc from "fast-check"
import { expect, test } from "vitest"
import { partialJson } from "./partial-json.ts"

test.each<[string, object]>([
  ["", {}],
  ["{", {}],
  ['{"city', {}],
  ['{"city"', {}],
  ['{"city":', {}],
  ['{"city":"北', { city: "北" }],
  ['{"a":"x\\', { a: "x" }],
  ['{"a":"x\\u00e', { a: "x" }],
  ['{"a":"\\\\', { a: "\\" }],
  ['{"a":tr', {}],
  ['{"a":1,"b":[1,{"c":"d', { a: 1, b: [1, { c: "d" }] }],
  ['{"a":1,"b":[1,2', { a: 1, b: [1, 2] }],
  ['{"a":{"b":"c"},"d', { a: { b: "c" } }],
  ['{"a":"}"', { a: "}" }],
  ["[1,2]", {}],
  ["nonsense", {}],
])("%j says %j", (text, value) => {
  expect(partialJson(text)).toEqual(value)
})

test("any beginning of any object gives an object, the whole gives the whole", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, at) => {
      const text = JSON.stringify(object)
      const cut = partialJson(text.slice(0, at % (text.length + 1)))
      expect(Object.keys(cut).every((key) => Object.hasOwn(object, key))).toBe(true)
      expect(partialJson(text)).toEqual(JSON.parse(text))
    }),
    { seed: 7, numRuns: 300 },
  )
})
