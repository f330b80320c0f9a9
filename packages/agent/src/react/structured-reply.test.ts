import { type Schema, textOf, toolResult, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, expectValid, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { add, askExpert, named } from "../fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "../index.ts"

const Receipt = z.object({ shop: z.string(), total: z.number(), note: z.string().optional() })
const receipt = { shop: "Lu", total: 9 }

const clerk = (steps: ScriptedStep[], options: Partial<ReActOptions> = {}) => {
  const model = new ScriptedModel(steps)
  return { model, agent: new ReActAgent({ name: "clerk", systemPrompt: "Read.", model, ...options }) }
}

describe("a reply with a schema", () => {
  test("comes through the finish tool, validated; it is JSON in words unless the model said something", async () => {
    const { model, agent } = clerk([{ structured: receipt }, { text: "Here it is.", structured: receipt }])
    const reply = await agent.reply("Read this.", { schema: Receipt })
    expect(reply.finishReason === "completed" && reply.structured.total).toBe(9)
    expect(JSON.parse(textOf(reply))).toEqual(receipt)
    expect(textOf(await agent.reply("Again.", { schema: Receipt }))).toBe("Here it is.")
    const [request] = model.requests
    expect(request?.toolChoice).toBe("required")
    expect(request?.tools).toMatchObject([
      { name: "generate_response", parameters: { type: "object", required: ["shop", "total"] } },
    ])
    expect(request?.schema).toBeUndefined()
    expect(rolesOf(agent).slice(0, 4)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(memoryOf(agent).at(-1)).toMatchObject({ structured: receipt, finishReason: "completed" })
    expectValid(memoryOf(agent))
  })

  test("the finish tool is there only for that reply", async () => {
    const { model, agent } = clerk([{ structured: receipt }, "Hello."], { tools: [add] })
    await agent.reply("Read this.", { schema: Receipt })
    await agent.reply("Hi.")
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["add", "generate_response"],
      ["add"],
    ])
  })

  test("other tools can be called first, and beside it; the tools stay the same array", async () => {
    const call = { name: "add", input: { a: 1, b: 2 } }
    const { model, agent } = clerk([{ toolUses: [call] }, { toolUses: [call], structured: receipt }], { tools: [add] })
    expect((await agent.reply("?", { schema: Receipt })).structured).toEqual(receipt)
    expect(model.requests[0]?.tools).toHaveLength(2)
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools)
    expect(
      memoryOf(agent)
        .flatMap(toolResultsOf)
        .map(({ name, state }) => `${name} ${state}`),
    ).toEqual(["add success", "add success", "generate_response success"])
  })

  test("what does not fit is told to the model, which tries again", async () => {
    const { agent } = clerk([{ structured: { shop: "Lu", total: "nine" } }, { structured: receipt }])
    expect((await agent.reply("?", { schema: Receipt })).structured).toEqual(receipt)
    const [wrong, right] = memoryOf(agent).flatMap(toolResultsOf)
    expect([wrong?.state, right?.state]).toEqual(["error", "success"])
    expect(textOf(wrong!)).toContain("total")
  })

  test("arguments that are no JSON are told to the model", async () => {
    const { agent } = clerk([{ toolUses: [{ name: "generate_response", input: '{"shop":' }] }, { structured: receipt }])
    expect((await agent.reply("?", { schema: Receipt })).structured).toEqual(receipt)
  })

  test("null for what is optional counts as absent", async () => {
    const { agent } = clerk([{ structured: { ...receipt, note: null } }])
    expect((await agent.reply("?", { schema: Receipt })).structured).toEqual(receipt)
  })

  test.each([JSON.stringify(receipt), `\`\`\`json\n${JSON.stringify(receipt)}\n\`\`\``])(
    "plain text that fits is taken: %s",
    async (answer) => {
      const { agent, model } = clerk([answer])
      const reply = await agent.reply("?", { schema: Receipt })
      expect(reply).toMatchObject({ finishReason: "completed", structured: receipt })
      model.assertDone()
    },
  )

  test("a model that goes on answering in prose is given up on, with what is wrong", async () => {
    const model = new ScriptedModel(["I would say", "as I said", "no", "never asked"])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "s", model })
    await expect(agent.reply("Which?", { schema: z.object({ city: z.string() }) })).rejects.toMatchObject({
      code: "malformed_response",
      message: expect.stringMatching(/3 answers in a row that do not fit the schema .*"Friday" gave up/) as string,
    })
    expect(model.requests).toHaveLength(3)
  })

  test("plain text that does not fit: the model is told, in that request alone", async () => {
    const { agent, model } = clerk(["It was nine at Lu's.", { structured: receipt }])
    expect((await agent.reply("?", { schema: Receipt })).structured).toEqual(receipt)
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain("generate_response")
    expect(memoryOf(agent).some((msg) => textOf(msg).includes("system-hint"))).toBe(false)
    expect(textOf(memoryOf(agent)[1]!)).toBe("It was nine at Lu's.")
  })

  test("is bounded by maxIterations, and then has no structured value", async () => {
    const { agent } = clerk(["no", "no", "I could not read it."], { maxIterations: 2 })
    const reply = await agent.reply("?", { schema: Receipt })
    expect(reply.finishReason).toBe("max_iterations")
    expect("structured" in reply && reply.structured).toBeFalsy()
  })

  test("defaults and transforms have run", async () => {
    const schema = z.object({ when: z.string().transform((text) => text.length), page: z.number().default(1) })
    const { agent } = clerk([{ structured: { when: "now" } }])
    expect((await agent.reply("?", { schema })).structured).toEqual({ when: 3, page: 1 })
  })

  test("anything but an object is wrapped for the tool, and references inside it still hold", async () => {
    const cases: [Schema, unknown][] = [
      [z.array(z.string()), ["a", "b"]],
      [z.enum(["positive", "negative"]), "positive"],
      [{ $defs: { n: { type: "number" } }, type: "array", items: { $ref: "#/$defs/n" } }, [1, 2]],
    ]
    for (const [schema, value] of cases) {
      const { agent, model } = clerk([{ structured: { response: value } }])
      expect((await agent.reply("?", { schema })).structured).toEqual(value)
      expect(model.requests[0]?.tools?.[0]?.parameters).toMatchObject({ type: "object", required: ["response"] })
    }
  })

  test("a JSON Schema literal is validated too", async () => {
    const schema = { type: "object", properties: { mood: { enum: ["good", "bad"] } }, required: ["mood"] } as const
    const { agent } = clerk([{ structured: { mood: "odd" } }, { structured: { mood: "good" } }])
    const reply = await agent.reply("?", { schema })
    const mood: "good" | "bad" | undefined = reply.finishReason === "completed" ? reply.structured.mood : undefined
    expect(mood).toBe("good")
  })

  test("an answer beside a call that waits is not taken; after the answers it is asked for again", async () => {
    const { agent } = clerk(
      [
        { toolUses: [{ name: "ask_expert", input: { question: "Why?" } }], structured: receipt },
        { structured: receipt },
      ],
      { tools: [askExpert] },
    )
    const reply = await agent.reply("?", { schema: Receipt })
    expect(reply.finishReason).toBe("tool_suspended")
    const results = reply.pending.map(({ toolUse }) => toolResult(toolUse, "Because."))
    const later = await agent.resume({ results }, { schema: Receipt })
    expect(later.finishReason === "completed" && later.structured.shop).toBe("Lu")
    expect(
      memoryOf(agent)
        .flatMap(toolResultsOf)
        .map(({ state }) => state),
    ).toEqual(["success", "error", "success"])
  })

  test("a message that is steered in holds the answer back", async () => {
    const { agent } = clerk(
      [{ structured: receipt, toolUses: [{ name: "note", input: {} }] }, { structured: { ...receipt, total: 10 } }],
      {
        tools: [named("note", () => void agent.steer("Add one for the tip."))],
      },
    )
    expect((await agent.reply("?", { schema: Receipt })).structured).toMatchObject({ total: 10 })
  })

  test("the finish tool's call is seen in the events as any other", async () => {
    const { agent } = clerk([{ structured: receipt }])
    const events = await eventsOf(agent.stream("?", { schema: Receipt }))
    expect(ofType(events, "tool_execution_start")).toMatchObject([{ toolUse: { name: "generate_response" } }])
    expect(ofType(events, "tool_result")).toMatchObject([{ result: { state: "success" } }])
    expect(ofType(events, "reply_end")).toMatchObject([{ reply: { structured: receipt } }])
  })

  test("a tool of the agent's with the finish tool's name is refused, for replies with a schema", async () => {
    const { agent } = clerk(["ok"], { tools: [named("generate_response", () => 1)] })
    await expect(agent.reply("?", { schema: Receipt })).rejects.toMatchObject({ code: "name_clash" })
    expect((await agent.reply("?")).finishReason).toBe("completed")
  })

  test("a schema that is none is refused before anything is remembered", async () => {
    const { agent } = clerk([])
    await expect(agent.reply("?", { schema: 5 as never })).rejects.toMatchObject({ code: "invalid_schema" })
    expect(memoryOf(agent)).toEqual([])
  })
})
