import { AgentScopeError, assistantMsg, type Msg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, it, test } from "vitest"
import { FakeModel, saying } from "../fixtures/fake-model.ts"
import { guardHistory } from "./history-guard.ts"

/** What a model says of messages as JavaScript would give them. */
async function complaint(messages: unknown): Promise<string> {
  const model = new FakeModel(saying("Hello"))
  const failure: unknown = await model.generate({ messages } as never).catch((error: unknown) => error)
  expect(model.requests).toEqual([])
  expect(AgentScopeError.is(failure, "invalid_request")).toBe(true)
  return (failure as Error).message
}
const ofBlock = (block: unknown) =>
  complaint([userMsg("Hi"), { ...userMsg([]), content: [{ type: "text", text: "a" }, block] }])
const place = "messages[1].content[1]"

describe("a block of another format", () => {
  it.each<[unknown, string]>([
    [{ type: "image_url", image_url: { url: "https://x/a.png" } }, "image"],
    [{ type: "input_image", image_url: "https://x/a.png" }, "image"],
    [{ type: "input_text", text: "Hi" }, "text"],
    [{ type: "output_text", text: "Hi" }, "text"],
    [{ type: "input_audio", input_audio: { data: "", format: "wav" } }, "audio"],
    [{ type: "document", source: {} }, "file"],
    [{ type: "function_call", call_id: "1" }, "tool_use"],
    [{ type: "function_call_output", call_id: "1" }, "tool_result"],
    [{ type: "tool-use" }, "tool_use"],
    [{ type: "Text", text: "a" }, "text"],
    [{ type: "imgae" }, "image"],
    [{ text: "Hi" }, "text"],
  ])("%j is refused with its place and what was meant: %s", async (block, meant) => {
    const message = await ofBlock(block)
    expect(message).toContain(`${place} has `)
    expect(message).toContain(`Did you mean "${meant}"? It is written { type: "${meant}"`)
  })

  it.each<[unknown, string]>([
    [{ type: "hologram" }, 'has the unknown type "hologram". The types are text, thinking'],
    [{}, "has no type. The types are"],
    ["Hi", "is a text, no block"],
    [null, "is null, no block"],
    [{ type: "text" }, 'has no text in "text"'],
    [{ type: "text", text: 5 }, 'has no text in "text"'],
    [{ type: "tool_use", id: "1", name: "t", input: "{}" }, "an input that is an object"],
    [{ type: "tool_result", tool_use_id: "1", content: "x" }, "needs an id, a name and an output"],
  ])("%j is refused: %s", async (block, message) => {
    const said = await ofBlock(block)
    expect(said).toContain(place)
    expect(said).toContain(message)
  })

  test("in a tool's result is found too", async () => {
    const result = { type: "tool_result", id: "1", name: "t", output: [{ type: "image_url" }], state: "success" }
    expect(await complaint([toolResultMsg([result as never])])).toMatch(
      /^messages\[0\]\.content\[0\]\.output\[0\] .*"image"/,
    )
  })
})

describe("a source that is none", () => {
  const url = 'source: { type: "url", url: "…" }'
  it.each<[string, unknown, string]>([
    ["a text", "a.png", url],
    ["nothing", undefined, url],
    ["a Buffer", Buffer.from("a"), 'buffer.toString("base64")'],
    ["bytes", new Uint8Array(3), 'buffer.toString("base64")'],
    ["a Buffer from JSON", JSON.parse(JSON.stringify(Buffer.from("a"))), 'buffer.toString("base64")'],
    ["bytes as data", { type: "base64", mediaType: "image/png", data: Buffer.from("a") }, 'buffer.toString("base64")'],
    ["a file", { type: "file", path: "a.png" }, 'unknown type "file"'],
    ["no type", { url: "a.png" }, "without a type"],
    ["no data", { type: "base64", mediaType: "image/png" }, "without data"],
    ["no type of media", { type: "base64", data: "aGk=" }, "without mediaType"],
    ["Python's name of it", { type: "base64", media_type: "image/png", data: "aGk=" }, '"media_type"'],
    [
      "a data: URL as data",
      { type: "base64", mediaType: "image/png", data: "data:image/png;base64,aGk=" },
      "data: URL",
    ],
    ["a URL object", { type: "url", url: new URL("https://x/a.png") }, "url.href"],
    ["no URL", { type: "url", path: "a.png" }, "no text"],
  ])("(%s) is refused with the way to write it", async (_, source, message) => {
    const said = await ofBlock({ type: "image", source })
    expect(said).toContain(`${place} of type "image" has `)
    expect(said).toContain(message)
  })
})

describe("messages that are none", () => {
  it.each<[unknown, string]>([
    ["hi", 'messages is a text, and has to be a list of messages, such as [userMsg("hi")]'],
    [undefined, "messages is undefined"],
    [userMsg("hi"), "messages is an object"],
    [["hi"], 'messages[0] is a text, no message: make one, such as userMsg("…")'],
    [[userMsg("a"), undefined], "messages[1] is undefined, no message"],
    [[{ role: "user", content: "hi" }], "messages[0] has a content that is a text"],
    [
      [{ role: "assistant" }],
      'messages[0] has no content, and a list of blocks has to be there: make messages by assistantMsg("…")',
    ],
    [[{ role: "human", content: [] }], 'has the role "human", which is none of user, assistant, system, tool'],
    [[{ role: "asistant", content: [] }], 'Did you mean "assistant"?'],
    [[{ content: [] }], "has the role undefined"],
    [
      [{ role: "assistant", content: [], tool_calls: [] }],
      'has "tool_calls", as messages of OpenAI\'s have: take what importMessages',
    ],
  ])("%j: %s", async (messages, message) => {
    expect(await complaint(messages)).toContain(message)
  })

  it.each([["hi"], [undefined], [null], [{}], [[userMsg("hi")]]])(
    "a request that is %j is refused",
    async (request) => {
      const model = new FakeModel(saying("Hello"))
      const invalid = expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/generate\(\{ messages/),
      })
      await expect(model.generate(request as never)).rejects.toEqual(invalid)
      await expect(model.stream(request as never).response).rejects.toEqual(invalid)
    },
  )
})

test("each message is looked at once, however often its conversation is sent", async () => {
  let looks = 0
  const watched = (msg: Msg): Msg => {
    const block = Object.defineProperty({ type: "text" }, "text", { enumerable: true, get: () => (looks++, "Hi") })
    return { ...msg, content: [block as never] }
  }
  const model = new FakeModel(saying("Hello"))
  const conversation = {}
  const history = [watched(userMsg("")), assistantMsg("Hello")]
  await model.generate({ messages: history, conversation })
  const once = looks
  for (let i = 0; i < 5; i++) {
    history.push(userMsg("And?"))
    await model.generate({ messages: history, conversation })
  }
  expect(looks).toBe(once)
})

test("a history is good again once what was wrong has gone", async () => {
  const model = new FakeModel(saying("Hello"))
  const conversation = {}
  const first = userMsg("Hi")
  const bad = { ...userMsg(""), content: [{ type: "image_url" }] } as never
  await expect(model.generate({ messages: [first, bad], conversation })).rejects.toThrow("messages[1]")
  await expect(model.generate({ messages: [first, bad], conversation })).rejects.toThrow("messages[1]")
  await model.generate({ messages: [first, userMsg("again")], conversation })
  expect(model.requests[0]?.messages).toHaveLength(2)
  expect(() => guardHistory([bad])).toThrow("image_url")
})
