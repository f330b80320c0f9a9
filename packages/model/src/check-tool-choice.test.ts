import { userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { checkToolChoice } from "./check-tool-choice.ts"
import { FakeModel, saying } from "./fixtures/fake-model.ts"

const tools = [{ name: "look", parameters: {} }]

describe("toolChoice", () => {
  it.each<[unknown, string]>([
    ["auot", 'toolChoice is "auot". Did you mean "auto"?'],
    ["Required", 'Did you mean "required"?'],
    ["any", 'Did you mean "required"?'],
    ["look", 'It has to be "auto", "none", "required" or { name: "…" }.'],
    [{ type: "function", function: { name: "look" } }, 'Write { name: "look" }.'],
    [{ type: "auto" }, "an object without the name of a tool"],
    [true, "toolChoice is true."],
    [null, "toolChoice is null."],
  ])("that is %j is refused before anything is sent, by every model", async (toolChoice, message) => {
    const invalid = expect.objectContaining({
      code: "invalid_request",
      message: expect.stringContaining(message) as string,
    }) as Error
    const model = new FakeModel(saying("Hello"))
    const request = { messages: [userMsg("Hi")], tools, toolChoice } as never
    await expect(model.generate(request)).rejects.toEqual(invalid)
    expect(model.requests).toEqual([])
    expect(() => checkToolChoice(toolChoice as never, tools)).toThrow(invalid)
  })

  it.each([undefined, "auto", "none", "required", { name: "look" }] as const)("may be %j", (choice) => {
    expect(() => checkToolChoice(choice, tools)).not.toThrow()
  })

  it("that names a tool which is not there is refused with the tools that are", () => {
    expect(() => checkToolChoice({ name: "lok" }, tools)).toThrow(/"lok", but the tools are look\. Did you mean "look"/)
  })
})
