import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
// @ts-expect-error a plain script without declarations
import { measures } from "./measures.mjs"
// @ts-expect-error a plain script without declarations
import { machineFacts, mergeRows, short, summarise, table, verdictOf, writeBetweenMarkers } from "./report.mjs"
// @ts-expect-error a plain script without declarations
import { median, percentile } from "./statistics.mjs"

describe("statistics", () => {
  test("the median stands in the middle, whatever the order", () => {
    expect(median([5, 1, 3])).toBe(3)
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  test("a percentile is a value that was seen", () => {
    const values = Array.from({ length: 200 }, (_, i) => i + 1)
    expect(percentile(values, 0.99)).toBe(198)
    expect(percentile([7], 0.99)).toBe(7)
  })
})

describe("verdicts", () => {
  test("less is better unless the row says more", () => {
    const less = { target: 0.6, failAbove: 1 }
    expect([0.6, 0.8, 1.1].map((value) => verdictOf(value, less))).toEqual(["ok", "between", "over"])
    const more = { target: 1.4, failAbove: 1, more: true }
    expect([1.4, 1.2, 0.9].map((value) => verdictOf(value, more))).toEqual(["ok", "between", "over"])
    expect(verdictOf(3, {})).toBe("")
  })

  test("a ratio is the median of the ratios of each repetition, not the ratio of medians", () => {
    const row = {
      id: "x",
      label: "x",
      unit: "ms",
      compared: "× floor",
      figure: (result: { ms: number }) => result.ms,
      value: (rep: Record<string, { ms: number }>, name: string) => (rep[name]?.ms ?? 0) / (rep["floor"]?.ms ?? 0),
      target: 0.5,
      failAbove: 1,
    }
    const rep = (floor: number, agentscope: number) => ({ floor: { ms: floor }, agentscope: { ms: agentscope } })
    const made = summarise(row, [rep(1, 0.4), rep(10, 6), rep(2, 1.8)])
    expect(made).toMatchObject({
      value: 0.6,
      figures: { floor: 2, agentscope: 1.8 },
      spread: [0.4, 0.9],
      verdict: "between",
    })
  })
})

describe("the table", () => {
  test("has a column a contestant and says what was judged", () => {
    const rows = [
      {
        label: "a round",
        unit: "ms",
        figures: { floor: 0.61, agentscope: 0.29 },
        value: 0.48,
        compared: "× floor",
        target: 0.6,
        failAbove: 1,
        verdict: "ok",
      },
      { label: "size", unit: "MB", figures: { agentscope: 1.2 }, value: 1.2, compared: "MB", verdict: "" },
    ]
    expect(table(rows).split("\n")).toEqual([
      "| measure | floor | agentscope | judged | target | fails past | verdict |",
      "| --- | --: | --: | --: | --: | --: | --- |",
      "| a round (ms) | 0.61 | 0.29 | 0.48 × floor | ≤ 0.6 | 1 | ok |",
      "| size (MB) | – | 1.20 | 1.20 MB |  |  |  |",
    ])
    expect([1234.5, 45.67, 0.123, undefined].map((value) => short(value))).toEqual(["1235", "45.7", "0.12", "–"])
  })

  test("goes between the markers of a file, again and again, and nowhere else", () => {
    const dir = mkdtempSync(join(tmpdir(), "bench-"))
    try {
      const file = join(dir, "README.md")
      writeFileSync(file, "before\n<!-- bench:start -->\n<!-- bench:end -->\nafter\n")
      for (const text of ["old", "new"]) expect(writeBetweenMarkers(file, text)).toBe(true)
      expect(readFileSync(file, "utf8")).toBe("before\n<!-- bench:start -->\nnew\n<!-- bench:end -->\nafter\n")
      writeFileSync(file, "nothing here")
      expect(writeBetweenMarkers(file, "x")).toBe(false)
      expect(readFileSync(file, "utf8")).toBe("nothing here")
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test("rows of a partial run take the place of the old ones", () => {
    const row = (id: string, value: number) => ({ id, value })
    const before = [row("a", 1), row("gone", 1), row("c", 1)]
    expect(mergeRows(before, [row("b", 2), row("c", 2)], ["a", "b", "c", "d"])).toEqual([
      row("a", 1),
      row("b", 2),
      row("c", 2),
    ])
  })

  test("machine facts name no host and no path", () => {
    expect(Object.keys(machineFacts())).toEqual(["cpu", "cores", "memoryGib", "platform", "node"])
  })
})

test("every measure has a job or is a cold start, and every row its own id", () => {
  for (const quick of [true, false]) {
    const all: { name: string; job?: string; cold?: boolean; rows: { id: string }[] }[] = measures({ quick })
    expect(all.every(({ job, cold }) => (job === undefined) === (cold === true))).toBe(true)
    const ids = all.flatMap(({ rows }) => rows.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  }
})
