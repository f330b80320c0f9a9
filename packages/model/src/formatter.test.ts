import { assistantMsg, type Msg, systemMsg, textOf, toolResult, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { agentScope } from "@agentscope-ts/tracing"
import { describe, expect, test } from "vitest"
import { PlainFormatter } from "./fixtures/fake-model.ts"
import { recordSpans } from "./fixtures/record-spans.ts"
import { Formatter } from "./formatter.ts"
import type { TokenCounter } from "./token-counter.ts"

/** A token a message. */
const counter: TokenCounter = { count: (messages) => Promise.resolve(messages.length) }
const call = (id: string) => ({ type: "tool_use", id, name: "t", input: {} }) as const
const calls = (...ids: string[]) => assistantMsg(ids.map(call))
const results = (...ids: string[]) => toolResultMsg(ids.map((id) => toolResult(call(id), "ok")))
const kept = async (messages: readonly Msg[], maxTokens: number) => {
  const wire = await new PlainFormatter({ tokenCounter: counter, maxTokens }).format(messages)
  return wire.map((msg) => textOf(msg) || msg.role)
}

describe("truncation", () => {
  test("leaves out the oldest messages after the system message until the rest fits", async () => {
    const history = [systemMsg("s"), userMsg("1"), assistantMsg("2"), userMsg("3")]
    expect(await kept(history, 4)).toEqual(["s", "1", "2", "3"])
    expect(await kept(history, 2)).toEqual(["s", "3"])
    expect(await kept(history.slice(1), 1)).toEqual(["3"])
  })

  test("goes on to the next message of a user's, for neither an answer nor a call may come first", async () => {
    const history = [userMsg("1"), assistantMsg("2"), userMsg("3"), calls("a"), results("a"), assistantMsg("6")]
    expect(await kept(history, 5)).toEqual(["3", "assistant", "tool", "6"])
    expect(await kept([systemMsg("s"), ...history], 6)).toEqual(["s", "3", "assistant", "tool", "6"])
    // none is left: what fits is better than nothing
    expect(await kept(history, 3)).toEqual(["assistant", "tool", "6"])
    expect(await kept(history, 2)).toEqual(["6"])
    // what fits is as it was, however it begins
    expect(await kept(history.slice(1), 5)).toHaveLength(5)
  })

  test("goes on to whatever its formatter takes first", async () => {
    class Talk extends PlainFormatter {
      override mayBegin({ role, content }: Msg): boolean {
        return role !== "tool" && content.every(({ type }) => type !== "tool_use")
      }
    }
    const formatter = new Talk({ tokenCounter: counter, maxTokens: 3 })
    const wire = await formatter.format([userMsg("1"), calls("a"), results("a"), assistantMsg("4"), userMsg("5")])
    expect(wire.map((msg) => textOf(msg))).toEqual(["4", "5"])
  })

  test("never between a call and its results", async () => {
    const history = [userMsg("1"), calls("a", "b"), results("a"), results("b"), assistantMsg("5"), userMsg("6")]
    expect(await kept(history, 5)).toEqual(["6"])
    expect(await kept(history.slice(0, -1), 4)).toEqual(["assistant", "tool", "tool", "5"])
    expect(await kept(history.slice(0, -1), 2)).toEqual(["5"])
  })

  test("that would leave nothing is a context overflow", async () => {
    await expect(kept([systemMsg("s"), userMsg("1")], 1)).rejects.toMatchObject({ code: "context_overflow" })
    await expect(kept([systemMsg("s")], 0)).rejects.toMatchObject({ code: "context_overflow" })
  })

  test("of a history with an open call is an error that names it", async () => {
    await expect(kept([userMsg("1"), calls("a"), userMsg("2")], 2)).resolves.toHaveLength(2)
    await expect(kept([calls("a"), userMsg("2")], 1)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("tool calls a have no result"),
    })
  })

  test("needs its counter and its limit together", () => {
    expect(() => new PlainFormatter({ maxTokens: 10 })).toThrow(/belong together/)
    expect(() => new PlainFormatter({ tokenCounter: counter })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    )
  })
})

test("messages can be formatted one by one when the formatter knows how, and nothing is left out", () => {
  class Single extends PlainFormatter {
    override formatMessage(msg: Msg): readonly Msg[] {
      return [msg]
    }
  }
  expect(new PlainFormatter().incremental).toBe(false)
  expect(new Single().incremental).toBe(true)
  expect(new Single({ maxTokens: 9, tokenCounter: counter }).incremental).toBe(false)
})

test("a span tells of the format when somebody records, and of its failure", async () => {
  class Acme extends Formatter<string> {
    override readonly provider = "acme"
    protected override formatAll(messages: readonly Msg[]): string[] {
      return messages.map((msg) => {
        if (textOf(msg) === "bad") throw new TypeError("cannot say that")
        return textOf(msg)
      })
    }
  }
  using recording = await recordSpans()
  expect(await new Acme().format([userMsg("a"), userMsg("b")])).toEqual(["a", "b"])
  await expect(new Acme().format([userMsg("bad")])).rejects.toThrow("cannot say that")
  const [good, bad] = recording.spans()
  expect(good?.name).toBe("format acme")
  expect(good?.attributes).toMatchObject({ [agentScope.formatTarget]: "acme", [agentScope.formatCount]: 2 })
  expect(bad?.events[0]?.name).toBe("exception")
})
