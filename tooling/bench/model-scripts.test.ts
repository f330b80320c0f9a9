import { describe, expect, test } from "vitest"
// @ts-expect-error a plain script without declarations
import { answerTo } from "./model-scripts.mjs"

interface Chunk {
  choices: {
    delta: {
      content?: string
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[]
    }
    finish_reason: string | null
  }[]
  usage: unknown
}
const ask = (model: string, stream: boolean, toolMessages = 0): Buffer => {
  const messages = [
    { role: "user", content: "Go on" },
    ...Array.from({ length: toolMessages }, () => ({ role: "tool", content: "1" })),
  ]
  return Buffer.from(JSON.stringify({ model, messages, ...(stream ? { stream } : {}) }))
}
function chunksOf(model: string, toolMessages = 0): Chunk[] {
  const { pieces } = answerTo(ask(model, true, toolMessages)) as { pieces: Buffer[] }
  const events = Buffer.concat(pieces).toString().split("\n\n").filter(Boolean)
  expect(events.pop()).toBe("data: [DONE]")
  return events.map((event) => JSON.parse(event.slice("data: ".length)) as Chunk)
}
const deltas = (chunks: Chunk[]) => chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
const texts = (chunks: Chunk[]) => deltas(chunks).flatMap(({ content }) => (content ? [content] : []))
const calls = (chunks: Chunk[]) => deltas(chunks).flatMap(({ tool_calls }) => tool_calls ?? [])
const finish = (chunks: Chunk[]) =>
  chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? []))

describe("the loopback model", () => {
  test("sends as many text deltas as asked for, then usage without a choice", () => {
    const chunks = chunksOf("text-50")
    expect(texts(chunks)).toHaveLength(50)
    expect(finish(chunks)).toEqual(["stop"])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 100 } })
  })

  test("answers are the same again where the request is", () => {
    expect(texts(chunksOf("text-3000"))).toEqual(texts(chunksOf("text-3000")))
  })

  test("rounds end after as many tool messages as asked for, and no two calls are alike", () => {
    const rounds = [0, 1].map((done) => chunksOf("rounds-2", done))
    expect(rounds.map(finish)).toEqual([["tool_calls"], ["tool_calls"]])
    const ids = rounds.map((chunks) => calls(chunks)[0]?.id)
    expect(new Set(ids).size).toBe(2)
    const json = rounds.map((chunks) =>
      calls(chunks)
        .map((call) => call.function.arguments)
        .join(""),
    )
    expect(json).toEqual(['{"a":0,"b":7}', '{"a":1,"b":7}'])
    expect(texts(chunksOf("rounds-2", 2)).join("")).toBe("It is done.")
  })

  test("parallel calls have an index each", () => {
    const names = calls(chunksOf("fan-3")).filter((call) => call.id)
    expect(names.map((call) => call.index)).toEqual([0, 1, 2])
    expect(finish(chunksOf("fan-3", 3))).toEqual(["stop"])
  })

  test("arguments come in as many deltas as asked for and are JSON", () => {
    const parts = calls(chunksOf("args-20")).filter((call) => call.function.arguments !== "")
    expect(parts).toHaveLength(20)
    expect(JSON.parse(parts.map((part) => part.function.arguments).join(""))).toHaveProperty("text")
  })

  test("a paced text is one event a piece", () => {
    const answer = answerTo(ask("paced-5", true))
    expect(answer.pauseMs).toBe(2)
    expect(answer.pieces.length).toBe(1 + 5 + 3)
  })

  test("without stream the same answer is one JSON document", () => {
    const read = (model: string, done: number) => {
      const answer = answerTo(ask(model, false, done)) as { contentType: string; pieces: Buffer[] }
      expect(answer.contentType).toBe("application/json")
      return JSON.parse(Buffer.concat(answer.pieces).toString()) as { choices: unknown[] }
    }
    expect(read("rounds-1", 0).choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "add", arguments: '{"a":0,"b":7}' } }] },
      },
    ])
    expect(read("rounds-1", 1).choices).toMatchObject([{ finish_reason: "stop", message: { content: "It is done." } }])
  })
})
