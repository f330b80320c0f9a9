import { describe, expect, it, test } from "vitest"
import { AgentScopeError, importMessages, type Msg } from "../index.ts"

const short = (messages: readonly Msg[]) => messages.map(({ role, content }) => [role, ...content])
const call = (id: string, name: string, args: string) => ({ id, type: "function", function: { name, arguments: args } })
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })
const result = (id: string, name: string, text: string) => ({
  type: "tool_result",
  id,
  name,
  output: [{ type: "text", text }],
  state: "success",
})

describe("a history of OpenAI's Chat Completions", () => {
  test("keeps its calls and their results, each under its tool's name", () => {
    const history = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, tool_calls: [call("c1", "look", '{"at":"sky"}'), call("c2", "hear", "{")] },
      { role: "tool", tool_call_id: "c1", content: "blue" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "wind" }] },
      { role: "assistant", content: "Blue.", refusal: null, tool_calls: undefined },
    ]
    expect(short(importMessages(JSON.parse(JSON.stringify(history))))).toEqual([
      ["system", { type: "text", text: "Be brief." }],
      ["user", { type: "text", text: "Weather?" }],
      ["assistant", use("c1", "look", { at: "sky" }), { ...use("c2", "hear", {}), rawInput: "{" }],
      ["tool", result("c1", "look", "blue")],
      ["tool", result("c2", "hear", "wind")],
      ["assistant", { type: "text", text: "Blue." }],
    ])
  })

  test("of the older kind, with function_call, is paired by the function's name", () => {
    const history = [
      { role: "assistant", content: "Let me see.", function_call: { name: "look", arguments: "{}" } },
      { role: "function", name: "look", content: "blue" },
      { role: "assistant", function_call: { name: "look", arguments: "{}" } },
      { role: "function", name: "look", content: "grey" },
    ]
    expect(short(importMessages(history))).toEqual([
      ["assistant", { type: "text", text: "Let me see." }, use("call_1", "look", {})],
      ["tool", result("call_1", "look", "blue")],
      ["assistant", use("call_2", "look", {})],
      ["tool", result("call_2", "look", "grey")],
    ])
  })

  test("with custom tools, reasoning and a refusal loses none of them", () => {
    const custom = { id: "c1", type: "custom", custom: { name: "sh", input: "ls" } }
    expect(
      short(
        importMessages([
          { role: "assistant", reasoning_content: "Hm.", content: "", refusal: "No.", tool_calls: [custom] },
        ]),
      ),
    ).toEqual([
      [
        "assistant",
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "No." },
        use("c1", "sh", { input: "ls" }),
      ],
    ])
  })

  it.each<[object, object]>([
    [
      { type: "image_url", image_url: { url: "https://x/a.png", detail: "low" } },
      { type: "image", source: { type: "url", url: "https://x/a.png" } },
    ],
    [
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" } },
    ],
    [
      { type: "input_image", image_url: "https://x/a.png" },
      { type: "image", source: { type: "url", url: "https://x/a.png" } },
    ],
    [
      { type: "input_text", text: "Hi" },
      { type: "text", text: "Hi" },
    ],
    [
      { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
      { type: "audio", source: { type: "base64", mediaType: "audio/mpeg", data: "aGk=" } },
    ],
    [
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
      { type: "file", source: { type: "base64", mediaType: "application/pdf", data: "aGk=" }, name: "a.pdf" },
    ],
  ])("the part %j becomes %j", (part, block) => {
    expect(importMessages({ role: "user", content: [part] })[0]?.content).toEqual([block])
  })

  it.each<[object, string]>([
    [
      [{ role: "tool", tool_call_id: "c9", content: "x" }],
      'messages[0] answers the call "c9", which no message before it has',
    ],
    [
      [{ role: "assistant", tool_calls: [{ id: "c1" }] }],
      "messages[0].tool_calls[0] is no call with an id and a function",
    ],
    [[{ role: "assistant", tool_calls: {} }], '"tool_calls" that are no list'],
    [[{ role: "assistant", content: null, audio: { id: "a" } }], 'has "audio"'],
    [{ role: "user", content: [{ type: "image_url" }] }, 'message.content[0] has no url in "image_url"'],
    [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }, "message.content[0] has neither file_data"],
    [{ role: "user", content: [{ type: "input_audio" }] }, 'has no data in "input_audio"'],
    [{ role: "tool", content: "x" }, "message has content of a tool without"],
  ])("%j is refused", (history, message) => {
    let caught: unknown
    try {
      importMessages(history)
    } catch (error) {
      caught = error
    }
    expect(AgentScopeError.is(caught, "invalid_message")).toBe(true)
    expect((caught as Error).message).toContain(message)
  })
})
