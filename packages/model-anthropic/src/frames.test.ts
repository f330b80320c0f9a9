import { cassettesOf, hasCorpus } from "@agentscope-ts/fixtures"
import { describe, expect, it } from "vitest"
import { blockEvents, readStream, streamOf } from "./fixtures/answers.ts"

const seeds = Array.from({ length: process.env["AGENTSCOPE_SOAK"] === "1" ? 400 : 40 }, (_, i) => i + 1)

/** Numbers that are the same for a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const words = ["a", " the", "\n", '"', "\\", "é", "😀", '{"k":', "}", "\u0001", "text", "", '","text":"', "data: "]

/** A stream with all kinds of blocks, long enough for frames. */
function longStream(next: () => number): string {
  const piece = () => words[Math.floor(next() * words.length)] as string
  const some = (make: (text: string) => Record<string, unknown>) =>
    Array.from({ length: Math.floor(next() * 60) }, () => make(piece()))
  const thinking = some((thinking) => ({ type: "thinking_delta", thinking }))
  const text = some((text) => ({ type: "text_delta", text }))
  const json = some((partial_json) => ({ type: "input_json_delta", partial_json }))
  return streamOf([
    blockEvents(0, { type: "thinking", thinking: "" }, ...thinking, { type: "signature_delta", signature: "s" }),
    blockEvents(1, { type: "text", text: "" }, ...text, { type: "citations_delta", citation: { x: 1 } }, ...text),
    blockEvents(2, { type: "tool_use", id: "t1", name: "look", input: {} }, ...json),
    blockEvents(3, { type: "server_tool_use", id: "s1", name: "run", input: {} }, ...json),
    blockEvents(4, { type: "text", text: "" }, ...text),
  ])
}

describe("frames", () => {
  it("change nothing of what a stream says, wherever it is cut", () => {
    for (const seed of seeds) {
      const next = random(seed)
      const stream = longStream(next)
      const cuts = Array.from({ length: 12 }, () => Math.floor(next() * stream.length))
      expect(readStream(stream, { frames: 1 }, cuts), `seed ${seed}`).toEqual(readStream(stream, { frames: false }))
    }
  })

  it("change nothing of what a damaged stream says", () => {
    for (const seed of seeds) {
      const next = random(seed)
      const stream = longStream(next)
      const at = Math.floor(next() * stream.length)
      const damaged = stream.slice(0, at) + (next() < 0.5 ? "" : `${words[seed % words.length]}${stream.slice(at + 3)}`)
      expect(readStream(damaged, { frames: 1 }), `seed ${seed}`).toEqual(readStream(damaged, { frames: false }))
    }
  })

  it.skipIf(!hasCorpus)("change nothing of what recorded streams say", () => {
    for (const { file, response } of cassettesOf("anthropic-messages").filter(({ categories }) =>
      categories.includes("stream"),
    )) {
      expect(readStream(response.body, { frames: 1 }), file).toEqual(readStream(response.body, { frames: false }))
    }
  })

  it("are used for what the API pads: most of a long text is not parsed", () => {
    const deltas = Array.from({ length: 2000 }, (_, i) => ({ type: "text_delta", text: `w${i} ` }))
    const stream = streamOf([blockEvents(0, { type: "text", text: "" }, ...deltas)])
    const parse = JSON.parse
    let parsed = 0
    JSON.parse = (...given) => {
      parsed++
      return parse(...given) as unknown
    }
    try {
      expect(readStream(stream).deltas).toHaveLength(2000)
    } finally {
      JSON.parse = parse
    }
    expect(parsed).toBeLessThan(200)
  })
})
