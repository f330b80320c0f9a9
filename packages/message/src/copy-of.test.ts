import { expect, test } from "vitest"
import { copyOf } from "./copy-of.ts"

test("a copy equals its source and shares nothing with it", () => {
  const source = { content: [{ type: "text", text: "a" }], metadata: { deep: { list: [1, null] } } }
  const copy = copyOf(source)
  expect(copy).toEqual(source)
  copy.content[0]!.text = "b"
  copy.metadata.deep.list.push(2)
  expect(source).toEqual({ content: [{ type: "text", text: "a" }], metadata: { deep: { list: [1, null] } } })
})

test("instances of classes are the same in the copy", () => {
  const when = new Date(0)
  expect(copyOf({ when }).when).toBe(when)
})

test("a member named __proto__ is data like any other", () => {
  const source = JSON.parse('{"a":{"__proto__":{"b":1}}}') as { readonly a: object }
  const copy = copyOf(source)
  expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"b":1}}}')
  expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
})
