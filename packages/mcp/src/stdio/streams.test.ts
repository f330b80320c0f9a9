import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readRpcLine } from "./json-rpc-line.ts"
import { LineSplitter } from "./line-splitter.ts"
import { TextTail } from "./text-tail.ts"

describe("lines", () => {
  test("are the same in whatever pieces the bytes come", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.array(fc.nat(40)), (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll("\n", " ").toWellFormed())
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""))
        const splitter = new LineSplitter(1_000_000)
        const read: string[] = []
        let from = 0
        for (const cut of [...cuts, bytes.length]) {
          read.push(...(splitter.push(bytes.subarray(from, from + cut)) ?? []))
          from += cut
        }
        expect(read).toEqual(lines)
        expect(splitter.rest()).toBe("")
      }),
    )
  })

  test("a line that grows past the limit is told of", () => {
    const splitter = new LineSplitter(10)
    expect(splitter.push(Buffer.from("0123456789"))).toEqual([])
    expect(splitter.push(Buffer.from("x"))).toBeUndefined()
  })
})

test("the tail of a stream is its end, in bounded memory", () => {
  const tail = new TextTail(1000)
  for (let i = 0; i < 5000; i++) tail.push(Buffer.from(`line ${i}\n`))
  const text = tail.text(50)
  expect(text.endsWith("line 4999")).toBe(true)
  expect(text.length).toBeLessThanOrEqual(51)
  expect(text).toMatch(/^…line \d+\n/)
  const short = new TextTail(1000)
  short.push(Buffer.from(" all of it \n"))
  expect(short.text(50)).toBe("all of it")
})

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":{}}', 1, ""],
  ['\uFEFF {"jsonrpc":"2.0","id":1,"result":{}} \r', 1, ""],
  ['[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]', 2, ""],
  ['Ready {"jsonrpc":"2.0","id":1,"result":{}}', 1, "Ready "],
  ["", 0, ""],
  ["[]", 0, "[]"],
  ["null", 0, "null"],
  ['{"jsonrpc":"1.0"}', 0, '{"jsonrpc":"1.0"}'],
  ['{"jsonrpc":"2.0","id":1', 0, '{"jsonrpc":"2.0","id":1'],
])("the line %s holds %i messages", (line, count, noise) => {
  const read = readRpcLine(line)
  expect([read.messages.length, read.noise]).toEqual([count, noise])
})

test("a hundred megabytes leave no more than the tail in memory", () => {
  const tail = new TextTail(1000)
  const chunk = Buffer.alloc(500, "x")
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 200_000; i++) tail.push(chunk)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000)
  expect(tail.text(5000)).toHaveLength(1000)
})
