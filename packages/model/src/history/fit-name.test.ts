import * as fc from "fast-check"
import { expect, test } from "vitest"
import { fitName, fitsRule, type NameRule } from "./fit-name.ts"

const free = () => false
const rules: readonly NameRule[] = [
  {},
  { pattern: /^[a-zA-Z0-9_-]+$/ },
  { pattern: /^\S+$/, maxLength: 64 },
  { pattern: /^[a-zA-Z0-9]{9}$/ },
  { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/ },
  { pattern: /^call_/, maxLength: 20 },
  { pattern: /^\d+$/, maxLength: 6 },
  { maxLength: 3 },
]

test("whatever the rule and the name, the result keeps the rule and is the same each time", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), fc.constantFrom(...rules), (name, rule) => {
      const fitted = fitName(name, rule, free)
      expect(fitsRule(fitted, rule)).toBe(true)
      expect(fitName(name, rule, free)).toBe(fitted)
    }),
    { seed: 3, numRuns: 500 },
  )
})

test("a name in use is not given again", () => {
  const taken = new Set<string>()
  for (let i = 0; i < 50; i++) {
    const fitted = fitName("same", { pattern: /^[a-zA-Z0-9]{9}$/ }, (candidate) => taken.has(candidate))
    expect(taken.has(fitted)).toBe(false)
    taken.add(fitted)
  }
})

test("a rule that nothing keeps gives a name that is at least unique", () => {
  const impossible = { pattern: /^$/ }
  expect(fitName("a", impossible, free)).not.toBe(fitName("b", impossible, free))
})

test("the readable part of a name stays", () => {
  expect(fitName("functions.Bash:0", { pattern: /^[\w-]+$/ }, free)).toMatch(/^functions_Bash_0_\w{9}$/)
})
