import type { AgentEvent, JsonObject, ToolResultState, ToolUseBlock } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { paper } from "./fixtures/paper.ts"
import { Screen } from "./screen.ts"

type Init = { type: AgentEvent["type"]; [field: string]: unknown }
const event = (init: Init) =>
  ({ replyId: "r", agent: "Friday", path: [], seq: 0, msgId: "m", ...init }) as unknown as AgentEvent
const text = (delta: string) => event({ type: "text_delta", index: 0, text: delta })
const use = (id: string, input: JsonObject = {}): ToolUseBlock => ({ type: "tool_use", id, name: id, input })
const started = (toolUse: ToolUseBlock) => event({ type: "tool_execution_start", toolUse })
const ended = (toolUse: ToolUseBlock, said: string, state: ToolResultState = "success") =>
  event({
    type: "tool_result",
    toolUse,
    result: { type: "tool_result", id: toolUse.id, name: toolUse.name, output: [{ type: "text", text: said }], state },
  })
const pending = (toolUse: ToolUseBlock) => ({ toolUse, kind: "approval", digest: "d" }) as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("the screen", () => {
  it("sets text, thinking and tools apart by empty lines", () => {
    const page = paper()
    const screen = new Screen(page, page)
    const a = use("a")
    for (const next of [
      event({ type: "thinking_delta", index: 0, text: "hmm" }),
      text("First "),
      text("words"),
      started(a),
      ended(a, "found"),
      text("Last"),
    ])
      screen.show(next)
    screen.end()
    expect(page.text).toBe("hmm\n\nFirst words\n\n● a\n  │ found\n\nLast\n")
  })

  it("shows thinking dim on a terminal with colours", () => {
    const page = paper({ colours: true })
    new Screen(page, page).show(event({ type: "thinking_delta", index: 0, text: "hmm" }))
    expect(page.text).toBe("\u001b[2mhmm\u001b[22m")
  })

  it("puts results of calls that ran side by side under their own calls", () => {
    const page = paper()
    const screen = new Screen(page, page)
    const [a, b] = [use("a"), use("b")]
    for (const next of [started(a), started(b), ended(b, "second"), ended(a, "first")]) screen.show(next)
    expect(page.text).toBe("● b\n  │ second\n● a\n  │ first\n")
  })

  it("shows a call that takes long before its result", () => {
    const page = paper()
    const screen = new Screen(page, page)
    screen.show(started(use("slow")))
    expect(page.text).toBe("")
    vi.advanceTimersByTime(100)
    expect(page.text).toBe("● slow\n")
    screen.show(ended(use("slow"), "done"))
    expect(page.text).toBe("● slow\n  │ done\n")
  })

  it("shows a call that waited once it was decided, as it runs", () => {
    const page = paper()
    const screen = new Screen(page, page)
    const a = use("a", { command: "first" })
    screen.show(started(a))
    screen.show(event({ type: "pending", pending: pending(a) }))
    vi.advanceTimersByTime(100)
    expect(page.text).toBe("")
    screen.decided(pending(a), { toolUseId: "a", digest: "d", decision: "approve", input: { command: "second" } })
    screen.show(started(a))
    expect(page.text).toBe("● a  second\n")
    screen.show(ended(a, "ok"))
    expect(page.text).toBe("● a  second\n  │ ok\n")
  })

  it("keeps answer and activity apart when they go to two places", () => {
    const [answer, activity] = [paper(), paper()]
    const screen = new Screen(answer, activity)
    for (const next of [text("Looking."), started(use("a")), ended(use("a"), "x"), text("Found.")]) screen.show(next)
    screen.end()
    expect(answer.text).toBe("Looking.\n\nFound.\n")
    expect(activity.text).toBe("● a\n  │ x\n")
  })

  it("says what nobody streamed, and notes retries and warnings", () => {
    const page = paper({ columns: 80 })
    const screen = new Screen(page, page)
    screen.show(
      event({
        type: "retry",
        attempt: 1,
        delayMs: 1500,
        error: { code: "network", message: "No network.", retryable: true },
      }),
    )
    screen.show(event({ type: "warning", code: "x", message: "Careful." }))
    const reply = (finishReason: string, id: string) =>
      event({
        type: "reply_end",
        reply: { id, finishReason, pending: [], content: [{ type: "text", text: "Stopped here." }] },
      })
    screen.show(reply("interrupted", "other"))
    screen.show(text("streamed"))
    screen.show(reply("completed", "m"))
    screen.end()
    expect(page.text).toBe("Trying again in 1.5 s: No network.\nCareful.\nStopped here.\n\nstreamed\n")
  })

  it("leaves no timer behind at the end of a turn", () => {
    const page = paper()
    const screen = new Screen(page, page)
    screen.show(started(use("a")))
    screen.end()
    expect(vi.getTimerCount()).toBe(0)
  })
})
