import { expect, test } from "vitest"
import { ManualModel, stalls } from "../fixtures/manual-model.ts"
import { type Hooks, ReActAgent } from "../index.ts"

test("a preReasoning hook that gives messages alone leaves the request stoppable", async () => {
  const model = new ManualModel(stalls({ type: "text_delta", index: 0, text: "Once" }))
  const hooks: Hooks = { preReasoning: ({ input }) => ({ messages: input.messages }) }
  const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, hooks })
  const run = agent.stream("Hi")
  for await (const event of run) if (event.type === "text_delta") run.interrupt()
  expect((await run.reply).finishReason).toBe("interrupted")
  expect(model.requests[0]).toMatchObject({ conversation: agent })
})
