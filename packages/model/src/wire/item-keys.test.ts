import { describe, expect, it } from "vitest"
import { ItemKeys } from "./item-keys.ts"

describe("ItemKeys", () => {
  it("knows an item by its place, whatever ids its events have", () => {
    const keys = new ItemKeys()
    keys.begin(keys.of(0, "a"), "a")
    expect([keys.of(0, "other"), keys.of(0, ""), keys.of(1, "")]).toEqual([0, 0, 1])
  })

  it("finds an item that began with its place by its id alone, and one that began without by either", () => {
    const keys = new ItemKeys()
    keys.begin(keys.of(0, "a"), "a")
    expect(keys.of(undefined, "a")).toBe(0)
    keys.begin(keys.of(undefined, "b"), "b")
    expect([keys.of(1, "b"), keys.of(1, ""), keys.of(undefined, "b")]).toEqual(["b", "b", "b"])
  })

  it("takes a place that a second item gets after the first one's end for nothing", () => {
    const keys = new ItemKeys()
    keys.begin(keys.of(0, "a"), "a")
    keys.end(0, "a")
    expect([keys.of(0, "b"), keys.of(0, "a"), keys.hasEnded("a"), keys.hasEnded("b")]).toEqual(["b", 0, true, false])
  })

  it("takes an event without either to be about the item that began last", () => {
    const keys = new ItemKeys()
    expect(keys.of(undefined, "")).toBeUndefined()
    keys.begin(keys.of(undefined, "a"), "a")
    keys.begin(keys.of(undefined, "b"), "b")
    expect(keys.of(undefined, "")).toBe("b")
  })
})
