import { type JsonObject, textOf } from "@agentscope-ts/message"
import { validatorOf } from "@agentscope-ts/model"
import { Toolkit } from "@agentscope-ts/tool"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { rawStdioServer } from "../fixtures/raw-stdio-server.ts"
import { StdioMcpClient } from "../stdio-mcp-client.ts"
import { toolResult } from "./tool-result.ts"

const origin = { server: "s", tool: "t", trusted: false, validateOutput: undefined }
const result = (answer: JsonObject) => toolResult(answer, origin)
const picture = "iVBORw0KGgo".repeat(100_000)

describe("FR-43 what a tool answers", () => {
  test("a picture stays one, and is repeated nowhere", () => {
    const image = { type: "image", data: picture, mimeType: "image/png" }
    const response = result({ content: [image], structuredContent: { result: [image] } })
    expect(response.content).toEqual([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: picture } },
    ])
    expect(response.structured).toEqual({ result: [{ ...image, data: "[data of content block 1]" }] })
    expect(JSON.stringify(response).split(picture)).toHaveLength(2)
  })

  test("a picture in structured content alone becomes one", () => {
    const image = { type: "image", data: picture, mimeType: "image/png" }
    const response = result({ content: [], structuredContent: { result: [image], caption: "a cat" } })
    expect(response.content.map(({ type }) => type)).toEqual(["text", "image"])
    expect(textOf(response)).toBe(
      '{"result":[{"type":"image","data":"[data of content block 2]","mimeType":"image/png"}],"caption":"a cat"}',
    )
    expect(JSON.stringify(response).split(picture)).toHaveLength(2)
  })

  test("structured content is the text where there is no content", () => {
    expect(result({ content: [], structuredContent: { n: 1 } })).toMatchObject({
      content: [{ type: "text", text: '{"n":1}' }],
      structured: { n: 1 },
    })
    expect(textOf(result({ content: [{ type: "text", text: "one" }], structuredContent: { n: 1 } }))).toBe("one")
  })

  test("resources: text under its address, data as a block of its kind, links in words", () => {
    const { content } = result({
      content: [
        { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "hello" } },
        { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAAA" } },
        { type: "resource", resource: { uri: "file:///a.png", mimeType: "image/png", blob: "BBBB" } },
        { type: "resource_link", uri: "db://1", name: "row", description: "the first", mimeType: "text/csv", size: 9 },
        { type: "audio", data: "CCCC", mimeType: "audio/mp3" },
      ],
    })
    expect(content).toEqual([
      { type: "text", text: "[file:///a.txt]\nhello" },
      { type: "file", source: { type: "base64", mediaType: "application/pdf", data: "AAAA" }, name: "file:///a.pdf" },
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "BBBB" }, name: "file:///a.png" },
      { type: "text", text: "[Resource db://1] row (text/csv, 9 bytes) the first" },
      { type: "audio", source: { type: "base64", mediaType: "audio/mp3", data: "CCCC" } },
    ])
  })

  test("what nobody knows is named, in its place", () => {
    const { content } = result({
      content: [{ type: "text", text: "a" }, { type: "hologram", data: "x" }, { type: "image" }, 7],
    })
    expect(content.map((block) => (block.type === "text" ? block.text : ""))).toEqual([
      "a",
      '[The server sent content of the kind "hologram" that cannot be shown.]',
      '[The server sent content of the kind "image" that cannot be shown.]',
      "[The server sent content without a kind that cannot be shown.]",
    ])
  })

  test("no answer at all is answered with a word, an older one with its value", () => {
    expect(textOf(result({}))).toBe("Done: the tool returned nothing.")
    expect(textOf(result({ content: "text" }))).toBe("Done: the tool returned nothing.")
    expect(textOf(result({ toolResult: { a: 1 } }))).toBe('{"a":1}')
  })

  test("never throws, whatever comes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (content, structuredContent) => {
        expect(result({ content, structuredContent } as JsonObject).content.length).toBeGreaterThan(0)
      }),
    )
  })

  test("isError is the state; where it comes from is told, and that it is not to be trusted", () => {
    expect(result({ content: [{ type: "text", text: "no" }], isError: true, _meta: { a: 1 } })).toMatchObject({
      state: "error",
      metadata: { mcp: { server: "s", tool: "t", meta: { a: 1 } }, untrusted: true },
    })
    expect(toolResult({ content: [] }, { ...origin, trusted: true }).metadata).not.toHaveProperty("untrusted")
  })

  test("a value is held to the output schema, but not that of a failure", () => {
    const validateOutput = validatorOf({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] })
    const checked = (answer: JsonObject) => toolResult(answer, { ...origin, validateOutput })
    expect(checked({ content: [], structuredContent: { n: 1 } }).structured).toEqual({ n: 1 })
    expect(() => checked({ content: [], structuredContent: { n: "1" } })).toThrow(/does not fit its output schema: n: /)
    expect(textOf(checked({ content: [{ type: "text", text: "1" }] }))).toBe("1")
    expect(checked({ content: [], isError: true }).state).toBe("error")
  })

  test("500 KB of text come to the toolkit whole, which cuts them", async () => {
    await using client = new StdioMcpClient({
      name: "big",
      ...rawStdioServer(`tools = [tool("big", { outputSchema: { type: "object" } })]
        methods["tools/call"] = () => ({ ...text("x".repeat(500_000)), structuredContent: { ok: true } })`),
    })
    expect(textOf(await client.callTool("big", {}))).toHaveLength(500_000)
    const toolkit = new Toolkit({ mcps: [client], outputLimit: 1000 })
    await toolkit.ready()
    const { output, structured, metadata } = await toolkit.execute({
      type: "tool_use",
      id: "1",
      name: "big",
      input: {},
    }).result
    expect(textOf({ content: output }).length).toBeLessThan(3000)
    expect(structured).toEqual({ ok: true })
    expect(metadata).toMatchObject({ mcp: { server: "big" }, truncated: expect.anything() })
  })
})
