import { foldEvent, type Msg, type StopReason, textOf } from "@agentscope-ts/message"
import type { CallEnd } from "@agentscope-ts/model"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { type Act, ManualModel, says, text } from "../fixtures/manual-model.ts"
import { eventsOf, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { ReActAgent, type ReActOptions } from "../index.ts"

const schema = z.object({ a: z.string() })
const friday = (model: ManualModel, options: Partial<ReActOptions> = {}) =>
  new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, ...options })
/** Says this and ends in this way. */
const ends =
  (stopReason: StopReason, said = "", more: Partial<CallEnd> = {}): Act =>
  (sink) => {
    for (const delta of said === "" ? [] : text(0, said)) sink.emit(delta)
    sink.finish({ stopReason, ...more })
  }
const refuses = (words: string, said = ""): Act => ends("refusal", said, { refusal: words })
const thinks: Act = says({ type: "thinking_delta", index: 0, text: "Hm." })
/** A filter that says why, as some providers do. */
const filters =
  (said = ""): Act =>
  (sink, request) => {
    sink.warn("content_filtered", "The answer was stopped (SAFETY).")
    return ends("content_filter", said)(sink, request)
  }

describe("a refusal", () => {
  test.each([true, false])("with words is the reply and stays in memory, streamed (%s) or not", async (streaming) => {
    const agent = friday(new ManualModel(refuses("I cannot help with that."), says(...text(0, "Hi."))), { streaming })
    const events = await eventsOf(agent.stream("?"))
    const reply = ofType(events, "reply_end")[0]?.reply
    expect(reply?.finishReason).toBe("completed")
    expect(textOf(reply!)).toBe("I cannot help with that.")
    expect(ofType(events, "warning")).toMatchObject([{ code: "refusal" }])
    // who listens hears the words as any others, before the call ends
    expect(ofType(events, "text_delta")).toMatchObject([{ text: "I cannot help with that." }])
    const types = events.map(({ type }) => type)
    expect(types.indexOf("text_delta")).toBeLessThan(types.indexOf("model_end"))
    expect(events.reduce(foldEvent, [] as readonly Msg[])).toEqual(memoryOf(agent))
    await agent.reply("And now?")
    expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["?", "I cannot help with that.", "And now?", "Hi."])
  })

  test("that the model said as text already is not said twice; other words come after it", async () => {
    const once = friday(new ManualModel(refuses("I will not.", "No: I will not.")))
    expect(textOf(await once.reply("?"))).toBe("No: I will not.")
    const both = friday(new ManualModel(refuses("Policy 3.", "Let me see")))
    expect((await both.reply("?")).content).toEqual([
      { type: "text", text: "Let me see" },
      { type: "text", text: "Policy 3." },
    ])
  })

  test("without a word is an error", async () => {
    const agent = friday(new ManualModel(ends("refusal")))
    const error = { code: "content_filtered", retryable: false, details: { stopReason: "refusal" } }
    await expect(agent.reply("?")).rejects.toMatchObject(error)
    expect(rolesOf(agent)).toEqual(["user"])
  })
})

describe("a filtered answer", () => {
  test.each<[string, Act]>([
    ["said nothing", filters()],
    [
      "only thought",
      (sink, request) => (sink.emit({ type: "thinking_delta", index: 0, text: "Hm." }), filters()(sink, request)),
    ],
  ])("that %s is the error that a filtered request is, with the provider's reason", async (_, act) => {
    const agent = friday(new ManualModel(act))
    const run = agent.stream("?")
    const warnings: string[] = []
    const read = async () => {
      for await (const event of run) if (event.type === "warning") warnings.push(event.code)
    }
    const message = expect.stringMatching(/manual\/manual gave agent "Friday" no answer: .*SAFETY/) as string
    await expect(read()).rejects.toMatchObject({ code: "content_filtered", retryable: false, message })
    expect(warnings).toEqual([])
    expect(rolesOf(agent)).toEqual(["user"])
  })

  test("that said something is a reply with one warning, which has the provider's reason", async () => {
    const events = await eventsOf(friday(new ManualModel(filters("Half an ans"))).stream("?"))
    expect(ofType(events, "warning")).toMatchObject([
      { code: "content_filter", message: expect.stringContaining("SAFETY") as string },
    ])
    expect(ofType(events, "reply_end")[0]?.reply).toMatchObject({ finishReason: "completed" })
  })
})

