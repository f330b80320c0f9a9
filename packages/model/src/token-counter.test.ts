import { assistantMsg, toolResult, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { CharTokenCounter } from "./token-counter.ts"

const counter = new CharTokenCounter()
const empty = await counter.count([userMsg([])])
const tokens = async (text: string) => (await counter.count([userMsg(text)])) - empty

describe("CharTokenCounter", () => {
  test.each(["", "a", "abcd", "héllo", "你好，世界", "😀😀", "half \ud83d", "mixed é你😀"])(
    "%j is a quarter of its bytes in UTF-8",
    async (text) => {
      expect(await tokens(text)).toBe(Math.ceil(Buffer.byteLength(text.toWellFormed()) / 4))
    },
  )

  test("counts everything that a model reads", async () => {
    const call = { type: "tool_use", id: "a", name: "search", input: { q: "weather" } } as const
    const image = {
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: "A".repeat(100_000) },
    } as const
    expect(await counter.count([assistantMsg([{ type: "thinking", thinking: "abcdefgh" }])])).toBe(empty + 2)
    expect(await counter.count([assistantMsg([call])])).toBeGreaterThan(empty + 4)
    expect(await counter.count([toolResultMsg([toolResult(call, "abcdefgh")])])).toBe(empty + 2)
    expect(await counter.count([userMsg([image])])).toBe(empty + 1000)
    expect(await counter.count([], [{ name: "t", parameters: { type: "object" } }])).toBeGreaterThan(5)
  })

  test("media are estimated by kind and size", async () => {
    const data = "A".repeat(40_000)
    const size = async (type: "audio" | "video" | "file", mediaType: string) =>
      (await counter.count([userMsg([{ type, source: { type: "base64", mediaType, data } }])])) - empty
    expect(await size("audio", "audio/mpeg")).toBe(60)
    expect(await size("video", "video/mp4")).toBe(60)
    expect(await size("file", "application/pdf")).toBe(1000)
    expect(await size("file", "text/csv")).toBe(7500)
    const remote = userMsg([{ type: "video", source: { type: "url", url: "https://x.test/a.mp4" } }])
    expect(await counter.count([remote])).toBe(empty + 5000)
  })

  test("measures a message once", async () => {
    const msg = userMsg("abcd")
    await counter.count([msg])
    let reads = 0
    Object.defineProperty(msg, "content", {
      get: () => {
        reads++
        return []
      },
    })
    expect(await counter.count([msg])).toBe(empty + 1)
    expect(reads).toBe(0)
  })
})
