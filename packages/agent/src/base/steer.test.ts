import { textOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { call, ManualModel, says, text } from "../fixtures/manual-model.ts"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const ok = says(...text(0, "ok"))

test("a steered message joins before the next model call", async () => {
  const model = new ManualModel(says(...call(0, "t1", "work")), ok)
  const work = named("work", () => agent.steer("Skip the closed ones."))
  const agent: ReActAgent = new ReActAgent({ ...base, model, tools: [work] })
  await agent.reply("Summarise.")
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe("Skip the closed ones.")
})

test("one that comes while the model gives what would have been its answer: it is answered before the reply ends", async () => {
  const model = new ManualModel(
    (sink) => {
      for (const delta of text(0, "Done.")) sink.emit(delta)
      agent.steer(userMsg("In French, please."))
      sink.finish({ stopReason: "stop" })
    },
    says(...text(0, "Fini.")),
  )
  const agent: ReActAgent = new ReActAgent({ ...base, model })
  expect(textOf(await agent.reply("Work."))).toBe("Fini.")
  expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["Work.", "Done.", "In French, please.", "Fini."])
  expect(memoryOf(agent)[1]?.finishReason).toBeUndefined()
})

test("it is remembered also where the reply fails, as is what was observed; the next reply sees both", async () => {
  const model = new ManualModel(async (sink) => {
    for (const delta of text(0, "Well")) sink.emit(delta)
    agent.steer("Hurry.")
    await agent.observe("It rains.")
    throw new Error("down")
  }, ok)
  const agent: ReActAgent = new ReActAgent({ ...base, model })
  await expect(agent.reply("Work.")).rejects.toThrow("down")
  expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["Work.", "Well", "It rains.", "Hurry."])
  await agent.reply()
  expectValid(model.requests[1]!.messages)
})

test("steering is false when there is nothing to steer", async () => {
  using model = new ScriptedModel(["ok"])
  const agent = new ReActAgent({ ...base, model })
  expect(agent.steer("x")).toBe(false)
  const run = agent.stream("go")
  await run.reply
  expect(run.steer("x")).toBe(false)
})

test("what is no message is refused, and the reply goes on", async () => {
  const wrong = { role: "bogus", content: [] } as never
  const refused = expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining("bogus") })
  const model = new ManualModel((sink) => {
    expect(() => agent.steer(wrong)).toThrow(refused)
    expect(() => agent.interrupt(wrong)).toThrow(refused)
    for (const delta of text(0, "Done.")) sink.emit(delta)
    sink.finish({ stopReason: "stop" })
  })
  const agent: ReActAgent = new ReActAgent({ ...base, model })
  expect(textOf(await agent.reply("Work."))).toBe("Done.")
})
