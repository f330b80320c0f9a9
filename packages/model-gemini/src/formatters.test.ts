import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  assistantMsg,
  type ContentBlock,
  type JsonObject,
  type Msg,
  systemMsg,
  type ToolResultBlock,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import { type Formatter, guardHistory } from "@agentscope-ts/model"
import type { Content } from "@google/genai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { GeminiChatFormatter, geminiDialect, GeminiMultiAgentFormatter } from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gemini-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const saveMedia = ({ mediaType }: { mediaType: string }) =>
  Promise.resolve(mediaType.startsWith("audio") ? "${SAVED_AUDIO}" : "${SAVED_VIDEO}")

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqPhfDwADggGAWjR9awAAAABJRU5ErkJggg=="
const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1").toString("base64")
const pdf = Buffer.from("%PDF-1.7\n").toString("base64")
const unsupported = expect.objectContaining({ code: "unsupported" }) as Error
const base64 = (type: "image" | "audio" | "video" | "file", mediaType: string, data: string) =>
  ({ type, source: { type: "base64", mediaType, data } }) as const
const url = (type: "image" | "audio" | "video" | "file", at: string, mediaType?: string) =>
  ({ type, source: { type: "url", url: at, ...(mediaType && { mediaType }) } }) as const
const call = (id: string, data?: JsonObject) =>
  ({
    type: "tool_use",
    id,
    name: "look",
    input: { at: id },
    ...(data && { opaque: { provider: "gemini", data } }),
  }) as const
const result = (id: string, ...output: ToolResultBlock["output"]): ToolResultBlock => ({
  type: "tool_result",
  id,
  name: "look",
  output,
  state: "success",
})
const text = (said: string) => ({ type: "text", text: said }) as const

async function wireOf(formatter: Formatter<Content>, ...messages: readonly Msg[]): Promise<readonly Content[]> {
  const wire = await formatter.format(messages)
  const single = messages.map((msg) => formatter.formatMessage?.(msg))
  // message by message it must be the same, wherever that is possible
  if (single.every((part) => part !== undefined)) expect(single.flat().length).toBeGreaterThanOrEqual(wire.length)
  return wire
}

const partsOf = async (formatter: Formatter<Content>, ...blocks: readonly ContentBlock[]) =>
  (await wireOf(formatter, userMsg(blocks as never)))[0]?.parts

const old = new GeminiChatFormatter({ saveMedia })
const gemini3 = new GeminiChatFormatter({ saveMedia, model: "gemini-3-pro-preview" })

