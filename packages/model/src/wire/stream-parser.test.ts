import type { ChatDelta } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { CallEnd, CallHead, CallSink } from "../stream/call-sink.ts"
import { AnswerReader } from "./answer-reader.ts"
import { StreamParser, type StreamParserOptions } from "./stream-parser.ts"

interface Chunk {
  readonly id?: string
  readonly text?: string
  readonly tokens?: number
  readonly stop?: boolean
  readonly error?: unknown
}

/** A wire as small as can be: texts, figures beside them, and an end. */
class ToyParser extends StreamParser<Chunk> {
  constructor(sink: CallSink, options: Partial<StreamParserOptions> = {}) {
    super(sink, { label: "toy/m", frames: 2, ...options }, { varying: String.raw`"tokens":\d+` })
  }

  protected override read(chunk: Chunk): void {
    if (chunk.error) throw this.failure(chunk)
    this.told({ id: chunk.id, usage: this.usageIn(chunk) })
    if (chunk.text) this.#say(chunk.text)
    if (chunk.stop) this.stop = "length"
  }

  protected override end() {
    return { refusal: "no" }
  }

  protected override done(): void {
    this.stop ??= "stop"
    this.complete()
  }

  protected override usageIn({ tokens }: Chunk) {
    return tokens === undefined ? undefined : { outputTokens: tokens }
  }

  protected override effectOf({ text, id, stop }: Chunk) {
    if (!text || id || stop) return undefined
    return { key: '"text":', say: (text: string) => this.#say(text), read: (other: unknown) => (other as Chunk).text }
  }

  #say(text: string): void {
    this.sink.emit({ type: "text_delta", index: 0, text })
  }
}

function setup(options?: Partial<StreamParserOptions>) {
  const [deltas, heads, ends]: [ChatDelta[], CallHead[], CallEnd[]] = [[], [], []]
  const parser = new ToyParser(
    {
      streaming: true,
      begin: (head) => void heads.push(head),
      warn: () => {},
      emit: (delta) => void deltas.push(delta),
      finish: (end) => void ends.push(end),
    },
    options,
  )
  const text = () => deltas.map((delta) => (delta.type === "text_delta" ? delta.text : "")).join("")
  return { parser, reader: new AnswerReader(parser), heads, ends, text }
}

const sse = (...chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")
const counted = (count: number): readonly Chunk[] =>
  Array.from({ length: count }, (_, i) => ({ text: `${i} `, tokens: i + 1 }))

describe("a stream", () => {
  test("tells id and figures as they come, and the end once", () => {
    const { reader, heads, ends, text } = setup()
    reader.push(sse({ id: "a" }, { text: "hi", tokens: 3 }, { id: "b", stop: true }))
    expect(ends).toEqual([])
    reader.end()
    reader.salvage()
    expect(text()).toBe("hi")
    expect(heads).toEqual([{ id: "a" }, { id: "a", usage: { outputTokens: 3 } }])
    expect(ends).toEqual([{ id: "a", usage: { outputTokens: 3 }, stopReason: "length", refusal: "no" }])
  })

  test.each([2, false] as const)(
    "that breaks off has the figures of chunks that needed no parsing (frames: %j)",
    (frames) => {
      const { reader, heads, ends, text } = setup({ frames })
      reader.push(sse(...counted(50)))
      reader.salvage()
      expect(text()).toMatch(/48 49 $/)
      expect(heads.at(-1)?.usage).toEqual({ outputTokens: 50 })
      expect(ends).toEqual([])
    },
  )

  test("keeps the figures of an unparsed chunk before an end that tells none", () => {
    const { reader, heads, ends } = setup()
    reader.push(sse(...counted(50), { stop: true }))
    reader.end()
    expect(heads.length).toBeLessThan(20)
    expect(ends[0]?.usage).toEqual({ outputTokens: 50 })
  })

  test("ends with [DONE] where the provider says so", () => {
    const { reader, ends } = setup()
    reader.push(`${sse({ text: "hi" })}data: [DONE]\n\n`)
    expect(ends).toMatchObject([{ stopReason: "stop" }])
  })

  test.each([
    ['event: error\ndata: {"error":{"type":"overloaded_error","message":"busy"}}\n\n', "overloaded", "busy"],
    ["event: error\ndata: upstream died\n\n", "server_error", "upstream died"],
    ['data: {"error":{"code":"insufficient_quota","message":"no money"}}\n\n', "quota_exceeded", "no money"],
    ['data: ["x"]\n\n', "server_error", "x"],
    ["data: {not json\n\n", "malformed_response", "A chunk of toy/m is not JSON"],
  ])("fails with what %j says, after the figures of what came before", (text, code, message) => {
    const { reader, heads } = setup()
    reader.push(sse(...counted(50)))
    expect(() => reader.push(text)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    )
    expect(heads.at(-1)?.usage).toEqual({ outputTokens: 50 })
  })
})

test("a whole answer is one chunk, and fails when it does not say how it ended", () => {
  const { parser, ends, text } = setup()
  parser.whole(JSON.stringify({ id: "a", text: "hi", tokens: 1, stop: true }))
  expect(text()).toBe("hi")
  expect(ends).toMatchObject([{ id: "a", usage: { outputTokens: 1 } }])
  expect(() => setup().parser.whole('{"text":"hi"}')).toThrow(/does not say how it ended/)
})

describe("a stream without its frames", () => {
  const lines = ['{"text":"a"}', '{"text":"b{}","id":"r"}', '{"text":"c","stop":true}']

  test("is read where events have no blank line between them", () => {
    for (const last of ["", "data: [DONE]\n"]) {
      const { reader, ends, text } = setup()
      reader.push(lines.map((line) => `data: ${line}\n`).join("") + last)
      reader.end()
      expect(text()).toBe("ab{}c")
      expect(ends).toHaveLength(1)
    }
  })

  test("is read where its events are lines and nothing else", () => {
    for (const end of ["\n", "\r\n", "\n\n"]) {
      const { reader, ends, text } = setup()
      for (const unit of lines.map((line) => line + end).join("")) reader.push(unit)
      reader.end()
      expect(text()).toBe("ab{}c")
      expect(ends).toMatchObject([{ id: "r", stopReason: "length" }])
    }
  })

  test("is still one value where that stands on several lines", () => {
    const value = JSON.stringify({ text: "}\n{", stop: true }, null, 2)
    const whole = setup()
    whole.reader.push(value)
    whole.reader.end()
    expect(whole.text()).toBe("}\n{")
    const event = setup()
    event.reader.push(
      `${value
        .split("\n")
        .map((line) => `data: ${line}\n`)
        .join("")}\n`,
    )
    event.reader.end()
    expect(event.text()).toBe("}\n{")
  })

  test("is malformed where a line is", () => {
    const { reader, text } = setup()
    expect(() => {
      reader.push(`${lines[0]}\n{"text":\n`)
      reader.push(`{"text":"b"}`)
      reader.end()
    }).toThrow(/is not JSON/)
    expect(["", "a"]).toContain(text())
  })
})
