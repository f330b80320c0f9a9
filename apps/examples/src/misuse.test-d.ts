// The examples' twins, each with one mistake that the compiler must refuse.
import { ReActAgent } from "@agentscope-ts/agent"
import { userMsg } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import { describe, it } from "vitest"
import { z } from "zod"

const model = new ScriptedModel([])

describe("01-quickstart", () => {
  it("refuses a wrong tool argument", () => {
    tool({
      name: "get_weather",
      description: "Current weather in a city",
      input: z.object({ city: z.string() }),
      // @ts-expect-error the argument is called city
      execute: async ({ town }) => town as string,
    })
  })

  it("refuses a misspelt option of the agent, the model and the tool", () => {
    // @ts-expect-error systemPrompt
    new ReActAgent({ name: "Friday", systemPromt: "You are a helpful assistant.", model })
    // @ts-expect-error apiKey
    new OpenAIChatModel({ model: "gpt-5-mini", apikey: "sk-test" })
    // @ts-expect-error timeoutMs
    tool({ name: "now", description: "The time", input: z.object({}), timeout: 5, execute: () => "now" })
  })
})

describe("03-structured-output", () => {
  const Receipt = z.object({ shop: z.string(), total: z.number() })

  it("refuses a wrong structured field, and any before the reply is known to be complete", async () => {
    const clerk = new ReActAgent({ name: "clerk", systemPrompt: "You read receipts.", model })
    const reply = await clerk.reply("Read.", { schema: Receipt })
    // @ts-expect-error it may not have completed
    reply.structured.shop satisfies string
    if (reply.finishReason === "completed") {
      reply.structured.shop satisfies string
      // @ts-expect-error the field is called total
      reply.structured.sum satisfies number
    }
    const response = await model.generate({
      messages: [userMsg("Is 'great, thanks' positive?")],
      schema: { type: "object", properties: { mood: { enum: ["positive", "negative"] } }, required: ["mood"] },
    })
    // @ts-expect-error not among the enum's values
    response.structured?.mood satisfies "neutral" | undefined
  })
})

describe("16-testing", () => {
  const add = tool({
    name: "add",
    description: "Add",
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  })

  it("refuses a wrong argument where a tool is run by hand, and a misspelt step", async () => {
    // @ts-expect-error b is a number
    await add.run({ a: 20, b: "22" })
    // @ts-expect-error toolUses
    new ScriptedModel([{ toolUse: [{ name: "add", input: {} }] }])
  })
})
