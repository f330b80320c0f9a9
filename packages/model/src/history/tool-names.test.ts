import {
  assistantMsg,
  type ChatDelta,
  type Msg,
  toolResultMsg,
  toolResultsOf,
  type ToolUseBlock,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { ChatRequest, ToolSchema } from "../chat-request.ts"
import { FakeModel } from "../fixtures/fake-model.ts"
import type { Dialect } from "./dialect.ts"

const dialect: Dialect = { provider: "fake", toolName: /^[a-zA-Z0-9_-]{1,64}$/ }
const tools: readonly ToolSchema[] = ["files.read", "files/read", "look", "x".repeat(70)].map((name) => ({
  name,
  parameters: {},
}))

/** Calls the first of its tools, in pieces and as a whole. */
const calling = (options = {}) =>
  new FakeModel(
    ({ tools: [tool] = [] }, sink) => {
      const name = tool?.name ?? ""
      sink.emit({ type: "tool_use_start", index: 0, id: "a", name })
      sink.emit({ type: "tool_use_delta", index: 0, id: "a", json: "{}" })
      sink.emit({ type: "block_end", index: 1, block: { type: "tool_use", id: "b", name, input: {} } })
      sink.finish({ stopReason: "tool_use" })
    },
    { dialect, ...options },
  )

describe("tool names that the provider does not take", () => {
  test("are mapped in the tools, the choice and the history alike, each to one of its own", async () => {
    const model = calling()
    const call: ToolUseBlock = { type: "tool_use", id: "c", name: "files.read", input: {} }
    const history: Msg[] = [
      userMsg("u"),
      assistantMsg([call]),
      toolResultMsg([{ type: "tool_result", id: "c", name: "files.read", output: [], state: "success" }]),
    ]
    await model.generate({ messages: history, tools, toolChoice: { name: "files.read" } })
    const [sent] = model.requests
    const names = sent?.tools?.map(({ name }) => name) ?? []
    expect(new Set(names).size).toBe(4)
    expect(names.every((name) => dialect.toolName?.test(name))).toBe(true)
    expect(names[2]).toBe("look")
    expect(sent?.toolChoice).toEqual({ name: names[0] })
    expect(
      sent?.messages.flatMap((msg) => [...toolUsesOf(msg), ...toolResultsOf(msg)]).map(({ name }) => name),
    ).toEqual([names[0], names[0]])
  })

  test("come back as they were, in deltas, blocks and the answer", async () => {
    const deltas: ChatDelta[] = []
    const ran: string[] = []
    const { content } = await calling()
      .stream({ messages: [userMsg("u")], tools })
      .drive({ onDelta: (delta) => deltas.push(delta), onToolUse: ({ name }) => ran.push(name) })
    expect(content.map((block) => block.type === "tool_use" && block.name)).toEqual(["files.read", "files.read"])
    expect(ran).toEqual(["files.read", "files.read"])
    expect(deltas[0]).toMatchObject({ type: "tool_use_start", name: "files.read" })
  })

  test("give way to a tool that has the made-up name already", async () => {
    const model = calling()
    await model.generate({ messages: [userMsg("u")], tools })
    const made = model.requests[0]?.tools?.[0]?.name ?? ""
    const clash = [...tools, { name: made, parameters: {} }]
    const { content } = await model.generate({ messages: [userMsg("u")], tools: clash })
    const names = model.requests[1]?.tools?.map(({ name }) => name) ?? []
    expect(new Set(names).size).toBe(5)
    expect(names[4]).toBe(made)
    expect(content[0]).toMatchObject({ name: "files.read" })
  })

  test("are mapped as well where a provider asks for something beside chat", async () => {
    class Counting extends FakeModel {
      override countTokens(request: ChatRequest): Promise<number> {
        const { tools = [], params, conversation } = this.prepared(request)
        expect(conversation).toBeUndefined()
        expect(params).toEqual({ topP: 1, seed: 2 })
        return Promise.resolve(tools.filter(({ name }) => dialect.toolName?.test(name)).length)
      }
    }
    const model = new Counting(() => {}, { dialect, params: { topP: 1 } })
    expect(await model.countTokens({ messages: [], tools, params: { seed: 2 }, conversation: {} })).toBe(4)
  })

  test("of one list are worked out once: request after request has the same objects", async () => {
    const model = calling()
    const toolChoice = { name: "files.read" }
    for (let i = 0; i < 2; i++) await model.generate({ messages: [userMsg("u")], tools, toolChoice })
    const [first, second] = model.requests
    expect(second?.tools).toBe(first?.tools)
    expect(second?.toolChoice).toBe(first?.toolChoice)
  })

  test("where all fit, list and choice are the caller's own", async () => {
    const model = calling()
    const fine: ToolSchema[] = [{ name: "look", parameters: {} }]
    const toolChoice = { name: "look" }
    await model.generate({ messages: [userMsg("u")], tools: fine, toolChoice })
    expect(model.requests[0]?.tools).toBe(fine)
    expect(model.requests[0]?.toolChoice).toBe(toolChoice)
    fine.push({ name: "7 up", parameters: {} })
    await model.generate({ messages: [userMsg("u")], tools: fine, toolChoice })
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual(["look", expect.stringMatching(/^[\w-]+$/)])
  })
})
