import { type Msg, textOf, toolResult, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test, vi } from "vitest"
import { call, ManualModel, says, stalls, text } from "../fixtures/manual-model.ts"
import { expectValid, gate, idle, memoryOf, rolesOf } from "../fixtures/runs.ts"
import { askExpert, named } from "../fixtures/tools.ts"
import { type Hooks, type InterruptContext, ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const ok = says(...text(0, "ok"))
const hangs = () => named("hang", () => new Promise(() => {}))

/** An agent that keeps what its handleInterrupt was told. */
class Told extends ReActAgent {
  context: InterruptContext | undefined
  protected override async handleInterrupt(context: InterruptContext) {
    this.context = context
    return "Stopped."
  }
}

describe("interrupt", () => {
  test("in the middle of a delta: what was said stays, and the agent answers", async () => {
    const model = new ManualModel(stalls(...text(0, "Once ", "upon a")), ok)
    const agent = new Told({ ...base, model })
    const run = agent.stream("Tell me a story.")
    for await (const event of run) if (event.type === "text_delta" && event.text === "upon a") run.interrupt("Enough.")
    const reply = await run.reply
    expect(reply).toMatchObject({ finishReason: "interrupted", name: "Friday", role: "assistant", pending: [] })
    expect(textOf(reply)).toBe("Stopped.")
    expect(memoryOf(agent).map((msg) => [msg.role, textOf(msg), msg.finishReason])).toEqual([
      ["user", "Tell me a story.", undefined],
      ["assistant", "Once upon a", "interrupted"],
      ["user", "Enough.", undefined],
      ["assistant", "Stopped.", "interrupted"],
    ])
    expect(agent.context).toMatchObject({ by: { role: "user" }, partial: { finishReason: "interrupted" }, closed: [] })
    expect(agent.context?.messages.map((msg) => textOf(msg))).toEqual(["Tell me a story."])
    expect((await agent.reply("Go on.")).finishReason).toBe("completed")
    expectValid(memoryOf(agent))
  })

  test("by default the agent asks what to do", async () => {
    const agent = new ReActAgent({ ...base, model: new ManualModel(stalls()) })
    const reply = agent.reply("x")
    await idle()
    expect(agent.interrupt()).toBe(true)
    expect(textOf(await reply)).toBe("I noticed that you have interrupted me. What can I do for you?")
  })

  test("FR-13 in the middle of tools: results that are there stay, open calls are closed right after their message", async () => {
    const model = new ManualModel(says(...call(0, "t1", "quick"), ...call(1, "t2", "hang")), ok)
    const agent = new Told({ ...base, model, tools: [named("quick", () => "done"), hangs()] })
    const run = agent.stream("go")
    for await (const event of run) if (event.type === "model_end") agent.interrupt()
    expect((await run.reply).finishReason).toBe("interrupted")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ id, state }) => [id, state])).toEqual([
      ["t1", "success"],
      ["t2", "interrupted"],
    ])
    expect(agent.context?.closed.map(({ id }) => id)).toEqual(["t2"])

    // also in another process
    const again = new Told({ ...base, model, tools: [hangs()] })
    again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
    await again.reply("continue")
    expectValid(model.requests[1]!.messages)
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ])
  })

  test("FR-13 a history that was saved in the middle of a round is closed before anything new is said", async () => {
    const during = gate()
    const model = new ManualModel(says(...call(0, "t1", "hang")), ok)
    const hang = named("hang", () => {
      during.resolve()
      return new Promise(() => {})
    })
    const agent = new ReActAgent({ ...base, model, tools: [hang] })
    const broken = agent.reply("go")
    await during.promise
    await idle()
    const saved = JSON.parse(JSON.stringify(agent.stateDict()))
    const again = new ReActAgent({ ...base, model, tools: [hang] })
    again.loadStateDict(saved)
    await again.reply("continue")
    expect(rolesOf(again)).toEqual(["user", "assistant", "tool", "user", "assistant"])
    expect(toolResultsOf(memoryOf(again)[2]!)).toMatchObject([{ id: "t1", state: "interrupted" }])
    agent.interrupt()
    await broken
  })

  test("while the model still writes a call: the call is kept and closed, a tool that ran early keeps its result", async () => {
    const model = new ManualModel(
      stalls(
        ...call(0, "t1", "quick"),
        { type: "tool_use_start", index: 1, id: "t2", name: "write" },
        { type: "tool_use_delta", index: 1, id: "t2", json: '{"path":"a' },
      ),
    )
    const agent = new Told({ ...base, model, tools: [named("quick", () => "done"), named("write", () => "no")] })
    const run = agent.stream("go")
    for await (const event of run) if (event.type === "tool_use_delta" && event.id === "t2") run.interrupt()
    await run.reply
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ id, state }) => [id, state])).toEqual([
      ["t1", "success"],
      ["t2", "interrupted"],
    ])
    expectValid(memoryOf(agent))
  })

  test("between two model calls, from a hook and from a tool", async () => {
    for (const where of ["preReasoning", "postReasoning", "postActing", "tool"]) {
      const model = new ManualModel(says(...call(0, "t1", "work")), ok)
      const stop = () => void agent.interrupt("now")
      const work = named("work", () => (where === "tool" ? stop() : "done"))
      const hooks = where === "tool" ? {} : { [where]: stop }
      const agent: ReActAgent = new Told({ ...base, model, tools: [work], hooks })
      expect((await agent.reply("go")).finishReason).toBe("interrupted")
      expect(model.requests.length).toBe(where === "preReasoning" ? 0 : 1)
      expectValid(memoryOf(agent))
    }
  })

  test("a hook that never answers does not hold the interrupt up", async () => {
    for (const where of ["preReply", "preReasoning", "postReasoning", "preActing", "postActing"]) {
      const during = gate()
      const never = () => {
        during.resolve()
        return new Promise<undefined>(() => {})
      }
      const model = new ManualModel(says(...call(0, "t1", "work")), ok)
      const agent = new Told({ ...base, model, tools: [named("work", () => 1)], hooks: { [where]: never } })
      const reply = agent.reply("go")
      await during.promise
      agent.interrupt()
      expect((await reply).finishReason).toBe("interrupted")
      expectValid(memoryOf(agent))
    }
  })

  test("while the tools are not listed yet: what was said is remembered, and what waits is closed", async () => {
    const toolkit = new Toolkit({ tools: [askExpert] })
    const asks = says(...call(0, "t1", "ask_expert", '{"question":"?"}'))
    const agent = new Told({ ...base, model: new ManualModel(asks), toolkit })
    const [waits] = (await agent.reply("go")).pending
    const never = vi.spyOn(toolkit, "ready").mockImplementation(() => new Promise(() => {}))
    const resumed = agent.resume({ results: [toolResult(waits!.toolUse, "Because.")] })
    await idle()
    expect(agent.interrupt("stop")).toBe(true)
    expect((await resumed).finishReason).toBe("interrupted")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "user", "assistant"])
    const giveUp = new AbortController()
    const reply = agent.reply("and now?", { signal: giveUp.signal })
    await idle()
    giveUp.abort(new RangeError("enough"))
    await expect(reply).rejects.toThrow("enough")
    expect(textOf(memoryOf(agent).at(-1)!)).toBe("and now?")
    expect(never).toHaveBeenCalledTimes(2)
    expectValid(memoryOf(agent))
  })

  test("while it waits for its turn: it is over when its turn comes, and the others are not touched", async () => {
    const agent = new Told({ ...base, model: new ManualModel(ok, ok), whenBusy: "queue" })
    const [first, second, third] = ["one", "two", "three"].map((input) => agent.stream(input))
    expect(second!.interrupt("not that")).toBe(true)
    const reasons = await Promise.all([first, second, third].map(async (run) => (await run!.reply).finishReason))
    expect(reasons).toEqual(["completed", "interrupted", "completed"])
    expect(
      memoryOf(agent)
        .map((msg) => textOf(msg))
        .slice(2, 5),
    ).toEqual(["two", "not that", expect.any(String)])
    expectValid(memoryOf(agent))
  })

  test("an abort while handleInterrupt thinks rejects; a second interrupt is false", async () => {
    class Thinks extends ReActAgent {
      protected override handleInterrupt(): Promise<string> {
        return new Promise(() => {})
      }
    }
    const giveUp = new AbortController()
    const agent = new Thinks({ ...base, model: new ManualModel(stalls(...text(0, "Once"))) })
    const reply = agent.reply("go", { signal: giveUp.signal })
    await idle()
    expect([agent.interrupt("stop"), agent.interrupt()]).toEqual([true, false])
    await idle()
    giveUp.abort(new RangeError("enough"))
    await expect(reply).rejects.toThrow("enough")
    expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["go", "Once", "stop"])
    expectValid(memoryOf(agent))
  })

  test("during a hook after the reply: the answer stays, the interrupt is answered, and nobody waits for the hook", async () => {
    for (const how of ["interrupt", "leave", "abort"]) {
      const during = gate()
      const giveUp = new AbortController()
      const hooks: Hooks = {
        postReply: [
          () => {
            during.resolve()
            return new Promise<undefined>(() => {})
          },
        ],
      }
      const agent = new Told({ ...base, model: new ManualModel(ok, ok), hooks, whenBusy: "queue" })
      const run = agent.stream("go", { signal: giveUp.signal })
      await during.promise
      await idle()
      if (how === "interrupt") expect(agent.interrupt("stop")).toBe(true)
      else if (how === "abort") giveUp.abort(new RangeError("enough"))
      else for await (const event of run) if (event.type === "model_end") break
      if (how === "abort") await expect(run.reply).rejects.toThrow("enough")
      else expect((await run.reply).finishReason).toBe("interrupted")
      const roles = [
        "user",
        "assistant",
        ...(how === "interrupt" ? ["user"] : []),
        ...(how === "abort" ? [] : ["assistant"]),
      ]
      expect(rolesOf(agent)).toEqual(roles)
      agent.clearHooks()
      expect((await agent.reply("again")).finishReason).toBe("completed")
      expectValid(memoryOf(agent))
    }
  })

  test("is false when the agent is idle, when it was interrupted already, and when the answer is settled", async () => {
    using model = new ScriptedModel(["one"])
    const agent = new ReActAgent({
      ...base,
      model,
      hooks: { postReply: ({ agent }) => void late.push(agent.interrupt()) },
    })
    const late: boolean[] = []
    expect(agent.interrupt()).toBe(false)
    const run = agent.stream("x")
    await run.reply
    expect(late).toEqual([false])
    expect(run.interrupt()).toBe(false)
    const stalled = new ReActAgent({ ...base, model: new ManualModel(stalls()) })
    const reply = stalled.reply("x")
    await idle()
    expect([stalled.interrupt(), stalled.interrupt()]).toEqual([true, false])
    await reply
  })

  test("before anything has begun", async () => {
    const agent = new Told({ ...base, model: new ManualModel() })
    const run = agent.stream("x")
    run.interrupt("never mind")
    expect((await run.reply).finishReason).toBe("interrupted")
    expect(rolesOf(agent)).toEqual(["user", "user", "assistant"])
  })

  test("leaving a for await early interrupts, also with the reply in hand", async () => {
    for (const inHand of [true, false]) {
      const model = new ManualModel(stalls(...text(0, "Once")))
      const agent = new ReActAgent({ ...base, model })
      const run = agent.stream("x")
      const reply = inHand ? run.reply : undefined
      for await (const event of run) if (event.type === "text_delta") break
      expect((await (reply ?? run.reply)).finishReason).toBe("interrupted")
      expect(model.requests[0]?.signal?.aborted).toBe(true)
    }
  })

  test("who leaves a for await may ask for the next reply at once", async () => {
    const agent = new ReActAgent({ ...base, model: new ManualModel(stalls(...text(0, "Once")), ok) })
    for await (const event of agent.stream("x")) if (event.type === "text_delta") break
    expect((await agent.reply("again")).finishReason).toBe("completed")
  })

  test("handleInterrupt may answer at once, without a promise", async () => {
    class Brief extends ReActAgent {
      protected override handleInterrupt({ by }: InterruptContext) {
        return by ? `You said: ${textOf(by)}` : "Yes?"
      }
    }
    const agent = new Brief({ name: "Friday", systemPrompt: "Help.", model: new ScriptedModel(["never said"]) })
    const run = agent.stream("go")
    run.interrupt("stop")
    expect(await run.reply).toMatchObject({ finishReason: "interrupted", content: [{ text: "You said: stop" }] })
  })

  test("handleInterrupt may answer with a message, and what it throws rejects the reply", async () => {
    class Custom extends ReActAgent {
      answer: () => Msg = () => userMsg("me")
      protected override async handleInterrupt() {
        return this.answer()
      }
    }
    const agent = new Custom({ ...base, model: new ManualModel(stalls(), stalls()) })
    const first = agent.reply("x")
    await idle()
    agent.interrupt()
    expect(await first).toMatchObject({ role: "user", finishReason: "interrupted" })
    agent.answer = () => {
      throw new RangeError("no words")
    }
    const second = agent.reply("y")
    await idle()
    agent.interrupt()
    await expect(second).rejects.toThrow("no words")
    expectValid(memoryOf(agent))
  })
})
