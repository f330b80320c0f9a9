import { unhandled } from "@agentscope-ts/fixtures"
import { assistantMsg, type Msg, textOf, userMsg } from "@agentscope-ts/message"
import { describe, expect, expectTypeOf, test } from "vitest"
import { eventsOf, idle, ofType } from "../fixtures/runs.ts"
import { AgentBase, type RunContext } from "../index.ts"

/** A custom agent: says what it heard, in capitals. */
class Parrot extends AgentBase {
  heard: Msg[] = []
  during: ((context: RunContext) => Promise<void>) | undefined
  protected override async run(messages: readonly Msg[], context: RunContext): Promise<Msg> {
    this.heard.push(...messages)
    await this.during?.(context)
    return assistantMsg(this.heard.map((msg) => textOf(msg).toUpperCase()).join(" "), { name: this.name })
  }
  protected override remember(messages: readonly Msg[]): void {
    this.heard.push(...messages)
  }
}
const parrot = (during?: Parrot["during"], options: Partial<ConstructorParameters<typeof Parrot>[0]> = {}) => {
  const agent = new Parrot({ name: "Polly", ...options })
  agent.during = during
  return agent
}

describe("a custom agent writes run, and has the rest", () => {
  test("its message becomes a reply", async () => {
    const agent = parrot()
    await agent.observe("rain")
    const reply = await agent.reply("and sun")
    expect(textOf(reply)).toBe("RAIN AND SUN")
    expect(reply).toMatchObject({
      finishReason: "completed",
      usage: { inputTokens: 0, outputTokens: 0, timeMs: 0 },
      pending: [],
    })
    expect(agent.pending).toEqual([])
  })

  test("its events have what every event has; usage is summed", async () => {
    const agent = parrot(async (run) => {
      run.emit({ type: "text_delta", msgId: "m1", index: 0, text: "…" })
      run.addUsage({ inputTokens: 1, outputTokens: 2, timeMs: 3 })
      run.addUsage({ inputTokens: 1, outputTokens: 2, timeMs: 3 })
    })
    const events = await eventsOf(agent.stream("x"))
    expect(events.map(({ type }) => type)).toEqual(["reply_start", "text_delta", "reply_end"])
    expect(events[1]).toEqual({
      type: "text_delta",
      msgId: "m1",
      index: 0,
      text: "…",
      replyId: events[0]?.replyId,
      agent: "Polly",
      path: [],
      seq: 1,
    })
    expect(ofType(events, "reply_end")[0]?.reply.usage).toEqual({ inputTokens: 2, outputTokens: 4, timeMs: 6 })
  })

  test("it gets the options, and what was steered", async () => {
    const steered: string[] = []
    let options: unknown
    const agent = parrot(async (run) => {
      options = run.options
      await idle()
      steered.push(...run.takeSteered().map((msg) => textOf(msg)), ...run.takeSteered().map((msg) => textOf(msg)))
    })
    const run = agent.stream("x", { context: [] })
    run.steer("left")
    agent.steer(userMsg("right"))
    await run.reply
    expect(steered).toEqual(["left", "right"])
    expect(options).toEqual({ context: [] })
  })

  test("what was steered in and not taken is remembered", async () => {
    const agent = parrot()
    const run = agent.stream("x")
    run.steer("too late")
    await run.reply
    expect(agent.heard.map((msg) => textOf(msg))).toEqual(["x", "too late"])
  })

  test("answers to pending calls are refused when it has none, and reach it when it has", async () => {
    class Waits extends Parrot {
      override get pending() {
        const toolUse = { type: "tool_use", id: "c1", name: "x", input: {} } as const
        return [{ toolUse, kind: "external", digest: "d" } as const]
      }
    }
    const results = [{ type: "tool_result", id: "c1", name: "x", output: [], state: "success" } as const]
    await expect(parrot().resume({ results })).rejects.toMatchObject({ code: "unknown_pending" })
    const agent = new Waits({ name: "Polly" })
    let got: unknown
    agent.during = async (run) => {
      got = run.resume
    }
    await agent.resume({ results })
    expect(got).toEqual({ results })
  })

  test("an interrupt is answered at once, also when run does not look at its signal; what it does later is ignored", async () => {
    using watch = unhandled()
    const late = Promise.withResolvers<void>()
    const printed: string[] = []
    const agent = parrot(
      async (run) => {
        await late.promise
        run.emit({ type: "warning", code: "late", message: "too late" })
        throw new Error("too late")
      },
      { print: ({ type }) => void printed.push(type) },
    )
    const run = agent.stream("x")
    const events = eventsOf(run)
    await idle()
    run.interrupt("stop")
    const reply = await run.reply
    expect(reply.finishReason).toBe("interrupted")
    expect(agent.heard.map((msg) => textOf(msg))).toEqual(["x", "stop", textOf(reply)])
    late.resolve()
    expect((await events).map(({ type }) => type)).toEqual(["reply_start", "reply_end"])
    expect(printed).toEqual(["reply_start", "reply_end"])
    await idle()
    expect(watch.errors).toEqual([])
  })

  test("a signal rejects with its reason, and run sees it", async () => {
    let seen: unknown
    const agent = parrot(
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            seen = signal.reason
          })
        }),
    )
    const controller = new AbortController()
    const reply = agent.reply("x", { signal: controller.signal })
    await idle()
    controller.abort("gone")
    await expect(reply).rejects.toBe("gone")
    expect(seen).toBe("gone")
  })

  test("what run throws rejects the reply; a finishReason that it sets stays", async () => {
    const agent = parrot(async () => {
      throw new RangeError("no")
    })
    await expect(agent.reply("x")).rejects.toThrow("no")
    class Tired extends AgentBase {
      protected override async run(): Promise<Msg> {
        return { ...assistantMsg("enough"), finishReason: "max_iterations" }
      }
    }
    expect((await new Tired({ name: "T" }).reply()).finishReason).toBe("max_iterations")
  })
})

describe("a name, print and whenBusy", () => {
  test.each([
    [{ name: "" }, /name must be/],
    [{ name: 5 }, /name must be/],
    [{ name: "x", print: "yes" }, /print must be a boolean or a function/],
    [{ name: "x", whenBusy: "wait" }, /whenBusy must be "throw" or "queue"/],
  ])("%j is refused", (options, message) => {
    expect(() => new Parrot(options as never)).toThrow(message)
  })

  test("ids differ", () => {
    expect(parrot().id).not.toBe(parrot().id)
    expectTypeOf(parrot().id).toBeString()
  })
})
