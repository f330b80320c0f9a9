import { textOf, toolResultMsg, toolUsesOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { z } from "zod"
import { Toolkit, tool } from "../index.ts"

test("a model is told the tools, and what it calls is executed and answered", async () => {
  const weather = tool({
    name: "weather",
    description: "The weather in a city",
    input: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, celsius: 21 }),
  })
  const kit = new Toolkit({ tools: [weather] })
  const toolUses = [
    { id: "c1", name: "weather", input: { city: "Rome" } },
    { id: "c2", name: "wether", input: {} },
    { id: "c3", name: "weather", input: '{"city":' },
  ]
  using model = new ScriptedModel([{ toolUses }, "done"])
  const messages = [userMsg("How warm is it in Rome?")]
  const answer = await model.generate({ messages, tools: kit.schemas() })
  expect(model.requests[0]?.tools).toBe(kit.schemas())
  const results = await Promise.all(toolUsesOf(answer).map((call) => kit.execute(call).result))
  expect(results.map(({ id, state }) => `${id} ${state}`)).toEqual(["c1 success", "c2 error", "c3 error"])
  expect(results[0]?.structured).toEqual({ city: "Rome", celsius: 21 })
  const last = await model.generate({ messages: [...messages, toolResultMsg(results)], tools: kit.schemas() })
  expect(textOf(last)).toBe("done")
})
