import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type SseEvent, SseReader } from "./sse.ts"

function eventsOf(pieces: readonly string[], maxLine?: number): readonly SseEvent[] {
  const events: SseEvent[] = []
  const reader = new SseReader((text, from, to, event) => {
    const data = text.slice(from, to)
    events.push(event === "" ? { data } : { event, data })
  }, maxLine)
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return events
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set([0, ...cuts, text.length])].filter((cut) => cut <= text.length).toSorted((a, b) => a - b)
  return places.slice(1).map((to, i) => text.slice(places[i], to))
}

/** The standard read word by word: slow, and nothing like the reader. */
function byTheBook(text: string): readonly SseEvent[] {
  const events: SseEvent[] = []
  let data: string[] = []
  let event = ""
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)
  for (const line of [...lines, ""]) {
    if (line === "") {
      if (data.length > 0) events.push(event === "" ? { data: data.join("\n") } : { event, data: data.join("\n") })
      data = []
      event = ""
      continue
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === "data") data.push(value)
    if (field === "event") event = value
  }
  return events
}

describe("SseReader", () => {
  it.each([
    ["one event", "data: a\n\n", [{ data: "a" }]],
    ["no blank after the colon", "data:a\n\n", [{ data: "a" }]],
    ["only one blank is taken away", "data:  a\n\n", [{ data: " a" }]],
    ["several data lines", "data: a\ndata: b\n\n", [{ data: "a\nb" }]],
    ["an empty data line", "data\ndata:\n\n", [{ data: "\n" }]],
    [
      "a type, and the default again after it",
      "event: x\ndata: a\n\ndata: b\n\n",
      [{ event: "x", data: "a" }, { data: "b" }],
    ],
    ["a type without data", "event: x\n\ndata: b\n\n", [{ data: "b" }]],
    ["comments, ids and unknown fields", ": hi\nid: 1\nretry: 5\nfoo: x\ndata: a\n: bye\n\n", [{ data: "a" }]],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [{ data: "a" }, { data: "b" }]],
    ["CR alone", "data: a\r\rdata: b\r\r", [{ data: "a" }, { data: "b" }]],
    ["a byte order mark at the start only", "\ufeffdata: a\n\ndata: \ufeffb\n\n", [{ data: "a" }, { data: "\ufeffb" }]],
    ["an end without a blank line", "data: a\n", [{ data: "a" }]],
    ["an end without a line end", "data: a\n\ndata: b", [{ data: "a" }, { data: "b" }]],
    ["many blank lines", "\n\n\ndata: a\n\n\n\n", [{ data: "a" }]],
  ])("reads %s", (_, text, expected) => {
    expect(eventsOf([text])).toEqual(expected)
    for (let cut = 0; cut <= text.length; cut++) expect(eventsOf(cutAt(text, [cut]))).toEqual(expected)
    expect(eventsOf(text.split(""))).toEqual(expected)
  })

  it("reads any stream as the standard says, wherever it is cut", () => {
    const part = fc.constantFrom(
      ...'data: |data:|data|event: x|event:|: c|id: 1|a|{"b":1}|\n|\n\n|\r|\r\n|\r\n\r\n|\ufeff|你🌍| |:'.split("|"),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(120)), (parts, cuts) => {
        const text = parts.join("")
        expect(eventsOf(cutAt(text, cuts))).toEqual(byTheBook(text))
      }),
      { numRuns: process.env["AGENTSCOPE_SOAK"] === "1" ? 50_000 : 5000, seed: 7 },
    )
  })

  it("stays linear on a long line in small pieces", () => {
    const line = `data: ${"x".repeat(300_000)}\n\n`
    const begun = performance.now()
    expect(eventsOf(line.split(""))[0]?.data.length).toBe(300_000)
    // quadratic, it takes minutes
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  it("gives up a line, or an event of many lines, that never ends", () => {
    const tooLong = expect.objectContaining({ code: "malformed_response", retryable: true }) as Error
    expect(() =>
      eventsOf(
        Array.from({ length: 20 }, () => "x".repeat(10)),
        100,
      ),
    ).toThrow(tooLong)
    expect(() =>
      eventsOf(
        Array.from({ length: 20 }, () => `data: ${"x".repeat(10)}\n`),
        100,
      ),
    ).toThrow(tooLong)
    expect(
      eventsOf(
        Array.from({ length: 20 }, () => `data: ${"x".repeat(10)}\n\n`),
        100,
      ),
    ).toHaveLength(20)
  })
})
