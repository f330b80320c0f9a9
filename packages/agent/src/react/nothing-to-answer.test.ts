import { approve, toolResult, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { ReActAgent } from "../index.ts"

const made = () => {
  const model = new ScriptedModel(["Yes?"])
  return { model, agent: new ReActAgent({ name: "Friday", systemPrompt: "Help.", model }) }
}

test.each([[""], [" \n"], [userMsg("")], [[userMsg(""), userMsg(" ")]]])(
  "an empty text to an agent that knows nothing is refused, and the model not asked (%#)",
  async (input) => {
    const { agent, model } = made()
    const refused = {
      code: "invalid_argument",
      message: expect.stringContaining("there is nothing to answer: give a text"),
    }
    await expect(agent.reply(input)).rejects.toMatchObject(refused)
    expect(model.requests).toHaveLength(0)
    expect(agent.memory.get()).toEqual([])
  },
)

test("nothing said to an agent that heard something goes on from there", async () => {
  for (const input of [undefined, ""]) {
    const { agent, model } = made()
    await agent.observe("It rains.")
    expect((await agent.reply(input)).finishReason).toBe("completed")
    expect(model.requests).toHaveLength(1)
  }
})

test("answers that are given without their place are told of it", async () => {
  const { agent } = made()
  const toolUse = { type: "tool_use", id: "c1", name: "pay", input: {} } as const
  const result = toolResult(toolUse, "done")
  const approval = approve({ toolUse, kind: "approval", digest: "d" })
  for (const answer of [result, [result], approval, [approval]])
    await expect(agent.resume(answer as never)).rejects.toThrow(/A Resume is \{ results, approvals \}: give \{/)
})

test("a signal that is none, and nothing to observe, are refused by name", async () => {
  const { agent, model } = made()
  const wrong = { code: "invalid_argument", message: expect.stringMatching(/signal must be an AbortSignal, not "x"/) }
  await expect(agent.reply("x", { signal: "x" as never })).rejects.toMatchObject(wrong)
  await expect(agent.observe(undefined as never)).rejects.toMatchObject({ code: "invalid_argument" })
  expect(model.requests).toHaveLength(0)
})
