import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  assistantMsg,
  type ContentBlock,
  createMsg,
  importMessages,
  type MediaBlock,
  type Msg,
  systemMsg,
  toolResultMsg,
  type ToolResultBlock,
  userMsg,
} from "@agentscope-ts/message"
import { guardHistory } from "@agentscope-ts/model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  AnthropicChatFormatter,
  anthropicDialect,
  AnthropicMultiAgentFormatter,
  type AnthropicWireMessage,
} from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "formatters-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const pdf = Buffer.from("%PDF-1.4\n%âãÏÓ\n").toString("base64")
const unsupported = expect.objectContaining({ code: "unsupported" }) as Error

const call = { type: "tool_use", id: "c1", name: "look", input: { at: "é" } } as const
const other = { ...call, id: "c2" } as const
const text = (text: string) => ({ type: "text", text }) as const
const user = (...content: readonly ContentBlock[]) => createMsg({ name: "u", role: "user", content })
const assistant = (...content: readonly ContentBlock[]) => createMsg({ name: "a", role: "assistant", content })
const result = (
  id: string,
  state: ToolResultBlock["state"],
  ...output: ToolResultBlock["output"]
): ToolResultBlock => ({
  type: "tool_result",
  id,
  name: "look",
  output,
  state,
})
const base64 = (type: MediaBlock["type"], mediaType: string, data: string): MediaBlock => ({
  type,
  source: { type: "base64", mediaType, data },
})
const at = (type: MediaBlock["type"], url: string): MediaBlock => ({ type, source: { type: "url", url } })

async function wireOf(...messages: readonly Msg[]): Promise<readonly AnthropicWireMessage[]> {
  const formatter = new AnthropicChatFormatter()
  const wire = await formatter.format(messages)
  // message by message it must be the same, wherever that is possible; a system message is at the head only there
  const single = messages.map((msg) => formatter.formatMessage(msg))
  if (messages[0]?.role !== "system" && single.every((part) => part !== undefined)) expect(single.flat()).toEqual(wire)
  return wire
}
const contentOf = async (...blocks: readonly ContentBlock[]) => (await wireOf(user(...blocks)))[0]?.content

