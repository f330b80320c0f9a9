import { expect, it } from "vitest"
import { JsonListReader } from "./json-list.ts"

const items = [{ a: '}"{\\' }, {}, { b: [{ c: "]" }, { d: 1 }] }, { text: 'é\\"\n' }]

function readIn(size: number, text: string): readonly string[] {
  const told: string[] = []
  const reader = new JsonListReader((item) => told.push(item))
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size))
  reader.end()
  return told
}

it("tells the objects of a list one by one, wherever it is cut", () => {
  const text = ` [${items.map((item) => JSON.stringify(item)).join(",\r\n")}\n]\n`
  for (const size of [1, 2, 3, 7, text.length]) {
    expect(readIn(size, text).map((item) => JSON.parse(item) as unknown)).toEqual(items)
  }
})

it("tells an object as soon as it is whole, and at the end what came of the last", () => {
  const told: string[] = []
  const reader = new JsonListReader((item) => told.push(item))
  reader.push('[{"a":1}')
  expect(told).toEqual(['{"a":1}'])
  reader.push(',{"b":')
  reader.push('"}')
  reader.end()
  expect(told).toEqual(['{"a":1}', '{"b":"}'])
})

it("gives up what grows without end", () => {
  const reader = new JsonListReader(() => {}, 10)
  reader.push('[{"a":1},{"b":"')
  expect(() => reader.push("0123456789")).toThrow(/more than 10 characters/)
})
