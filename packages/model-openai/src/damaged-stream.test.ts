import { cassettesOf, hasCorpus, replayModule } from "@agentscope-ts/fixtures"
import { AgentScopeError, type ChatDelta, textOf, toolUsesOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { startReplayServer } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
import { chunk, read, sse, streamOf } from "./fixtures/stream.ts"
import { OpenAIChatModel } from "./index.ts"

const soak = process.env["AGENTSCOPE_SOAK"] === "1"
const streams = cassettesOf("openai-chat").filter(({ categories }) => categories.includes("stream"))

/** The numbers of a seeded generator (mulberry32), from 0 to 1. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** What an answer from these pieces comes to; `broken` ends it by a failure of the connection. */
async function outcome(
  pieces: readonly Uint8Array[],
  broken: boolean,
): Promise<{ response: ChatResponse; error?: AgentScopeError }> {
  let next = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = pieces[next++]
      if (piece) controller.enqueue(piece)
      else if (broken) controller.error(new TypeError("terminated"))
      else controller.close()
    },
  })
  const fetch = () => Promise.resolve(new Response(body, { status: 200 }))
  const model = new OpenAIChatModel({ model: "m", apiKey: "k", fetch, maxRetries: 0 })
  const stream = model.stream({ messages: [userMsg("hi")] })
  try {
    return { response: await stream.response }
  } catch (error) {
    if (!AgentScopeError.is(error)) throw error
    return { response: stream.partial(), error }
  }
}

/** What has been said once the first `events` of a stream have come. */
const said = (deltas: readonly ChatDelta[]) => ({
  text: deltas.map((delta) => (delta.type === "text_delta" ? delta.text : "")).join(""),
  calls: deltas.filter(({ type }) => type === "tool_use_start").length,
  json: deltas.map((delta) => (delta.type === "tool_use_delta" ? delta.json : "")).join(""),
})

const saidBy = (response: ChatResponse) => ({ text: textOf(response, ""), calls: toolUsesOf(response).length })

describe.skipIf(!hasCorpus)("a damaged stream", () => {
  it("cut anywhere is a typed error that keeps what was complete, or the right answer", {
    timeout: 900_000,
  }, async () => {
    const step = soak ? 1 : 10
    for (const { file, response } of soak ? streams : streams.filter(({ response }) => response.body.length < 6000)) {
      const bytes = Buffer.from(response.body)
      const whole = said(read(response.body, false).deltas)
      // what has been said by the end of each line
      const lines = new Map<number, ReturnType<typeof said>>([[0, said([])]])
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) {
        lines.set(end + 1, said(read(`${bytes.subarray(0, end + 1).toString()}\n\n`, false).deltas))
      }
      for (let cut = file.length % step; cut < bytes.length; cut += step) {
        const before = bytes.subarray(0, cut)
        const complete = lines.get(before.lastIndexOf(10) + 1) ?? said([])
        const { response: left, error } = await outcome([before], cut % 3 === 0)
        const { text, calls } = saidBy(left)
        const at = `${file} cut at ${cut}`
        expect(text.startsWith(complete.text) && whole.text.startsWith(text), at).toBe(true)
        expect(calls >= complete.calls && calls <= whole.calls, at).toBe(true)
        if (error)
          expect(["malformed_response", "network", "server_error"].includes(error.code) && error.retryable, at).toBe(
            true,
          )
        else expect(saidBy(left), at).toEqual({ text: whole.text, calls: whole.calls })
      }
    }
  })

  it("cut over a real connection ends the same way", async () => {
    const runs = soak ? 400 : 20
    const next = random(3)
    for (let i = 0; i < runs; i++) {
      const cassette = streams[Math.floor(next() * streams.length)]
      if (!cassette) continue
      const disconnectAfterBytes = Math.floor(next() * Buffer.byteLength(cassette.response.body))
      const disconnectMode = next() < 0.5 ? "end" : "reset"
      const options = { chunking: "random", seed: i, disconnectAfterBytes, disconnectMode } as const
      await using server = await startReplayServer(cassette, options)
      const model = new OpenAIChatModel({ model: "m", apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 })
      const stream = model.stream({ messages: [userMsg("hi")] })
      const error: unknown = await stream.response.then(
        () => undefined,
        (caught: unknown) => caught,
      )
      const text = textOf(stream.partial(), "")
      expect(cassette.expect.text.startsWith(text), `${cassette.file} cut at ${disconnectAfterBytes}`).toBe(true)
      if (error !== undefined) expect(error).toMatchObject({ retryable: true })
      else expect(text).toBe(cassette.expect.text)
    }
  })

  it("with any bytes in it ends, as the same text would that is parsed chunk by chunk", {
    timeout: 900_000,
  }, async () => {
    const { split } = await replayModule()
    const runs = soak ? 20_000 : 500
    const next = random(4)
    const bad = [
      [0xff],
      [0xc3],
      [0xe4, 0xbd],
      [0xf0, 0x9f],
      [0x80],
      [0],
      [0x0d],
      [0x0a],
      [0x22],
      [0x5c],
      [0x7b],
      [0x7d],
      [],
    ]
    for (let i = 0; i < runs; i++) {
      const cassette = streams[Math.floor(next() * streams.length)]
      if (!cassette) continue
      let bytes = Buffer.from(cassette.response.body)
      for (let damage = 0; damage <= next() * 3; damage++) {
        const at = Math.floor(next() * bytes.length)
        const into = bad[Math.floor(next() * bad.length)] ?? []
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(into), bytes.subarray(at + Math.floor(next() * 3))])
      }
      const pieces = split(bytes, { chunking: "random", seed: i })
      const { response, error } = await outcome(pieces, false)
      const plain = read(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), false)
      const { text, calls } = said(plain.deltas)
      expect(saidBy(response), `${cassette.file}, run ${i}`).toEqual({ text, calls })
      // a stream that ends without its end fails in the model, not in the reader
      expect(error === undefined, `${cassette.file}, run ${i}`).toBe(plain.error === undefined && plain.ends.length > 0)
    }
  })

  it("with its events dropped, doubled or swapped ends without anything untyped", { timeout: 900_000 }, async () => {
    const runs = soak ? 10_000 : 500
    const next = random(5)
    for (let i = 0; i < runs; i++) {
      const cassette = streams[Math.floor(next() * streams.length)]
      if (!cassette) continue
      const events = cassette.response.body.split(/(?<=\n\n)/)
      const at = () => Math.floor(next() * events.length)
      for (let damage = 0; damage <= next() * 4; damage++) {
        const [from, to] = [at(), at()]
        if (next() < 0.4) events.splice(from, 1)
        else events.splice(to, 0, ...events.slice(from, from + 1))
      }
      // `outcome` throws whatever is no AgentScopeError
      const { response } = await outcome([Buffer.from(events.join(""))], false)
      for (const { name, id } of toolUsesOf(response)) expect(name !== "" && id !== "").toBe(true)
    }
  })
})

