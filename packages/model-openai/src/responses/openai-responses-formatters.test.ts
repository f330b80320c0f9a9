import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  assistantMsg,
  type ContentBlock,
  createMsg,
  type JsonObject,
  systemMsg,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { OpenAIResponsesChatFormatter, OpenAIResponsesMultiAgentFormatter } from "../index.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const pdf = Buffer.from("%PDF-1.4\n").toString("base64")
const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1").toString("base64")
const inline = (type: "image" | "audio" | "video" | "file", mediaType: string, data: string) =>
  ({ type, source: { type: "base64", mediaType, data } }) as const
const web = (type: "image" | "file" | "audio", url: string) => ({ type, source: { type: "url", url } }) as const
const text = (text: string) => ({ type: "text", text }) as const

async function partsOf(...content: readonly ContentBlock[]): Promise<unknown> {
  const formatter = new OpenAIResponsesChatFormatter()
  const msg = createMsg({ name: "u", role: "user", content })
  const items = await formatter.format([msg])
  const single = formatter.formatMessage(msg)
  if (single) expect(single).toEqual(items)
  return (items[0] as { content?: unknown } | undefined)?.content
}

const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const
const resultOf = (...output: Parameters<typeof toolResultMsg>[0][number]["output"]) =>
  toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output, state: "success" }])

describe("OpenAIResponsesChatFormatter", () => {
  it("shows pictures and files, of the web by their address", async () => {
    const url = "https://x.test/a"
    expect(await partsOf(web("image", url), inline("image", "image/png", png), web("file", url))).toEqual([
      { type: "input_image", image_url: url },
      { type: "input_image", image_url: `data:image/png;base64,${png}` },
      { type: "input_file", file_url: url },
    ])
    expect(await partsOf({ ...inline("file", "application/pdf", pdf), name: "a.pdf" })).toEqual([
      { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    ])
    expect(await partsOf(inline("audio", "audio/wav", wav), inline("video", "video/mp4", "AAAA"))).toEqual([
      { type: "input_audio", input_audio: { data: wav, format: "wav" } },
    ])
  })

  it("gives calls back with who made them, and no reasoning that the API could not know again", async () => {
    const opaque = (data: JsonObject) => ({ provider: "openai", data })
    const caller = { type: "program", caller_id: "p1" }
    const thought = (data: JsonObject) =>
      ({ type: "thinking", thinking: "Hm", opaque: opaque({ type: "reasoning", summary: [], ...data }) }) as const
    const made = { ...call, opaque: opaque({ type: "function_call", caller }) }
    const items = async (data: JsonObject) => {
      const history = [userMsg("q"), assistantMsg([thought(data), made])]
      return (await new OpenAIResponsesChatFormatter().format(history)).slice(1)
    }
    const sent = { type: "function_call", call_id: "c1", name: "look", arguments: "{}", caller }
    expect(await items({})).toEqual([sent])
    expect(await items({ id: "rs" })).toEqual([{ type: "reasoning", id: "rs", summary: [] }, sent])
    expect(await items({ encrypted_content: "E" })).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "E" },
      sent,
    ])
  })

  it("reads local files when it formats", async () => {
    const dir = mkdtempSync(join(tmpdir(), "responses-"))
    try {
      const path = join(dir, "a.bin")
      writeFileSync(path, Buffer.from(png, "base64"))
      expect(await partsOf({ type: "image", source: { type: "url", url: path } })).toEqual([
        { type: "input_image", image_url: `data:image/png;base64,${png}` },
      ])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it("FR-25 lets the bytes say what a picture is, and refuses what the API does not take", async () => {
    expect(await partsOf(inline("image", "image/jpeg", png))).toEqual([
      { type: "input_image", image_url: `data:image/png;base64,${png}` },
    ])
    expect(await partsOf(inline("image", "image/jpg", "AAAA"))).toEqual([
      { type: "input_image", image_url: "data:image/jpeg;base64,AAAA" },
    ])
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString("base64")
    await expect(partsOf(inline("image", "image/png", svg))).rejects.toMatchObject({ code: "unsupported" })
    await expect(
      partsOf(inline("audio", "audio/flac", Buffer.from("fLaC\0\0\0\0").toString("base64"))),
    ).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("The Responses API") as string,
    })
  })

  it("names the media of a tool's output, or shows what it can where they stand", async () => {
    const result = resultOf(
      text("two"),
      inline("image", "image/png", png),
      web("file", "https://x.test/a.pdf"),
      web("audio", "https://x.test/a.wav"),
    )
    const saveMedia = () => Promise.resolve("/saved.png")
    const [named] = await new OpenAIResponsesChatFormatter({ saveMedia }).format([result])
    expect(named).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: [
        "- two",
        "- The returned image can be found at: /saved.png",
        "- The returned file can be found at: https://x.test/a.pdf",
        "- The returned audio can be found at: https://x.test/a.wav",
      ].join("\n"),
    })
    const shown = new OpenAIResponsesChatFormatter({ mediaInResults: true })
    expect(shown.formatMessage(result)).toEqual([
      {
        type: "function_call_output",
        call_id: "c1",
        output: [
          { type: "input_text", text: "two" },
          { type: "input_image", image_url: `data:image/png;base64,${png}` },
          { type: "input_file", file_url: "https://x.test/a.pdf" },
          { type: "input_text", text: "The returned audio cannot be shown here: https://x.test/a.wav" },
        ],
      },
    ])
    expect(shown.formatMessage(resultOf(text("one")))).toEqual([
      { type: "function_call_output", call_id: "c1", output: "one" },
    ])
  })

  it("keeps texts and calls in their order, and sends no empty message", async () => {
    const items = await new OpenAIResponsesChatFormatter().format([
      systemMsg("Be brief."),
      assistantMsg([text("a"), call, text("b")]),
      resultOf(text("x")),
      assistantMsg([]),
    ])
    expect(items).toEqual([
      { role: "system", content: [{ type: "input_text", text: "Be brief." }] },
      { role: "assistant", content: [{ type: "output_text", text: "a" }] },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { role: "assistant", content: [{ type: "output_text", text: "b" }] },
      { type: "function_call_output", call_id: "c1", output: "x" },
    ])
  })

  it("takes no data for its own that is another's, or no item of this API", async () => {
    const foreign = [
      { provider: "anthropic", data: { type: "reasoning", signature: "x" } },
      { provider: "openai", data: { reasoning_details: [] } },
      { provider: "openai", data: "x" },
    ]
    for (const opaque of foreign) {
      const thinking = { type: "thinking", thinking: "", opaque } as const
      expect(new OpenAIResponsesChatFormatter().formatMessage(assistantMsg([thinking, text("a")]))).toEqual([
        { role: "assistant", content: [{ type: "output_text", text: "a" }] },
      ])
    }
  })
})

describe("OpenAIResponsesMultiAgentFormatter", () => {
  it("keeps reasoning with the calls that it led to, between the runs of talk", async () => {
    const opaque = { provider: "openai", data: { type: "reasoning", summary: [], encrypted_content: "gAAA" } }
    const items = await new OpenAIResponsesMultiAgentFormatter({ conversationHistoryPrompt: "" }).format([
      userMsg("hi"),
      assistantMsg([{ type: "thinking", thinking: "", opaque }, call]),
      resultOf(text("x")),
      assistantMsg("done"),
    ])
    expect(items).toEqual([
      { role: "user", content: [{ type: "input_text", text: "<history>\nuser: hi\n</history>" }] },
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "x" },
      { role: "user", content: [{ type: "input_text", text: "<history>\nassistant: done\n</history>" }] },
    ])
  })
})