describe("the chat formatter", () => {
  it("puts the results of a round together and before all else", async () => {
    const content = [text("and now?"), result("c1", "success", text("a cat")), result("c2", "error", text("broken"))]
    const results: Msg = { ...user(text("x")), content }
    expect(await wireOf(assistant(call, other), results)).toEqual([
      { role: "assistant", content: [call, other] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [text("a cat")] },
          { type: "tool_result", tool_use_id: "c2", content: [text("broken")], is_error: true },
        ],
      },
      { role: "user", content: [text("and now?")] },
    ])
  })

  it("marks what was denied or interrupted as an error that says something, and an empty output by nothing", async () => {
    const results = toolResultMsg([
      result("c1", "denied", text(" ")),
      result("c2", "interrupted"),
      result("c3", "success"),
    ])
    expect((await wireOf(results))[0]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "c1",
        content: [text("The call ended without output: denied.")],
        is_error: true,
      },
      {
        type: "tool_result",
        tool_use_id: "c2",
        content: [text("The call ended without output: interrupted.")],
        is_error: true,
      },
      { type: "tool_result", tool_use_id: "c3" },
    ])
  })

  it("shows pictures and documents of results where they stand, and names the place of sounds", async () => {
    const output = [
      base64("image", "image/jpeg", png),
      at("audio", "https://h/a.mp3"),
      base64("file", "application/pdf", pdf),
    ]
    const [message] = await wireOf(toolResultMsg([result("c1", "success", text("see"), ...output)]))
    expect(message?.content[0]?.["content"]).toEqual([
      text("see"),
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      text("The returned audio can be found at: https://h/a.mp3"),
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } },
    ])
  })

  it("saves a sound of a result that is in memory, to name its place", async () => {
    const formatter = new AnthropicChatFormatter({
      saveMedia: ({ mediaType }) => Promise.resolve(`/saved/${mediaType}`),
    })
    const sound = base64("audio", "audio/mpeg", "SUQzBAAAAAAAAA==")
    const [message] = await formatter.format([toolResultMsg([result("c1", "success", sound)])])
    expect(message?.content[0]?.["content"]).toEqual([text("The returned audio can be found at: /saved/audio/mpeg")])
    expect(await formatter.format([user(sound, text("listen"))])).toEqual([{ role: "user", content: [text("listen")] }])
  })

  it("makes a later system message the user's", async () => {
    expect((await wireOf(systemMsg("a"), userMsg("b"), systemMsg("c"))).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "user",
    ])
  })

  it("FR-14 puts calls after all else that the message says", async () => {
    expect((await wireOf(assistant(text("a"), call, text("b"), other)))[0]?.content).toEqual([
      text("a"),
      text("b"),
      call,
      other,
    ])
  })

  it("FR-23 sends no blank text, and no message of nothing else", async () => {
    expect(await wireOf(assistant(text("\n"), call), assistant(text(" ")), user(text("")))).toEqual([
      { role: "assistant", content: [call] },
    ])
  })

  it("FR-19 sends thinking back with its signature, redacted thinking as it came, all in order", async () => {
    const redacted = { type: "redacted_thinking", data: "RWRh" }
    const own = (data: object) => ({ provider: "anthropic", data: data as never })
    const blocks: readonly ContentBlock[] = [
      { type: "thinking", thinking: "I should", opaque: own({ signature: "EqQB" }) },
      { type: "thinking", thinking: "", opaque: own(redacted) },
      { type: "thinking", thinking: "", opaque: own({ signature: "only" }) },
      call,
    ]
    expect((await wireOf(assistant(...blocks)))[0]?.content).toEqual([
      { type: "thinking", thinking: "I should", signature: "EqQB" },
      redacted,
      { type: "thinking", thinking: "", signature: "only" },
      call,
    ])
  })

  it("FR-19 leaves out thinking without a signature, or with another provider's", async () => {
    const foreign = { provider: "gemini", data: { signature: "x" } }
    const blocks: readonly ContentBlock[] = [
      { type: "thinking", thinking: "hm" },
      { type: "thinking", thinking: "hm", opaque: foreign },
    ]
    expect(await wireOf(assistant(...blocks, text("a")))).toEqual([{ role: "assistant", content: [text("a")] }])
  })

  it("FR-19 takes signatures as Python's messages carry them", async () => {
    const messages = importMessages([
      {
        name: "a",
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", signature: "sig" },
          { type: "text", text: "x" },
        ],
      },
    ])
    expect((await wireOf(...messages))[0]?.content[0]).toEqual({ type: "thinking", thinking: "t", signature: "sig" })
  })

  it("carries citations, server tools' blocks and the caller of a call", async () => {
    const own = (data: object) => ({ provider: "anthropic", data: data as never })
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } }
    const citations = [{ type: "char_location", cited_text: "c" }]
    const caller = { type: "code_execution_20260120", tool_id: "s1" }
    const message = assistant(
      { type: "thinking", thinking: "", opaque: own(search) },
      { type: "text", text: "so", opaque: own({ citations }) },
      { ...call, opaque: own({ caller }) },
    )
    expect((await wireOf(message))[0]?.content).toEqual([search, { ...text("so"), citations }, { ...call, caller }])
  })

  it("takes arguments that did not parse for none", async () => {
    const guarded = guardHistory([assistant({ ...call, input: {}, rawInput: '{"a":1,}' })], anthropicDialect)
    expect((await wireOf(...guarded))[0]?.content).toEqual([{ ...call, input: {} }])
  })
})

