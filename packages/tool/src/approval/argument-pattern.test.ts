import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { globTest, matchArguments, patternOf } from "./argument-pattern.ts"

const mail = { to: "ann@acme.com", subject: "Hi, you", urgent: true, size: { kb: 12 } }

describe("a pattern for arguments", () => {
  test.each([
    ["to=ann@acme.com", true],
    ["to=*@acme.com", true],
    ["to=*@evil.com", false],
    ["to=ann@acme.co", false],
    ["to = *@acme.com , urgent = true", true],
    ["to=*@acme.com,urgent=false", false],
    ["size.kb=12", true],
    ["size.kb=1", false],
    ['size={"kb":12}', true],
    ["subject=Hi\\, you", true],
    ["subject=*\\, *", true],
    ["nothing=*", false],
    ["constructor=*", false],
    ["to.length=*", false],
    ["to=*,urgent=*,subject=*,size=*,!", true],
    ["to=*,urgent=*,subject=*,size.kb=12,!", true],
    ["to=*,urgent=*,size=*,!", false],
    ["!", false],
  ])("%s", (pattern, matches) => {
    expect(matchArguments(pattern, mail, true)).toBe(matches)
    expect(matchArguments(pattern, mail, false)).toBe(matches)
  })

  test("without a key needs every argument to allow, and one to deny", () => {
    const copy = { from: "/tmp/a", to: "/etc/passwd" }
    expect(matchArguments("/tmp/*", copy, true)).toBe(false)
    expect(matchArguments("/tmp/*", copy, false)).toBe(true)
    expect(matchArguments("/tmp/*", { from: "/tmp/a", to: "/tmp/b" }, true)).toBe(true)
    expect(matchArguments("/var/*", copy, false)).toBe(false)
    expect(matchArguments("*", {}, true)).toBe(false)
  })

  test("takes `*` for line breaks too, so that a second line does not slip through", () => {
    expect(matchArguments("command=*rm*", { command: "ls\nrm x" }, false)).toBe(true)
    expect(matchArguments("command=git", { command: "git\nrm x" }, true)).toBe(false)
  })
})

test("everything but `*` and `\\` in a glob stands for itself", () => {
  expect(globTest("a.b[c]+(d)$^|{e}?/-")("a.b[c]+(d)$^|{e}?/-")).toBe(true)
  expect(globTest("a.b")("axb")).toBe(false)
  expect(globTest("a\\*b")("a*b")).toBe(true)
  expect(globTest("a\\*b")("axb")).toBe(false)
  expect(globTest("a\\")("a\\")).toBe(true)
})

test("a glob is as long as its parts, in order, and they do not overlap", () => {
  const regExp = (glob: string) => new RegExp(`^${glob.replaceAll("*", "[^]*")}$`)
  const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 })
  const globs = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 })
  fc.assert(
    fc.property(globs, texts, (glob, text) => {
      expect(globTest(glob)(text)).toBe(regExp(glob).test(text))
    }),
    { seed: 5, numRuns: 2000 },
  )
})

test("a long text takes no longer than it is long, whatever the glob", () => {
  const startedAt = performance.now()
  expect(matchArguments("content=*a*b*a*b*c", { content: "ab".repeat(200_000) }, true)).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

test("the pattern made of arguments covers them, no other value of theirs, and no further argument", () => {
  const scalar = fc.oneof(fc.string({ maxLength: 10 }), fc.integer(), fc.boolean(), fc.constant(null))
  const input = fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), scalar, { minKeys: 1, maxKeys: 4 })
  fc.assert(
    fc.property(input, input, (one, other) => {
      const pattern = patternOf(one)
      fc.pre(pattern !== undefined)
      expect(matchArguments(pattern, one, true)).toBe(true)
      const differs = Object.keys(one).some(
        (key) => String(other[key]) !== String(one[key]) || !Object.hasOwn(other, key),
      )
      if (differs) expect(matchArguments(pattern, other, true)).toBe(false)
      expect(matchArguments(pattern, { ...one, "one more": true }, true)).toBe(false)
    }),
    { seed: 3, numRuns: 500 },
  )
})

test("no pattern is made of nested or long arguments", () => {
  expect(patternOf({})).toBe("!")
  expect(patternOf({ b: 2, a: "x*" })).toBe("a=x\\*,b=2,!")
  expect(patternOf({ list: [1] })).toBeUndefined()
  expect(patternOf({ text: "x".repeat(300) })).toBeUndefined()
  expect(patternOf({ text: " padded" })).toBeUndefined()
})
