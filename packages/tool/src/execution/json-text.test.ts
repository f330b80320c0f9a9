import { expect, test } from "vitest"
import { failureText, jsonText, plainText } from "./json-text.ts"

const cyclic: { [key: string]: unknown } = { name: "a" }
cyclic["self"] = cyclic
const deep: { inner?: unknown } = {}
for (let i = 0, at = deep; i < 200; i++) at = at.inner = {}

test.each<[string, unknown, string]>([
  ["plain data", { a: [1, "x", null, true] }, '{"a":[1,"x",null,true]}'],
  ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["an invalid date", [new Date(Number.NaN), 1n], '["Invalid Date","1"]'],
  ["a bigint", { n: 10n ** 20n }, '{"n":"100000000000000000000"}'],
  ["a cycle", cyclic, '{"name":"a","self":"[Circular]"}'],
  ["a map", new Map([["a", 1]]), '{"a":1}'],
  ["a map with other keys", new Map([[1, "a"]]), '[[1,"a"]]'],
  ["a nested map", { inner: new Map([["a", 1]]) }, '{"inner":{"a":1}}'],
  ["a set", { tags: new Set(["x"]) }, '{"tags":["x"]}'],
  ["an error", { error: new RangeError("off") }, '{"error":{"name":"RangeError","message":"off"}}'],
  ["bytes", new Uint8Array(12), '"[Uint8Array, 12 bytes]"'],
  ["a buffer", new ArrayBuffer(3), '"[ArrayBuffer, 3 bytes]"'],
  ["an empty object", {}, "{}"],
  ["undefined in an array", [undefined, new Set()], "[null,[]]"],
  ["a regular expression", [/a/g], "{}"],
])("%s is told as JSON", (name, value, json) => {
  // JSON.stringify has no objection to a regular expression beside nothing else: it stays an empty object only inside
  expect(jsonText(value)).toBe(name === "a regular expression" ? '["/a/g"]' : json)
})

test("what the same value holds twice is no cycle", () => {
  const shared = { a: 1n }
  expect(jsonText([shared, shared])).toBe('[{"a":"1"},{"a":"1"}]')
})

test("a getter or a toJSON that throws spoils only its own place", () => {
  const bad = {
    ok: 1,
    inner: {
      get x() {
        throw new Error("no")
      },
    },
  }
  expect(jsonText(bad)).toBe('{"ok":1,"inner":"[unreadable: no]"}')
  expect(
    jsonText({
      ok: 1,
      inner: {
        toJSON() {
          throw new Error("no")
        },
      },
    }),
  ).toBe('{"ok":1,"inner":"[unreadable: no]"}')
})

test("nesting has an end", () => {
  expect(jsonText([deep, 1n])).toContain("[too deep]")
})

test("values that are no objects have their own text", () => {
  expect([1.5, Number.NaN, 7n, true, null, undefined, Symbol("s")].map(plainText)).toEqual([
    "1.5",
    "NaN",
    "7",
    "true",
    "null",
    "undefined",
    "Symbol(s)",
  ])
  expect(plainText(function named() {})).toBe("[function named]")
})

test.each<[string, unknown, string]>([
  ["an error", new Error("broken"), "broken"],
  ["an error without a message", new TypeError(""), "TypeError"],
  ["a system error", Object.assign(new Error(""), { code: "EPERM" }), "EPERM"],
  [
    "its causes",
    new Error("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
    "fetch failed Cause: connect ECONNREFUSED",
  ],
  ["a cause told already", new Error("bad: off", { cause: new Error("off") }), "bad: off"],
  ["several errors", new AggregateError([new Error("a"), new Error("b")], ""), "a; b"],
  ["a string", "no luck", "no luck"],
  ["undefined", undefined, "undefined"],
  ["null", null, "null"],
  ["a symbol", Symbol("x"), "Symbol(x)"],
  ["an object", { status: 500 }, '{"status":500}'],
])("%s that was thrown is a sentence", (_, thrown, text) => {
  expect(failureText(thrown)).toBe(text)
})

test("a thrown value that cannot be read is no crash", () => {
  const hostile = new Error("x")
  Object.defineProperty(hostile, "message", {
    get() {
      throw new Error("no")
    },
  })
  expect(failureText(hostile)).toBe("an error that cannot be read")
  const loop = new Error("a")
  loop.cause = loop
  expect(failureText(loop)).toBe("a")
})

test("an object whose toJSON says nothing is null", () => {
  expect(jsonText({ toJSON: () => undefined })).toBe("null")
})

test("what the web keeps pairs in is an object", () => {
  expect(jsonText(new URLSearchParams("a=1&b=2"))).toBe('{"a":"1","b":"2"}')
  expect(jsonText({ headers: new Headers({ a: "1" }) })).toBe('{"headers":{"a":"1"}}')
})
