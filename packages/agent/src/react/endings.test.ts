import { foldEvent, type Msg, textOf, toolResultsOf } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { eventsOf, expectValid, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { add, askExpert, refundTool } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const adding = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }

describe("the events of a reply", () => {
  test("come in order, each with the reply, the agent, its path and a number that grows by one", async () => {
    using model = new ScriptedModel([{ text: "Well.", ...adding, usage: { inputTokens: 1, outputTokens: 1 } }, "3"])
    const run = new ReActAgent({ ...base, model, tools: [add] }).stream("1 + 2?")
    const events = await eventsOf(run)
    const withoutDeltas = events.map(({ type }) => type).filter((type) => !type.endsWith("_delta"))
    expect(withoutDeltas).toEqual([
      "reply_start",
      "message", // what was asked
      "model_start",
      "block_end", // "Well."
      "tool_use_start",
      "block_end", // the call
      "tool_execution_start", // at once, the model has not ended yet
      "tool_result",
      "model_end",
      "message", // the model's
      "message", // the results
      "model_start",
      "block_end",
      "model_end",
      "message",
      "reply_end",
    ])
    const [first] = events
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
    expect(new Set(events.map(({ replyId, agent, path }) => `${replyId} ${agent} ${path.join()}`))).toEqual(
      new Set([`${first?.replyId} Friday `]),
    )
    expect(ofType(events, "model_start").map(({ iteration, model }) => [iteration, model])).toEqual([
      [1, "scripted"],
      [2, "scripted"],
    ])
    expect(ofType(events, "model_end")[0]).toMatchObject({ stopReason: "tool_use", usage: { inputTokens: 1 } })
  })

  test("deltas carry the id of the message that they become", async () => {
    using model = new ScriptedModel([{ thinking: "Hm, let me think.", text: "Hello there, my friend." }])
    const agent = new ReActAgent({ ...base, model })
    const events = await eventsOf(agent.stream("Hi"))
    const [start] = ofType(events, "model_start")
    const texts = ofType(events, "text_delta")
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.map(({ text }) => text).join("")).toBe("Hello there, my friend.")
    expect(new Set(texts.map(({ msgId }) => msgId))).toEqual(new Set([start?.msgId]))
    expect(memoryOf(agent)[1]?.id).toBe(start?.msgId)
    expect(ofType(events, "reply_end")[0]?.reply.id).toBe(start?.msgId)
    expect(
      ofType(events, "thinking_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe("Hm, let me think.")
  })

  test("an answer that was not streamed gives the same kinds of events", async () => {
    const steps = [{ thinking: "Hm.", text: "Well.", ...adding }, "3"]
    const kinds = []
    for (const streaming of [true, false]) {
      using model = new ScriptedModel(steps)
      const events = await eventsOf(new ReActAgent({ ...base, model, tools: [add], streaming }).stream("?"))
      kinds.push(new Set(events.map(({ type }) => type)))
    }
    expect(kinds[1]).toEqual(kinds[0])
  })

  test("every message that enters memory is told, in order", async () => {
    using model = new ScriptedModel([adding, "3"])
    const agent = new ReActAgent({ ...base, model, tools: [add] })
    const events = await eventsOf(agent.stream("1 + 2?"))
    expect(ofType(events, "message").map(({ msg }) => msg)).toEqual(memoryOf(agent))
    expect(events.reduce(foldEvent, [] as readonly Msg[])).toEqual(memoryOf(agent))
  })

  test("are not made when nobody listens", async () => {
    using model = new ScriptedModel(["Hello!"])
    const stream = model.stream.bind(model)
    const listens: boolean[] = []
    model.stream = (request: ChatRequest) => {
      const made = stream(request)
      const drive = made.drive.bind(made)
      made.drive = (sink) => {
        listens.push("onDelta" in sink)
        return drive(sink)
      }
      return made
    }
    await new ReActAgent({ ...base, model }).reply("Hi")
    expect(listens).toEqual([false])
  })
})

describe("the endings", () => {
  test("max_iterations: the model sums up without tools, and its calls do not run", async () => {
    using model = new ScriptedModel([adding, adding, { text: "So far: 3.", ...adding }])
    const agent = new ReActAgent({ ...base, model, tools: [add], maxIterations: 2 })
    const reply = await agent.reply("Count.")
    expect(reply.finishReason).toBe("max_iterations")
    expect(textOf(reply)).toBe("So far: 3.")
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, "none"])
    expect(textOf(model.requests[2]!.messages.at(-1)!)).toContain("all 2 iterations")
    // the hint was for that request alone
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"])
    expectValid(memoryOf(agent))
  })

  test("max_iterations: a model that says nothing then is spoken for", async () => {
    using model = new ScriptedModel([adding, adding])
    const reply = await new ReActAgent({ ...base, model, tools: [add], maxIterations: 1 }).reply("Count.")
    expect(reply.finishReason).toBe("max_iterations")
    expect(textOf(reply)).toBe("I have stopped after 1 iterations without finishing.")
  })

  test("tool_suspended and approval_required: the reply is the message with the calls; approval wins", async () => {
    const ask = { name: "ask_expert", input: { question: "Why?" } }
    for (const [toolUses, reason] of [
      [[ask], "tool_suspended"],
      [[ask, { name: "refund", input: { amount: 1 } }], "approval_required"],
    ] as const) {
      using model = new ScriptedModel([{ text: "One moment.", toolUses }])
      const agent = new ReActAgent({ ...base, model, tools: [askExpert, refundTool().refund] })
      const events = await eventsOf(agent.stream("?"))
      const reply = ofType(events, "reply_end")[0]?.reply
      expect(reply?.finishReason).toBe(reason)
      expect(textOf(reply!)).toBe("One moment.")
      expect(reply?.pending.map(({ toolUse }) => toolUse.name)).toEqual(toolUses.map(({ name }) => name))
      expect(ofType(events, "pending").map(({ pending }) => pending)).toEqual(reply?.pending)
      expect(ofType(events, "tool_result")).toEqual([])
      expect(agent.pending).toEqual(reply?.pending)
    }
  })

  test.each(["length", "content_filter", "refusal"] as const)(
    "an answer that ends by %s is an answer, with a warning",
    async (stopReason) => {
      using model = new ScriptedModel([{ text: "Once upon", stopReason }])
      const events = await eventsOf(new ReActAgent({ ...base, model }).stream("?"))
      expect(ofType(events, "warning")).toMatchObject([{ code: stopReason }])
      expect(ofType(events, "reply_end")[0]?.reply.finishReason).toBe("completed")
    },
  )

  test("FR-08 a tool call that cannot be read is asked for again, with an explanation", async () => {
    using model = new ScriptedModel([{ stopReason: "malformed_tool_call" }, adding, "3"])
    const agent = new ReActAgent({ ...base, model, tools: [add] })
    expect(textOf(await agent.reply("1 + 2?"))).toBe("3")
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain("could not be read")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
  })

  test("FR-08 a model that only sends calls that cannot be read is given up with a typed error", async () => {
    const broken = () => ({ stopReason: "malformed_tool_call" as const })
    using model = new ScriptedModel([broken(), broken(), broken()])
    const agent = new ReActAgent({ ...base, model, tools: [add] })
    await expect(agent.reply("?")).rejects.toMatchObject({ code: "malformed_response", retryable: true })
    expect(rolesOf(agent)).toEqual(["user"])
  })

  test("results are seen in the results' order also when every kind of state is among them", async () => {
    using model = new ScriptedModel([
      {
        toolUses: [
          { name: "add", input: { a: 1, b: 1 } },
          { name: "nope", input: {} },
          { name: "refund", input: { amount: 9 } },
        ],
      },
      "ok",
    ])
    const agent = new ReActAgent({ ...base, model, tools: [add, refundTool().refund], approval: { deny: ["refund"] } })
    await agent.reply("?")
    expect(
      memoryOf(agent)
        .flatMap(toolResultsOf)
        .map(({ state }) => state),
    ).toEqual(["success", "error", "denied"])
  })
})
