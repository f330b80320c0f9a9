import { userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import type { ChatRequest } from "./chat-request.ts"
import { FakeModel, saying } from "./fixtures/fake-model.ts"

const messages = [userMsg("Hi")]
const tools = [{ name: "look", parameters: {} }]

test.each([undefined, []])("a call that is required of no tools (%j) is refused before it is sent", async (none) => {
  const model = new FakeModel(saying("Hello"))
  const asked = model.generate({ messages, tools: none, toolChoice: "required" })
  await expect(asked).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/required.*fake\/fake-1 has no tools/) as string,
  })
  expect(model.requests).toEqual([])
})

test.each<[string, Partial<ChatRequest>]>([
  ["a tool", { tools, toolChoice: "required" }],
  ["a tool of the provider's", { toolChoice: "required", params: { serverTools: [{ type: "search" }] } as object }],
  ["one in the body", { toolChoice: "required", params: { extraBody: { tools: [{}] } } as object }],
  ["a choice that needs none", { toolChoice: "auto" }],
])("%s is fine", async (_, more) => {
  const model = new FakeModel(saying("Hello"))
  await model.generate({ messages, ...more })
  expect(model.requests).toHaveLength(1)
})