describe("GeminiChatFormatter", () => {
  it("puts what the model said right before a call into the call's content, for a call has to follow a user's turn", async () => {
    const [first, second] = [assistantMsg("Let me"), assistantMsg([text("see."), call("c1")])]
    const wire = await old.format([userMsg("go"), first, second, toolResultMsg([result("c1", text("one"))])])
    expect(wire.map(({ role, parts }) => [role, parts?.length])).toEqual([
      ["user", 1],
      ["model", 3],
      ["user", 1],
    ])
    // what it takes one after the other stays apart
    expect((await old.format([userMsg("go"), first, assistantMsg("see.")])).length).toBe(3)
  })

  it("FR-17 makes one content of the results of a round, one part a call and in call order", async () => {
    const history = [
      userMsg("go"),
      assistantMsg([call("c1"), call("c2")]),
      toolResultMsg([result("c2", text("two"))]),
      toolResultMsg([result("c1", text("one"))]),
    ]
    const wire = await wireOf(old, ...guardHistory(history, geminiDialect))
    expect(wire.at(-1)).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "look", response: { output: "one" } } },
        { functionResponse: { id: "c2", name: "look", response: { output: "two" } } },
      ],
    })
    // messages that nobody has put right are one content as well
    expect((await wireOf(old, ...history)).at(-1)?.parts?.length).toBe(2)
  })

  it("FR-18 gives signatures back with the parts that they came on, and parallel calls in one content", async () => {
    const opaque = (data: JsonObject) => ({ opaque: { provider: "gemini", data } })
    const turn = assistantMsg([
      { type: "thinking", thinking: "shown only" },
      { type: "thinking", thinking: "signed", ...opaque({ thoughtSignature: "dDA=" }) },
      { type: "text", text: "I look.", ...opaque({ thoughtSignature: "dDE=" }) },
      call("c1", { thoughtSignature: "dDI=" }),
      call("c2"),
      { ...base64("image", "image/png", png), ...opaque({ thoughtSignature: "dDM=" }) },
      { type: "thinking", thinking: "", ...opaque({ part: { text: "" }, thoughtSignature: "dDQ=" }) },
      { type: "thinking", thinking: "", ...opaque({ part: { executableCode: { language: "PYTHON", code: "1" } } }) },
      { type: "thinking", thinking: "", ...opaque({ groundingMetadata: {} }) },
    ])
    const stored = JSON.parse(JSON.stringify([turn])) as Msg[]
    expect(await wireOf(old, ...guardHistory(stored, geminiDialect).slice(0, 1))).toEqual([
      {
        role: "model",
        parts: [
          { text: "signed", thought: true, thoughtSignature: "dDA=" },
          { text: "I look.", thoughtSignature: "dDE=" },
          { functionCall: { name: "look", args: { at: "c1" } }, thoughtSignature: "dDI=" },
          { functionCall: { name: "look", args: { at: "c2" } } },
          { inlineData: { mimeType: "image/png", data: png }, thoughtSignature: "dDM=" },
          { text: "", thoughtSignature: "dDQ=" },
          { executableCode: { language: "PYTHON", code: "1" } },
        ],
      },
    ])
  })

  it("FR-18 marks the first call of another provider's turn for Gemini 3, and only that", async () => {
    const foreign = assistantMsg([
      { type: "thinking", thinking: "hm", opaque: { provider: "anthropic", data: { signature: "x" } } },
      { ...call("c1"), opaque: { provider: "openai", data: {} } },
      call("c2"),
    ])
    const guarded = guardHistory([userMsg("go"), foreign], geminiDialect)[1] as Msg
    const names = ["functionCall", "functionCall"]
    const [content] = await wireOf(gemini3, guarded)
    expect(content?.parts?.map((part) => Object.keys(part)[0])).toEqual(names)
    expect(content?.parts?.map((part) => part.thoughtSignature)).toEqual([
      "skip_thought_signature_validator",
      undefined,
    ])
    const [own] = await wireOf(gemini3, assistantMsg([call("c1", { thoughtSignature: "c2ln" }), call("c2")]))
    expect(own?.parts?.map((part) => part.thoughtSignature)).toEqual(["c2ln", undefined])
    const [before] = await wireOf(old, guarded)
    expect(before?.parts?.map((part) => part.thoughtSignature)).toEqual([undefined, undefined])
  })

  it("tells an error as one", async () => {
    const failed = { ...result("c1", text("no such file")), state: "error" } as const
    expect((await wireOf(old, toolResultMsg([failed])))[0]?.parts).toEqual([
      { functionResponse: { id: "c1", name: "look", response: { error: "no such file" } } },
    ])
  })

  it("FR-25 says of media what their bytes say, and refuses what Gemini cannot read", async () => {
    expect(await partsOf(old, base64("image", "image/jpg", png))).toEqual([
      { inlineData: { mimeType: "image/png", data: png } },
    ])
    expect(await partsOf(old, base64("audio", "audio/mpeg", wav))).toEqual([
      { inlineData: { mimeType: "audio/wav", data: wav } },
    ])
    expect(await partsOf(old, base64("file", "text/plain", pdf))).toEqual([
      { inlineData: { mimeType: "application/pdf", data: pdf } },
    ])
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64")
    const gif = Buffer.from("GIF89a......").toString("base64")
    for (const data of [svg, gif]) {
      await expect(partsOf(old, base64("image", "image/png", data))).rejects.toEqual(unsupported)
    }
    await expect(partsOf(old, base64("file", "application/zip", "UEsDBA=="))).rejects.toEqual(unsupported)
  })

  it("points to what Google has already, and reads everything else", async () => {
    const file = "https://generativelanguage.googleapis.com/v1beta/files/abc-123"
    expect(
      await partsOf(
        old,
        url("audio", file, "audio/mpeg"),
        url("video", "https://www.youtube.com/watch?v=9hE5-98ZeCg"),
        url("file", "gs://bucket/a.pdf", "application/pdf"),
      ),
    ).toEqual([
      { fileData: { fileUri: file, mimeType: "audio/mpeg" } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=9hE5-98ZeCg" } },
      { fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" } },
    ])
    expect(old.formatMessage(userMsg([url("image", "https://example.com/a.png")]))).toBeUndefined()
    writeFileSync(join(dir, "real.jpg"), Buffer.from(png, "base64"))
    expect(await partsOf(old, url("image", join(dir, "real.jpg")))).toEqual([
      { inlineData: { mimeType: "image/png", data: png } },
    ])
  })

  it("says where to put what is too large for a request", async () => {
    const large = base64("video", "video/mp4", "A".repeat(28_000_000))
    await expect(partsOf(old, large)).rejects.toThrow(/20 MB,.* Files API/)
  })

  it("puts a result's media into the result for Gemini 3, and what it cannot hold after it", async () => {
    const seen = toolResultMsg([
      result("c1", text("here"), base64("image", "image/png", png), base64("audio", "audio/wav", wav)),
      result("c2", base64("file", "application/pdf", pdf)),
    ])
    const audio = { inlineData: { mimeType: "audio/wav", data: wav } }
    expect(await wireOf(gemini3, seen)).toEqual([
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "c1",
              name: "look",
              response: { output: "here" },
              parts: [{ inlineData: { mimeType: "image/png", data: png } }],
            },
          },
          {
            functionResponse: {
              id: "c2",
              name: "look",
              response: { output: "" },
              parts: [{ inlineData: { mimeType: "application/pdf", data: pdf } }],
            },
          },
        ],
      },
      { role: "user", parts: [audio] },
    ])
  })

  it("keeps media of an assistant that are no pictures to itself", async () => {
    const msg = assistantMsg([
      text("so"),
      base64("audio", "audio/L16;rate=24000", wav),
      base64("image", "image/png", png),
    ])
    expect((await wireOf(old, msg))[0]?.parts).toEqual([
      { text: "so" },
      { inlineData: { mimeType: "image/png", data: png } },
    ])
  })
})

describe("GeminiMultiAgentFormatter", () => {
  it("lets media stand at either end of the history", async () => {
    const formatter = new GeminiMultiAgentFormatter({ conversationHistoryPrompt: "P\n" })
    const image = { inlineData: { mimeType: "image/png", data: png } }
    const said = userMsg([base64("image", "image/png", png)], { name: "ann" })
    expect(await formatter.format([systemMsg("s"), said])).toEqual([
      { role: "user", parts: [{ text: "s" }] },
      { role: "user", parts: [{ text: "P\n<history>" }, image, { text: "</history>" }] },
    ])
  })
})