describe("a stream of unusual shape", () => {
  it("may have a very long chunk, but no endless line", async () => {
    const long = "x".repeat(3_000_000)
    const { response } = await outcome(
      [Buffer.from(streamOf([{ content: "a" }, { content: long }, { content: "b" }]))],
      false,
    )
    expect(textOf(response).length).toBe(3_000_002)
    const piece = Buffer.from("y".repeat(1_000_000))
    const endless = [
      Buffer.from(`${sse(chunk({ content: "kept" }))}data: {"x":"`),
      ...Array.from({ length: 20 }, () => piece),
    ]
    const { response: left, error } = await outcome(endless, false)
    expect(error).toMatchObject({ code: "malformed_response", retryable: true })
    expect(textOf(left)).toBe("kept")
  })

  it("has its calls put together however their pieces are interleaved and cut", async () => {
    const next = random(6)
    for (let run = 0; run < (soak ? 3000 : 300); run++) {
      const calls = Array.from({ length: 1 + Math.floor(next() * 5) }, (_, i) => ({
        id: `call_${run}_${i}`,
        name: `tool_${i}`,
        input: { path: "é😀".repeat(Math.floor(next() * 10)), nested: { list: [i, {}, "}{"] }, n: next() },
      }))
      const queues = calls.map(({ id, name, input }, index) => {
        const json = JSON.stringify(input)
        const pieces: object[] = [{ index, id, type: "function", function: { name, arguments: "" } }]
        for (let at = 0; at < json.length; ) {
          const length = 1 + Math.floor(next() * 12)
          pieces.push({ index, function: { arguments: json.slice(at, at + length) } })
          at += length
        }
        return pieces
      })
      // the starts in order, what follows in any
      const deltas: object[] = queues.map((queue) => ({ tool_calls: [queue.shift()] }))
      while (queues.some((queue) => queue.length > 0)) {
        const queue = queues[Math.floor(next() * queues.length)]
        const piece = queue?.shift()
        if (piece) deltas.push({ tool_calls: [piece] })
      }
      const bytes = Buffer.from(streamOf(deltas, "tool_calls"))
      const cut = Math.floor(next() * bytes.length)
      const { response } = await outcome([bytes.subarray(0, cut), bytes.subarray(cut)], false)
      expect(toolUsesOf(response)).toEqual(calls.map((call) => ({ type: "tool_use", ...call })))
    }
  })
})
