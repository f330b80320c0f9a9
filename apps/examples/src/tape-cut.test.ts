import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReActAgent } from "@agentscope-ts/agent"
import { type Msg, textOf } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { recordTape, replayTape } from "@agentscope-ts/testing"
import { afterAll, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cut-tape-"))
afterAll(() => rmSync(folder, { recursive: true }))

it("an interrupt in the middle of an answer replays with the ids and times that come after it", async () => {
  const file = join(folder, "cut.jsonl")
  const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const letters = ["a", "b", "c", "d", "e"]
  const fetch: typeof globalThis.fetch = () => {
    const left = letters.map((letter) => new TextEncoder().encode(piece(letter)))
    const pull = async (body: ReadableStreamDefaultController<Uint8Array>) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      const next = left.shift()
      if (next) body.enqueue(next)
      else body.close()
    }
    const headers = { "content-type": "text/event-stream" }
    return Promise.resolve(new Response(new ReadableStream({ pull }), { headers }))
  }
  const ask = async () => {
    const model = new OpenAIChatModel({ model: "gpt-5-mini", apiKey: "none", fetch })
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Work.", model })
    for await (const event of agent.stream("Go."))
      if (event.type === "text_delta" && event.text === "c") agent.interrupt()
    return agent.memory.get()
  }
  const first = await recordTape(file, ask)
  expect(textOf(first[1] as Msg)).toBe("abc")
  expect(await replayTape(file, ask)).toEqual(first)
})
