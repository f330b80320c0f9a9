import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readRpcLine } from "./json-rpc-line.ts"
import { LineSplitter } from "./line-splitter.ts"
import { until } from "../fixtures/processes.ts"
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
  ['Ready {"result":{},"jsonrpc":"2.0","id":1}', 1, "Ready "],
  ['{"jsonrpc":"2.0","method":"x"}{"result":{"a":"}{"},"jsonrpc":"2.0","id":1} {"jsonrpc":"2.0","method":"y"}', 3, ""],
  ['{"jsonrpc":"2.0","id":1,"result":{"text":"a \\"}{\\" b"}} // done', 1, " // done"],
  ['{level: "jsonrpc"} {:-) {"id":1,"jsonrpc":"2.0","result":{}}', 1, '{level: "jsonrpc"} {:-) '],
  ['"jsonrpc" {{{{{{{{{{{{ "', 0, '"jsonrpc" {{{{{{{{{{{{ "'],
  ["", 0, ""],
  ["[]", 0, "[]"],
  ["null", 0, "null"],
  ['{"jsonrpc":"1.0"}', 0, '{"jsonrpc":"1.0"}'],
  ['{"jsonrpc":"2.0","id":1,"result":{"jsonrpc":"2.0"}', 0, '{"jsonrpc":"2.0","id":1,"result":{"jsonrpc":"2.0"}'],
  ['{"jsonrpc":"2.0","id":1', 0, '{"jsonrpc":"2.0","id":1'],
])("the line %s holds %i messages", (line, count, noise) => {
  const read = readRpcLine(line)
  expect([read.messages.length, read.noise]).toEqual([count, noise])
})

test("a hundred megabytes leave no more than the tail in memory", async () => {
  const tail = new TextTail(1000)
  const chunk = Buffer.alloc(500, "x")
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 200_000; i++) tail.push(chunk)
  const isSmall = () => {
    collect()
    return process.memoryUsage().arrayBuffers - before < 1_000_000
  }
  // buffers are freed a little after they were collected
  await until(isSmall, "the chunks to be freed")
  expect(tail.text(5000)).toHaveLength(1000)
})

test("messages are found wherever they stand in a line, in their order", () => {
  const message = fc.record({ jsonrpc: fc.constant("2.0"), method: fc.string(), params: fc.object({ maxDepth: 2 }) })
  const noise = fc.string().map((text) => text.replaceAll(/[{}\n]/g, "?"))
  fc.assert(
    fc.property(fc.array(fc.tuple(noise, message), { maxLength: 5 }), noise, (parts, end) => {
      const line = parts.map(([before, one]) => before + JSON.stringify(one)).join("") + end
      const read = readRpcLine(line).messages
      expect(read).toEqual(JSON.parse(JSON.stringify(parts.map(([, one]) => one))))
    }),
  )
})

test("a long line of braces costs no more than a look", () => {
  const began = performance.now()
  expect(readRpcLine(`"jsonrpc"${"{".repeat(2_000_000)}`).messages).toEqual([])
  expect(readRpcLine(`"jsonrpc"${"{}".repeat(1_000_000)}`).messages).toEqual([])
  expect(performance.now() - began).toBeLessThan(5000)
})

test("members of an answer that are null are none", () => {
  const [result] = readRpcLine('{"jsonrpc":"2.0","id":1,"result":{},"error":null}').messages
  expect(result).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
  const [error] = readRpcLine('{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}').messages
  expect(error).toEqual({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } })
  const [nothing] = readRpcLine('{"jsonrpc":"2.0","id":1,"result":null}').messages
  expect(nothing).toEqual({ jsonrpc: "2.0", id: 1, result: null })
})
