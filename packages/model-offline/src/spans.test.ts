import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { mask, quotesIn, restore, unmask } from "./spans.ts"

const runs = process.env["AGENTSCOPE_SOAK"] ? 5000 : 500

describe("quoted parts", () => {
  it("stand as one character and come back with or without their marks", () => {
    const masked = mask("read \"a b.txt\", run `ls -la && x` and write “für\u00a0dich” and 'c'")
    expect(masked.text).toMatch(/^read ., run . and write . and .$/u)
    expect(quotesIn(masked.text, masked.quotes)).toEqual(["a b.txt", "ls -la && x", "für\u00a0dich", "c"])
    expect(unmask(masked.text, masked.quotes)).toBe("read a b.txt, run ls -la && x and write für\u00a0dich and c")
  })

  it("leaves apostrophes alone", () => {
    expect(mask("what's in it, and don't you 'like it's name'?").quotes.map(({ inner }) => inner)).toEqual([
      "like it's name",
    ])
  })

  it("takes the language off a fence and keeps its lines", () => {
    expect(mask("run\n```python\nprint(1)\nprint(2)\n```").quotes[0]?.inner).toBe("print(1)\nprint(2)")
    expect(mask("run ```ls```").quotes[0]?.inner).toBe("ls")
  })

  it("reads an escaped quotation mark", () => {
    expect(mask('write "say \\"hi\\"" to a.txt').quotes[0]?.inner).toBe('say "hi"')
  })

  it("gives back any text as it was", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"', "'", "`", "```", "“", "”", "«", "»", "\\", "\n", " ", "a", "é", "😀", ".")),
        (parts) => {
          const text = parts.join("")
          const masked = mask(text)
          expect(restore(masked.text, masked.quotes)).toBe(text)
        },
      ),
      { numRuns: runs, seed: 1 },
    )
  })

  it("stays fast on a long text of stray marks", () => {
    const started = performance.now()
    for (const stray of ["“", "«", "`", '"', "'a ", '\\"', "```a\n"]) mask(stray.repeat(50_000))
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