describe("pictures and documents", () => {
  it("are fetched by the API where their URL is https, and by us where it is not", async () => {
    expect(await contentOf(at("image", "https://h/a.png?x=1"), at("file", "https://h/a.pdf"))).toEqual([
      { type: "image", source: { type: "url", url: "https://h/a.png?x=1" } },
      { type: "document", source: { type: "url", url: "https://h/a.pdf" } },
    ])
    await expect(contentOf(at("image", "http://127.0.0.1:9/a.png"))).rejects.toMatchObject({ code: "network" })
  })

  it("FR-25 are of the type that their bytes show, under its proper name", async () => {
    for (const declared of ["image/jpeg", "image/jpg", "IMAGE/PNG"]) {
      expect(await contentOf(base64("image", declared, png))).toMatchObject([{ source: { media_type: "image/png" } }])
    }
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]).toString("base64")
    expect(await contentOf(base64("image", "image/jpg", jpeg))).toMatchObject([
      { source: { media_type: "image/jpeg" } },
    ])
    expect(await contentOf(at("image", `data:image/gif;base64,${png}`))).toMatchObject([
      { source: { media_type: "image/png" } },
    ])
    // a picture that was called a file
    expect(await contentOf(base64("file", "application/octet-stream", png))).toMatchObject([{ type: "image" }])
  })

  it("FR-25 are refused where the API cannot show them", async () => {
    const svg = Buffer.from("<svg xmlns='x'/>").toString("base64")
    await expect(contentOf(base64("image", "image/png", svg))).rejects.toEqual(unsupported)
    await expect(contentOf(base64("image", "image/tiff", "SUkqAA=="))).rejects.toEqual(unsupported)
    await expect(contentOf(base64("file", "application/zip", "UEsDBA=="))).rejects.toEqual(unsupported)
  })

  it("may have 5 MB", async () => {
    const large = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(5 * 1024 * 1024)]).toString("base64")
    await expect(contentOf(base64("image", "image/png", large))).rejects.toMatchObject({ code: "invalid_request" })
    const fitting = large.slice(0, Math.floor((5 * 1024 * 1024 * 4) / 3 / 4) * 4)
    expect(await contentOf(base64("image", "image/png", fitting))).toHaveLength(1)
  })

  it("that are texts are sent as texts, with their names", async () => {
    const data = Buffer.from("a,é\n1,2").toString("base64")
    const source = { type: "text", media_type: "text/plain", data: "a,é\n1,2" }
    expect(await contentOf({ ...base64("file", "text/csv", data), name: "a.csv" })).toEqual([
      { type: "document", source, title: "a.csv" },
    ])
    writeFileSync(join(dir, "a.json"), "a,é\n1,2")
    expect(await contentOf(at("file", join(dir, "a.json")))).toEqual([{ type: "document", source }])
  })

  it("can be cited, and carry what the caller gave for Anthropic", async () => {
    const formatter = new AnthropicChatFormatter({ citations: true })
    const context = { provider: "anthropic", data: { context: "a report" } }
    const upload = { type: "container_upload", file_id: "file_1" }
    const blocks = [
      { ...base64("file", "application/pdf", pdf), name: "r.pdf", opaque: context },
      { ...at("file", "files:/file_1"), opaque: { provider: "anthropic", data: upload } },
    ]
    const source = { type: "base64", media_type: "application/pdf", data: pdf }
    expect((await formatter.format([user(...blocks)]))[0]?.content).toEqual([
      { type: "document", source, title: "r.pdf", citations: { enabled: true }, context: "a report" },
      upload,
    ])
  })

  it("of the model are not sent back: it draws none", async () => {
    expect(await wireOf(assistant(base64("image", "image/png", png), text("see")))).toEqual([
      { role: "assistant", content: [text("see")] },
    ])
  })
})

describe("the multi-agent formatter", () => {
  const said = async (...messages: readonly Msg[]) =>
    (await new AnthropicMultiAgentFormatter().format(messages))[0]?.content

  it("shows pictures where they were shown, also first and last", async () => {
    const image = at("image", "https://h/a.png")
    const shown = { type: "image", source: { type: "url", url: "https://h/a.png" } }
    const [first, picture, last] = (await said(userMsg([image]))) ?? []
    expect(first?.["text"]).toMatch(/tags contains your conversation history\n<history>\n$/)
    expect([picture, last]).toEqual([shown, text("</history>")])
    expect(await said(user(image, text("a")), user(text("b"), image))).toMatchObject([
      {},
      shown,
      { text: "u: a\nu: b" },
      shown,
      { text: "</history>" },
    ])
  })

  it("leaves thinking out, and says nothing where nobody did", async () => {
    expect(
      await said(
        assistant({ type: "thinking", thinking: "hm", opaque: { provider: "anthropic", data: { signature: "s" } } }),
      ),
    ).toBeUndefined()
    expect(await said(assistantMsg("a", { name: "Bob" }))).toMatchObject([
      { text: expect.stringContaining("<history>\nBob: a\n</history>") as string },
    ])
  })

  it("takes the caller's words for the introduction", async () => {
    const formatter = new AnthropicMultiAgentFormatter({ conversationHistoryPrompt: "Before:\n" })
    expect((await formatter.format([userMsg("a")]))[0]?.content).toEqual([
      text("Before:\n<history>\nuser: a\n</history>"),
    ])
  })
})
