import { createHash } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { use } from "../fixtures/calls.ts"
import { canonicalJson, digestOf } from "./digest.ts"
import { sha256 } from "./sha256.ts"

test("the hash is SHA-256", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
})

test("the hash is that of node:crypto for any text, at every length around a block's end", () => {
  const reference = (text: string): string => createHash("sha256").update(text.toWellFormed(), "utf8").digest("hex")
  for (let length = 0; length < 200; length++) expect(sha256("x".repeat(length))).toBe(reference("x".repeat(length)))
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      expect(sha256(text)).toBe(reference(text))
    }),
    { seed: 7, numRuns: process.env["AGENTSCOPE_SOAK"] ? 2000 : 200 },
  )
})

test("canonical JSON does not depend on the order of keys, and is JSON", () => {
  expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: -0 })).toBe('{"a":0,"b":[1,{"c":"x","d":null}]}')
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as never)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(shuffled(value) as never)).toBe(text)
    }),
    { seed: 7, numRuns: 300 },
  )
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item)] as const)
  return Object.fromEntries(entries.toReversed())
}

test("a digest changes with the id, the name and the input, and not with the order of arguments", () => {
  const digests = [
    use("pay", { to: "Ann", amount: 1 }),
    use("pay", { to: "Ann", amount: 2 }),
    use("pay", { to: "Ann", amount: "1" }),
    use("pay", { to: "Ann", amount: 1, note: null }),
    use("pay2", { to: "Ann", amount: 1 }),
    use("pay", { to: "Ann", amount: 1 }, "call_2"),
  ].map((call) => digestOf(call))
  expect(new Set(digests).size).toBe(6)
  expect(digestOf(use("pay", { amount: 1, to: "Ann" }))).toBe(digests[0])
})

test("parts of a call cannot pass for one another", () => {
  expect(digestOf(use("a", {}, "b"))).not.toBe(digestOf(use("b", {}, "a")))
  expect(digestOf(use('a","id":"x', {}))).not.toBe(digestOf(use("a", {}, "x")))
})
