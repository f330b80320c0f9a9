import { unhandled } from "@agentscope-ts/fixtures"
import { type Msg, textOf, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test, vi } from "vitest"
import { call, ManualModel, says, stalls, text } from "./fixtures/manual-model.ts"
import { eventsOf, expectValid, gate, idle, memoryOf, rolesOf } from "./fixtures/runs.ts"
import { named } from "./fixtures/tools.ts"
import { type Hooks, type InterruptContext, ReActAgent } from "./index.ts"

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

describe("a signal", () => {
  test("FR-12 in the middle of a delta: rejects at once with the signal's reason, and what was said stays", async () => {
    const model = new ManualModel(stalls(...text(0, "Once upon")), ok)
    const agent = new ReActAgent({ ...base, model })
    const controller = new AbortController()
    const reason = new Error("the user has left")
    const run = agent.stream("Tell me a story.", { signal: controller.signal })
    const seen: string[] = []
    await expect(async () => {
      for await (const event of run) {
        seen.push(event.type)
        if (event.type === "text_delta") controller.abort(reason)
      }
    }).rejects.toBe(reason)
    await expect(run.reply).rejects.toBe(reason)
    expect(seen.at(-1)).toBe("error")
    expect(memoryOf(agent).map((msg) => [msg.role, textOf(msg), msg.finishReason])).toEqual([
      ["user", "Tell me a story.", undefined],
      ["assistant", "Once upon", "interrupted"],
    ])
    expect((await agent.reply("again")).finishReason).toBe("completed")
    expectValid(model.requests[1]!.messages)
  })

  test("FR-12 a failure that only the iterator sees, or only the promise, is no unhandled rejection", async () => {
    using watch = unhandled()
    for (const how of ["iterator", "promise", "reply"]) {
      const agent = new ReActAgent({ ...base, model: new ManualModel(stalls(...text(0, "Once"))) })
      const controller = new AbortController()
      const options = { signal: controller.signal }
      const work =
        how === "reply"
          ? agent.reply("x", options)
          : how === "promise"
            ? agent.stream("x", options).reply
            : eventsOf(agent.stream("x", options))
      await idle()
      controller.abort()
      await expect(work).rejects.toMatchObject({ name: "AbortError" })
    }
    await idle()
    expect(watch.errors).toEqual([])
  })

  test("a failure that nobody sees is not lost", async () => {
    using watch = unhandled()
    const failing = () =>
      new ManualModel(() => {
        throw new Error("down")
      })
    new ReActAgent({ ...base, model: failing() }).stream("x")
    void new ReActAgent({ ...base, model: failing() }).stream("x").reply
    await idle()
    expect(watch.errors).toHaveLength(2)
  })

  test("a failure after the consumer has left is not lost either", async () => {
    using watch = unhandled()
    class Failing extends ReActAgent {
      protected override async handleInterrupt(): Promise<string> {
        throw new RangeError("no words")
      }
    }
    const agent = new Failing({ ...base, model: new ManualModel(stalls(...text(0, "Once"))) })
    for await (const event of agent.stream("x")) if (event.type === "text_delta") break
    await vi.waitFor(() => expect(watch.errors).toMatchObject([{ message: "no words" }]))
    // who asks for the reply after leaving is told by it
    const again = new Failing({ ...base, model: new ManualModel(stalls(...text(0, "Once"))) })
    const run = again.stream("x")
    for await (const event of run) if (event.type === "text_delta") break
    await expect(run.reply).rejects.toThrow("no words")
    await new Promise((resolve) => setTimeout(resolve))
    await idle()
    expect(watch.errors).toHaveLength(1)
  })

  test("in the middle of tools: a tool that ignores its signal does not hold it up", async () => {
    const model = new ManualModel(says(...call(0, "t1", "hang")), ok)
    const agent = new ReActAgent({ ...base, model, tools: [hangs()] })
    const controller = new AbortController()
    const reply = agent.reply("go", { signal: controller.signal })
    await idle()
    controller.abort("enough")
    await expect(reply).rejects.toBe("enough")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool"])
    expectValid(memoryOf(agent))
  })

  test("that has aborted already: nothing begins, nothing is remembered", async () => {
    const agent = new ReActAgent({ ...base, model: new ManualModel() })
    await expect(agent.reply("x", { signal: AbortSignal.abort("no") })).rejects.toBe("no")
    expect(memoryOf(agent)).toEqual([])
    await expect(eventsOf(agent.stream("x", { signal: AbortSignal.abort("no") }))).rejects.toBe("no")
  })

  test("aborts an agent that was interrupted and whose handleInterrupt does not come to an end", async () => {
    class Slow extends ReActAgent {
      protected override handleInterrupt(): Promise<string> {
        return new Promise(() => {})
      }
    }
    const agent = new Slow({ ...base, model: new ManualModel(stalls()) })
    const controller = new AbortController()
    const reply = agent.reply("x", { signal: controller.signal })
    await idle()
    agent.interrupt()
    await idle()
    controller.abort("give up")
    await expect(reply).rejects.toBe("give up")
    expect(agent.interrupt()).toBe(false)
  })

  test("tools see an abort, with the reason", async () => {
    const seen = vi.fn()
    const watchful = named("watchful", (_, ctx) => {
      ctx.signal.addEventListener("abort", () => seen(ctx.signal.reason))
      return new Promise(() => {})
    })
    const agent = new ReActAgent({
      ...base,
      model: new ManualModel(says(...call(0, "t1", "watchful"))),
      tools: [watchful],
    })
    const controller = new AbortController()
    const reply = agent.reply("go", { signal: controller.signal })
    await idle()
    controller.abort("stop it")
    await expect(reply).rejects.toBe("stop it")
    expect(seen).toHaveBeenCalledWith("stop it")
  })

  test("FR-11 one long-lived signal over many calls leaves no listener behind and raises no warning", async () => {
    const warnings: unknown[] = []
    const onWarning = (warning: unknown) => warnings.push(warning)
    process.on("warning", onWarning)
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, "addEventListener")
    const removed = vi.spyOn(controller.signal, "removeEventListener")
    const toolUses = Array.from({ length: 50 }, () => ({ name: "wait", input: {} }))
    using model = new ScriptedModel(Array.from({ length: 50 }, (_, i) => (i % 2 ? "ok" : { toolUses })))
    const agent = new ReActAgent({ ...base, model, tools: [named("wait", () => idle())] })
    for (let i = 0; i < 25; i++) {
      await agent.reply("go", { signal: controller.signal })
      expect(removed.mock.calls.length).toBe(added.mock.calls.length)
    }
    await idle()
    process.off("warning", onWarning)
    expect(warnings).toEqual([])
    expect(added.mock.calls.length).toBe(25)
  })
})
