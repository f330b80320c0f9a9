import { assistantMsg, systemMsg, toolResult, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { inputMessages, outputMessages, systemInstructions, toolCallResult, toolDefinitions } from "./index.ts"

const toolUse = { type: "tool_use", id: "c1", name: "look", input: { at: "sky" } } as const

test("messages become the conventions' messages: role, parts, name", () => {
  const messages = [
    systemMsg("Be brief."),
    userMsg([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "url", url: "https://example.com/a.png", mediaType: "image/png" } },
    ]),
    assistantMsg([{ type: "thinking", thinking: "Let me look." }, toolUse], { name: "Friday" }),
    toolResultMsg([toolResult(toolUse, "blue")]),
  ]
  expect(JSON.parse(inputMessages(messages))).toEqual([
    { role: "system", name: "system", parts: [{ type: "text", content: "Be brief." }] },
    {
      role: "user",
      name: "user",
      parts: [
        { type: "text", content: "What is this?" },
        { type: "uri", modality: "image", mime_type: "image/png", uri: "https://example.com/a.png" },
      ],
    },
    {
      role: "assistant",
      name: "Friday",
      parts: [
        { type: "reasoning", content: "Let me look." },
        { type: "tool_call", id: "c1", name: "look", arguments: { at: "sky" } },
      ],
    },
    {
      role: "tool",
      name: "tool",
      parts: [{ type: "tool_call_response", id: "c1", response: [{ type: "text", content: "blue" }] }],
    },
  ])
})

test("inline media is named, not copied", () => {
  const data = "A".repeat(4000)
  const json = inputMessages([
    userMsg([
      { type: "file", name: "a.pdf", source: { type: "base64", mediaType: "application/pdf", data } },
      { type: "audio", source: { type: "url", url: `data:audio/wav;base64,${data}` } },
    ]),
  ])
  expect(json.length).toBeLessThan(400)
  expect(JSON.parse(json)[0].parts).toEqual([
    { type: "file", mime_type: "application/pdf", size: 3000, name: "a.pdf" },
    { type: "audio", mime_type: null, size: 4022 },
  ])
})

test("a tool's result is its own value, else what the model is shown, without inline media", () => {
  expect(toolCallResult(toolResult(toolUse, { colour: "blue" }))).toBe('{"colour":"blue"}')
  const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "A".repeat(4000) } } as const
  expect(JSON.parse(toolCallResult(toolResult(toolUse, [{ type: "text", text: "see" }, image])) ?? "")).toEqual([
    { type: "text", content: "see" },
    { type: "image", mime_type: "image/png", size: 3000 },
  ])
  expect(toolCallResult(toolResult(toolUse, "password=hunter2hunter2"))).not.toContain("hunter2")
})

test("a message is encoded once, however often its history is traced", () => {
  let reads = 0
  const spied = {
    ...userMsg("hello"),
    get content() {
      reads++
      return [{ type: "text" as const, text: "hello" }]
    },
  }
  const first = inputMessages([spied])
  expect(inputMessages([spied, userMsg("more")])).toContain(first.slice(1, -1))
  expect(reads).toBe(1)
})

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_use", "tool_call"],
  ["refusal", "content_filter"],
  ["malformed_tool_call", "error"],
  ["interrupted", "error"],
] as const)("a response that stopped with %s finishes with %s", (stopReason, finishReason) => {
  const raw = { ...toolUse, input: {}, rawInput: "{oops" }
  expect(JSON.parse(outputMessages([raw], stopReason))).toEqual([
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: "c1", name: "look", arguments: "{oops" }],
      finish_reason: finishReason,
    },
  ])
})

test("instructions and tool definitions have their form; the tools of a toolkit are encoded once", () => {
  expect(JSON.parse(systemInstructions("Be kind."))).toEqual([{ type: "text", content: "Be kind." }])
  const parameters = { type: "object", properties: {} }
  const tools = [{ name: "look", description: "Looks", parameters, strict: true }]
  const json = toolDefinitions(tools)
  expect(JSON.parse(json)).toEqual([{ type: "function", name: "look", description: "Looks", parameters }])
  expect(toolDefinitions(tools)).toBe(json)
})

test("secrets are masked in all of them", () => {
  const secret = "ghp_0123456789abcdefghij0123456789abcdefgh"
  const all = [
    inputMessages([userMsg(`my token is ${secret}`)]),
    outputMessages([{ type: "text", text: secret }]),
    systemInstructions(`Use ${secret}`),
    toolDefinitions([{ name: "x", description: `call with ${secret}`, parameters: {} }]),
  ]
  for (const json of all) {
    expect(json).toContain("[redacted]")
    expect(json).not.toContain("0123456789abc")
    expect(() => JSON.parse(json)).not.toThrow()
  }
})
