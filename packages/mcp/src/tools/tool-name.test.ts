import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { prefixedName } from "./tool-name.ts"

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 80 }),
  fc
    .array(fc.constantFrom("a", "b", "_", "__", "-", ".", "é", "漢", "x1234abcd", "/"), { minLength: 1 })
    .map((parts) => parts.join("")),
)

describe("prefixed names", () => {
  test("are the plain form where that says it all", () => {
    expect(prefixedName("notes", "read_page")).toBe("mcp__notes__read_page")
    expect(prefixedName("my-notes", "a__b")).toBe("mcp__my-notes__a__b")
  })

  test("fit every provider, and are always the same", () => {
    fc.assert(
      fc.property(name, name, (server, tool) => {
        const made = prefixedName(server, tool)
        expect(made).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/)
        expect(prefixedName(server, tool)).toBe(made)
      }),
    )
  })

  test("differ for different tools, whatever their names", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, name), { selector: (pair) => JSON.stringify(pair), minLength: 2 }),
        (pairs) => {
          expect(new Set(pairs.map(([server, tool]) => prefixedName(server, tool))).size).toBe(pairs.length)
        },
      ),
      { numRuns: 500 },
    )
    const near = [
      ["a__b", "c"],
      ["a", "b__c"],
      ["a_", "_b"],
      ["a", "__b"],
      ["a.b", "c"],
      ["a_b", "c"],
      ["a", "b".repeat(70)],
      ["a", "b".repeat(71)],
    ] as const
    expect(new Set(near.map(([server, tool]) => prefixedName(server, tool))).size).toBe(near.length)
    // a name that looks like a made one
    const made = prefixedName("a.b", "c")
    const [, server = "", tool = ""] = /^mcp__(.*?)__(.*)$/.exec(made) ?? []
    expect(prefixedName(server, tool)).not.toBe(made)
  })
})
