import { unhandled } from "@agentscope-ts/fixtures"
import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test, vi } from "vitest"
import { call, ManualModel, says, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, idle, memoryOf, rolesOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const ok = says(...text(0, "ok"))
const hangs = () => named("hang", () => new Promise(() => {}))

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
