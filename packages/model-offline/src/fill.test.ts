import type { JsonObject, JsonSchema } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { fill } from "./fill.ts"
import { mask } from "./spans.ts"

const s = { type: "string" } as const
const n = { type: "number" } as const
const filled = (
  toolWords: string,
  properties: Record<string, JsonSchema>,
  text: string,
  required = Object.keys(properties),
) => {
  const masked = mask(text)
  return fill({ type: "object", properties, required }, masked.text, masked.quotes, { toolWords })
}

describe("arguments out of free words", () => {
  it.each<[string, Record<string, JsonSchema>, string, JsonObject]>([
    ["get_weather", { city: s }, "what's the weather in Paris?", { city: "Paris" }],
    ["get_weather", { city: s }, "weather Berlin", { city: "Berlin" }],
    ["get_weather", { city: s }, "What is the weather like in São Paulo today?", { city: "São Paulo" }],
    ["add", { a: n, b: n }, "add 2 and 3.5", { a: 2, b: 3.5 }],
    [
      "send_email",
      { to: s, subject: s, body: s },
      "send an email to bob@x.org about \"lunch\" saying 'see you'",
      { to: "bob@x.org", subject: "lunch", body: "see you" },
    ],
    [
      "translate",
      { text: s, language: s },
      'translate "good morning" into French',
      { text: "good morning", language: "French" },
    ],
    ["get_stock", { symbol: s }, "How is BABA doing?", { symbol: "BABA" }],
    ["lookup", { id: s }, "look up record x-17", { id: "x-17" }],
    ["refund", { order: s, amount: n }, "refund 80 for order 42", { order: "42", amount: 80 }],
    ["web_search", { query: s }, "search the web for red pandas", { query: "red pandas" }],
    [
      "book",
      { from: s, to: s, date: s },
      "book a flight from Berlin to New York on 2026-12-24",
      { from: "Berlin", to: "New York", date: "2026-12-24" },
    ],
    [
      "set_tags",
      { tags: { type: "array", items: s } },
      "set tags red, green and blue",
      { tags: ["red", "green", "blue"] },
    ],
    ["sum", { values: { type: "array", items: n } }, "sum 1, 2, 3", { values: [1, 2, 3] }],
    ["greet", { name: s }, "greet Alice", { name: "Alice" }],
    ["fetch", { url: s }, "fetch https://example.org/a?b=1.", { url: "https://example.org/a?b=1" }],
    ["x", { query: s }, "use x with query=hello", { query: "hello" }],
    ["x", { max_items: { type: "integer" } }, "call it with max items: 5", { max_items: 5 }],
    ["light", { on: { type: "boolean" } }, "light on=false", { on: false }],
  ])("%s %j: %s", (tool, properties, text, input) => {
    expect(filled(tool, properties, text)).toEqual({ input, missing: [] })
  })

  it("takes an optional choice only when it is named", () => {
    const properties = { city: s, unit: { type: "string", enum: ["celsius", "fahrenheit"] } } as const
    expect(filled("get_weather", properties, "weather in Rome in Fahrenheit", ["city"]).input).toEqual({
      city: "Rome",
      unit: "fahrenheit",
    })
    expect(filled("get_weather", properties, "weather in Rome", ["city"]).input).toEqual({ city: "Rome" })
  })

  it("says what the words do not give, and makes nothing up", () => {
    expect(filled("get_weather", { city: s }, "what's the weather?")).toEqual({ input: {}, missing: ["city"] })
    expect(filled("add", { a: n, b: n }, "add 2")).toEqual({ input: { a: 2 }, missing: ["b"] })
    expect(filled("x", { choice: { type: "string", enum: ["a1", "b2"] } }, "x it")).toEqual({
      input: {},
      missing: ["choice"],
    })
  })

  it("falls back on defaults and constants of what is required", () => {
    expect(filled("x", { unit: { type: "string", default: "metric" }, v: { const: 3 } }, "x").input).toEqual({
      unit: "metric",
      v: 3,
    })
  })

  it("takes no fraction for an integer", () => {
    expect(filled("x", { count: { type: "integer" } }, "x count=2.5")).toMatchObject({ missing: ["count"] })
  })
})