describe("FR-08 an answer that says nothing", () => {
  test.each<[string, Act]>([
    ["is empty", says()],
    ["is blank", says(...text(0, " \n"))],
    ["is thinking alone", thinks],
    ["promises a call that is not there", ends("tool_use")],
  ])("and %s is asked for once more with a hint, and leaves no trace", async (_, silent) => {
    const model = new ManualModel(silent, says(...text(0, "Hello.")), silent, says(...text(0, "Again.")))
    const agent = friday(model)
    expect(textOf(await agent.reply("?"))).toBe("Hello.")
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain("was empty")
    expect(rolesOf(agent)).toEqual(["user", "assistant"])
    expect(textOf(await agent.reply("?"))).toBe("Again.")
  })

  test("twice in a row is a typed error, with a schema too", async () => {
    const message = expect.stringContaining("twice in a row") as string
    const error = { code: "malformed_response", retryable: true, message }
    const [plain, structured] = [friday(new ManualModel(says(), thinks)), friday(new ManualModel(thinks, says()))]
    await expect(plain.reply("?")).rejects.toMatchObject(error)
    await expect(structured.reply("?", { schema })).rejects.toMatchObject(error)
    expect([rolesOf(plain), rolesOf(structured)]).toEqual([["user"], ["user"]])
  })

  test("in the last iteration is followed by the closing words", async () => {
    const reply = await friday(new ManualModel(says(), says()), { maxIterations: 1 }).reply("?")
    expect(reply.finishReason).toBe("max_iterations")
    expect(textOf(reply)).not.toBe("")
  })

  test("because the tokens were used up is an error at once", async () => {
    const act: Act = (sink, request) => (
      sink.emit({ type: "thinking_delta", index: 0, text: "Hm" }), ends("length")(sink, request)
    )
    const message = expect.stringContaining("params.maxTokens") as string
    await expect(friday(new ManualModel(act)).reply("?")).rejects.toMatchObject({
      code: "malformed_response",
      retryable: false,
      message,
    })
  })

  test("but shows a picture is an answer", async () => {
    const block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const
    const reply = await friday(new ManualModel(says({ type: "block_end", index: 0, block }))).reply("?")
    expect(reply).toMatchObject({ finishReason: "completed", content: [block] })
  })

  test("while the user added something goes on with that", async () => {
    const model = new ManualModel(
      (sink, request) => (agent.steer("Look again."), ends("refusal")(sink, request)),
      says(...text(0, "Oh.")),
    )
    const agent = friday(model)
    expect(textOf(await agent.reply("?"))).toBe("Oh.")
    expect(rolesOf(agent)).toEqual(["user", "user", "assistant"])
  })
})

describe("with a schema", () => {
  test.each<[string, Act, string]>([
    ["a refusal", refuses("No way"), 'no answer: It refused in these words: "No way". '],
    ["a filtered answer", filters('{"a": "ha'), "SAFETY"],
  ])("%s ends at once, and what was said stays in memory", async (_, act, why) => {
    const model = new ManualModel(act)
    const agent = friday(model)
    const message = expect.stringContaining(why) as string
    await expect(agent.reply("?", { schema })).rejects.toMatchObject({ code: "content_filtered", message })
    expect(model.requests).toHaveLength(1)
    expect(memoryOf(agent)).toMatchObject([{ role: "user" }, { role: "assistant", finishReason: "error" }])
  })

  test("an answer that fits is one, filtered or not", async () => {
    const reply = await friday(new ManualModel(filters('{"a": "b"}'))).reply("?", { schema })
    expect(reply).toMatchObject({ finishReason: "completed", structured: { a: "b" } })
  })
})
