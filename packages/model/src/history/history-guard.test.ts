import {
  assistantMsg,
  createMsg,
  type Msg,
  systemMsg,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { Dialect } from "./dialect.ts"
import { guardHistory, HistoryGuard } from "./history-guard.ts"
import { validateHistory } from "./validate-history.ts"

const anthropic: Dialect = { provider: "anthropic", toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ }, thinking: "signed" }
const openai: Dialect = { provider: "openai", toolCallId: { pattern: /^\S+$/, maxLength: 64 } }
const mistral: Dialect = { provider: "mistral", toolCallId: { pattern: /^[a-zA-Z0-9]{9}$/ } }
const call = (id: string, name = "bash", input = {}): ToolUseBlock => ({ type: "tool_use", id, name, input })
const result = (id: string, text = "ok", state: ToolResultBlock["state"] = "success") =>
  toolResult(call(id), text, { state })
const calls = (...ids: string[]) => assistantMsg(ids.map((id) => call(id)))
const results = (...ids: string[]) => toolResultMsg(ids.map((id) => result(id)))

/** The history in short: roles, and ids of calls and results. */
const shape = (messages: readonly Msg[]): string[] =>
  messages.map((msg) => {
    const ids = [...toolUsesOf(msg), ...toolResultsOf(msg)].map((block) =>
      block.type === "tool_result" && block.state === "interrupted" ? `${block.id}!` : block.id,
    )
    return [msg.role, ...ids].join(" ")
  })

describe("calls and results", () => {
  test("a good history is passed on as it is, message by message", () => {
    const history = [systemMsg("s"), userMsg("u"), calls("a", "b"), results("a", "b"), assistantMsg("done")]
    const guarded = guardHistory(history, openai)
    expect(guarded).toEqual(history)
    expect(guarded.every((msg, i) => msg === history[i])).toBe(true)
  })

  test("FR-13 a call left open by an interruption is closed right after its turn, and what had come is kept", () => {
    const interrupted = [userMsg("u"), calls("t1", "t2"), results("t1")]
    expect(shape(guardHistory(interrupted, anthropic))).toEqual(["user", "assistant t1 t2", "tool t1 t2!"])
    const later = [...interrupted, userMsg("continue")]
    expect(shape(guardHistory(later, anthropic))).toEqual(["user", "assistant t1 t2", "tool t1 t2!", "user"])
    const reloaded = JSON.parse(JSON.stringify(later)) as Msg[]
    expect(guardHistory(reloaded, anthropic)).toEqual(guardHistory(later, anthropic))
    expect(validateHistory(guardHistory(later, anthropic), anthropic)).toEqual([])
    expect(validateHistory(later, anthropic)).not.toEqual([])
  })

  test("FR-15 of two results for one id the first counts, the second is reported and left out", () => {
    const warnings: string[] = []
    const history = [
      userMsg("u"),
      calls("toolu_1"),
      toolResultMsg([result("toolu_1", "failed", "error"), result("toolu_1", "ok")]),
      toolResultMsg([result("toolu_1", "replayed")]),
    ]
    const guarded = guardHistory(history, anthropic, (code, message) => warnings.push(`${code}: ${message}`))
    expect(guarded.flatMap(toolResultsOf)).toEqual([result("toolu_1", "failed", "error")])
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/^duplicate_tool_result: .*bash.*toolu_1/)
  })

  test("a warning is given once, not with every call of a growing history", () => {
    const warnings: string[] = []
    const guard = new HistoryGuard(openai)
    const history = [userMsg("u"), calls("a"), results("a"), results("a")]
    for (const more of [[], [userMsg("v")], [assistantMsg("w")]]) {
      history.push(...more)
      guard.guard(history, (code) => warnings.push(code))
    }
    expect(warnings).toEqual(["duplicate_tool_result"])
  })

  test("a result that comes after other messages is moved to its call", () => {
    const history = [userMsg("u"), calls("a"), userMsg("still there?"), results("a"), assistantMsg("done")]
    expect(shape(guardHistory(history, openai))).toEqual(["user", "assistant a", "tool a", "user", "assistant"])
  })

  test("results without a call are left out and reported", () => {
    const warnings: string[] = []
    const history = [userMsg("u"), results("ghost"), calls("a"), results("a", "other")]
    const guarded = guardHistory(history, openai, (code) => warnings.push(code))
    expect(shape(guarded)).toEqual(["user", "assistant a", "tool a"])
    expect(warnings).toEqual(["orphan_tool_result", "orphan_tool_result"])
  })

  test("results spread over messages, and out of order, come together in call order", () => {
    const history = [userMsg("u"), calls("a", "b", "c"), results("c"), results("a"), results("b")]
    const guarded = guardHistory(history, openai)
    expect(shape(guarded)).toEqual(["user", "assistant a b c", "tool a b c"])
    expect(guarded[2]?.id).toBe(history[2]?.id)
  })

  test("a suspended result holds the place until the real one comes", () => {
    const history = [userMsg("u"), calls("a"), toolResultMsg([result("a", "waiting", "suspended")]), results("a")]
    expect(guardHistory(history, openai).flatMap(toolResultsOf)).toEqual([result("a")])
  })

  test("an id that a provider used again stays apart from its first use, with its own result", () => {
    const history = [
      userMsg("u"),
      calls("call_0"),
      toolResultMsg([result("call_0", "first")]),
      calls("call_0"),
      toolResultMsg([result("call_0", "second")]),
    ]
    const guarded = guardHistory(history, openai)
    const [first, second] = guarded.flatMap(toolResultsOf)
    expect(first).toEqual(result("call_0", "first"))
    expect(second?.id).not.toBe("call_0")
    expect(second?.output).toEqual([{ type: "text", text: "second" }])
    expect(validateHistory(guarded, openai)).toEqual([])
  })

  test("one id twice in one message is two calls with their results in order", () => {
    const history = [userMsg("u"), calls("x", "x"), toolResultMsg([result("x", "1"), result("x", "2")])]
    const guarded = guardHistory(history, openai)
    expect(guarded.flatMap(toolResultsOf).map(({ output }) => output)).toEqual([
      result("x", "1").output,
      result("x", "2").output,
    ])
    expect(validateHistory(guarded, openai)).toEqual([])
  })

  test("results in a user's message go to their calls, and what else it says stays", () => {
    const mixed = { ...userMsg("and this?"), content: [result("a"), { type: "text", text: "and this?" } as const] }
    expect(shape(guardHistory([userMsg("u"), calls("a"), mixed], openai))).toEqual([
      "user",
      "assistant a",
      "tool a",
      "user",
    ])
  })

  test("results in the message of their calls, as other frameworks keep them, come after it", () => {
    const whole = assistantMsg([call("a"), { type: "text", text: "done" }])
    const kept: Msg = { ...whole, content: [call("a"), result("a"), { type: "text", text: "done" }] }
    expect(
      guardHistory([userMsg("u"), kept], openai)
        .map(({ content }) => content)
        .slice(1),
    ).toEqual([whole.content, [result("a")]])
  })

  test("text in a tool message is said by the user", () => {
    const odd: Msg = { ...results("a"), content: [result("a"), { type: "text", text: "note" }] }
    const guarded = guardHistory([userMsg("u"), calls("a"), odd], openai)
    expect(shape(guarded)).toEqual(["user", "assistant a", "tool a", "user"])
    expect(validateHistory(guarded, openai)).toEqual([])
  })
})

describe("ids and names", () => {
  const long = (end: string) => `call_${"a".repeat(80)}|fc_${end}`

  test.each<[string, Dialect, string]>([
    ["a dot and a colon", anthropic, "functions.Bash:0"],
    ["ninety characters", openai, long("1")],
    ["a short rule", mistral, "call_abc"],
    ["nothing", openai, ""],
    ["blanks", openai, "call 1"],
    ["half a character", openai, "call_\ud83d"],
  ])("FR-22 an id with %s is mapped, the same for call and result, and the same each time", (_, dialect, id) => {
    const history = [userMsg("u"), calls(id), results(id)]
    const guarded = guardHistory(history, dialect)
    const [use] = guarded.flatMap(toolUsesOf)
    expect(use?.id).not.toBe(id)
    expect(guarded.flatMap(toolResultsOf)[0]?.id).toBe(use?.id)
    expect(validateHistory(guarded, dialect)).toEqual([])
    expect(guardHistory(structuredClone(history), dialect)).toEqual(guarded)
  })

  test("FR-22 ids that fit stay untouched", () => {
    for (const [dialect, id] of [
      [anthropic, "toolu_01A-b"],
      [openai, "functions.Bash:0"],
      [openai, "x".repeat(64)],
      [mistral, "aB3dE6gH9"],
    ] as const) {
      expect(guardHistory([calls(id)], dialect).flatMap(toolUsesOf)[0]?.id).toBe(id)
    }
  })

  test("FR-22 long ids that begin alike stay distinct", () => {
    const ids = Array.from({ length: 200 }, (_, i) => long(String(i)))
    for (const dialect of [openai, mistral]) {
      const guarded = guardHistory([calls(...ids)], dialect)
      expect(new Set(guarded.flatMap(toolUsesOf).map(({ id }) => id)).size).toBe(200)
      expect(validateHistory(guarded, dialect)).toEqual([])
    }
  })

  test("a made-up id gives way to nothing: a later real id that equals it is mapped in turn", () => {
    const made = guardHistory([calls("a b")], openai).flatMap(toolUsesOf)[0]?.id ?? ""
    const guarded = guardHistory([calls("a b"), calls(made)], openai)
    const ids = guarded.flatMap(toolUsesOf).map(({ id }) => id)
    expect(ids[0]).toBe(made)
    expect(ids[1]).not.toBe(made)
  })

  test("names of tools that the dialect does not take are mapped, for call and result alike", () => {
    const dialect = { ...openai, toolName: /^[a-zA-Z0-9_-]{1,64}$/ }
    const use = call("a", "files.read text")
    const guarded = guardHistory([assistantMsg([use]), toolResultMsg([toolResult(use, "ok")])], dialect)
    const name = guarded.flatMap(toolUsesOf)[0]?.name ?? ""
    expect(name).toMatch(/^files_read_text_\w+$/)
    expect(guarded.flatMap(toolResultsOf)[0]?.name).toBe(name)
  })
})

describe("what an assistant's message ends in", () => {
  const strict: Dialect = { ...anthropic, toolUses: "last", trailingBlanks: false }
  const say = (text: string) => ({ type: "text", text }) as const

  test("FR-14 what is said after a tool call goes before the calls, in its order", () => {
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const
    const signed = {
      type: "thinking",
      thinking: "And now b",
      opaque: { provider: "anthropic", data: { signature: "EqQB" } },
    } as const
    const mixed = assistantMsg([say("a"), call("t1"), signed, say("b"), call("t2"), image, say("c")])
    const history = [userMsg("u"), mixed, results("t1", "t2")]
    expect(validateHistory(history, strict)).not.toEqual([])
    const guarded = guardHistory(history, strict)
    expect(guarded[1]?.content).toEqual([say("a"), signed, say("b"), image, say("c"), call("t1"), call("t2")])
    expect(shape(guarded)).toEqual(["user", "assistant t1 t2", "tool t1 t2"])
    expect(validateHistory(guarded, strict)).toEqual([])
    // a provider that takes them anywhere gets them as they were
    expect(guardHistory(history, anthropic)[1]).toBe(mixed)
  })

  test("FR-14 thinking that nothing follows goes before the calls as well", () => {
    const signed = { type: "thinking", thinking: "", opaque: { provider: "anthropic", data: "EqQB" } } as const
    const guarded = guardHistory([assistantMsg([call("t1"), signed])], strict)
    expect(guarded[0]?.content).toEqual([signed, call("t1")])
  })

  test("FR-23 a blank text beside a call is dropped, the call stays, and no message is left empty", () => {
    const history = [userMsg("u"), assistantMsg([say("\n"), call("t1")]), results("t1"), assistantMsg(" \n")]
    const guarded = guardHistory(history, strict)
    expect(guarded.map(({ content }) => content.length)).toEqual([1, 1, 1])
    expect(guarded[1]?.content).toEqual([call("t1")])
  })

  test("FR-23 the white space that ends a last assistant's text is trimmed, and only there", () => {
    const history = [userMsg("u "), assistantMsg([say("first "), say("done \n")])]
    const guard = new HistoryGuard(strict)
    expect(validateHistory(history, strict)).not.toEqual([])
    const trimmed = guard.guard(history)
    expect(trimmed[0]).toBe(history[0])
    expect(trimmed[1]?.content).toEqual([say("first "), say("done")])
    expect(guard.guard(history)[1]).toBe(trimmed[1])
    expect(validateHistory(trimmed, strict)).toEqual([])
    // it is no longer the last: it goes out as it was said
    expect(guard.guard([...history, userMsg("go on")])[1]).toBe(history[1])
    expect(guardHistory(history, anthropic)[1]).toBe(history[1])
  })
})

describe("what is left out", () => {
  test("arguments that did not parse go back as {} and never as the bad text", () => {
    const broken: ToolUseBlock = { ...call("a", "bash", {}), rawInput: '{"command": "rm' }
    const [use] = guardHistory([assistantMsg([broken])], openai).flatMap(toolUsesOf)
    expect(use).toEqual(call("a"))
  })

  test("opaque data goes back to its provider byte for byte, and to nobody else", () => {
    const signed = { type: "thinking", thinking: "I \ud83d", opaque: { provider: "anthropic", data: "EqQB" } } as const
    const use = { ...call("a"), opaque: { provider: "anthropic", data: { x: 1 } } }
    const msg = assistantMsg([signed, use])
    const [own] = guardHistory([msg, results("a")], anthropic)
    expect(own?.content).toEqual([signed, use])
    expect(own?.content[0]).toBe(signed)
    const [foreign] = guardHistory([msg, results("a")], openai)
    expect(foreign?.content).toEqual([call("a")])
    const [unknown] = guardHistory([msg, results("a")])
    expect(unknown?.content[0]).toBe(signed)
  })

  test("foreign data is left out of every kind of block, and of results", () => {
    const foreign = { provider: "gemini", data: { thoughtSignature: "c2ln" } }
    const own = { provider: "anthropic", data: { signature: "EqQB" } }
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const
    const text = { type: "text", text: "hello" } as const
    const said = (opaque: typeof foreign | typeof own) =>
      assistantMsg([
        // something of the provider's own: nothing to read, and it has its place
        { type: "thinking", thinking: "", opaque },
        { type: "thinking", thinking: "hm", opaque },
        { ...text, opaque },
        { type: "text", text: "", opaque },
        { ...image, opaque },
        { ...call("t1"), opaque },
      ])
    const answered = toolResultMsg([{ ...result("t1"), output: [{ ...text, opaque: foreign }] }])
    const kept = said(own)
    expect(guardHistory([kept, results("t1")], anthropic)[0]).toBe(kept)
    const guarded = guardHistory([said(foreign), answered], anthropic)
    expect(guarded[0]?.content).toEqual([text, image, call("t1")])
    expect(guarded[1]?.content).toEqual([{ ...result("t1"), output: [text] }])
    expect(validateHistory(guarded, anthropic)).toEqual([])
  })

  test("thinking goes back by the dialect's rule", () => {
    const plain = { type: "thinking", thinking: "Hm" } as const
    const signed = { type: "thinking", thinking: "", opaque: { provider: "p", data: "s" } } as const
    const msg = assistantMsg([plain, signed, { type: "text", text: "So" }])
    const kept = (thinking?: Dialect["thinking"]) =>
      guardHistory([msg], { provider: "p", ...(thinking && { thinking }) })[0]?.content.length
    expect([kept(), kept("any"), kept("signed"), kept("none")]).toEqual([3, 3, 2, 1])
  })

  test("blank texts and messages that have nothing left are dropped", () => {
    const history = [
      systemMsg(" "),
      userMsg("u"),
      assistantMsg([{ type: "text", text: "\n" }, call("a")]),
      toolResultMsg([result("a", " ")]),
      assistantMsg(""),
      assistantMsg([]),
    ]
    const guarded = guardHistory(history, anthropic)
    expect(shape(guarded)).toEqual(["user", "assistant a", "tool a"])
    expect(guarded[1]?.content).toEqual([call("a")])
    expect(guarded[2]?.content).toMatchObject([{ id: "a", output: [] }])
  })

  test("FR-26 half characters are made whole everywhere in what goes out", () => {
    const cut = `${"x".repeat(99)}😀`.slice(0, 100)
    const whole = `${"x".repeat(99)}\ufffd`
    const use = call("a", "bash", { [cut]: [cut, { deep: cut }] })
    const history = [
      systemMsg(cut),
      userMsg(
        [
          { type: "text", text: cut },
          { type: "file", source: { type: "url", url: cut }, name: cut },
        ],
        { name: cut },
      ),
      assistantMsg([{ type: "thinking", thinking: cut }, use]),
      toolResultMsg([result("a", cut)]),
    ]
    const guarded = guardHistory(history, openai)
    expect(JSON.stringify(guarded)).not.toMatch(/\\ud[89a-f]/)
    expect(JSON.stringify(guarded).split(whole)).toHaveLength(11)
    expect(validateHistory(guarded, openai)).toEqual([])
    expect(validateHistory(history, openai).map(({ index }) => index)).toEqual([0, 1, 1, 1, 2, 2, 3])
  })

  test("blocks that a role cannot hold are left out", () => {
    const odd = { ...userMsg("u"), content: [call("a"), { type: "text", text: "u" } as const] }
    expect(guardHistory([odd], openai)[0]?.content).toEqual([{ type: "text", text: "u" }])
    const image = { type: "image", source: { type: "url", url: "https://x.example/i.png" } } as const
    const system = { ...createMsg({ name: "s", role: "system", content: "s" }), content: [image] }
    expect(guardHistory([system], openai)).toEqual([])
  })
})

describe("a history that grows", () => {
  test("the unchanged beginning stays the same objects in a new array", () => {
    const guard = new HistoryGuard(anthropic)
    const history = [userMsg("u\ud83d"), calls("a:b"), results("a:b")]
    const first = guard.guard(history)
    history.push(assistantMsg("ok"), userMsg("more"))
    const second = guard.guard(history)
    expect(second).not.toBe(first)
    expect(first).toHaveLength(3)
    expect(first.every((msg, i) => msg === second[i])).toBe(true)
  })

  test("a synthetic result gives way when the real one comes", () => {
    const guard = new HistoryGuard(openai)
    const history = [userMsg("u"), calls("a"), userMsg("v")]
    expect(shape(guard.guard(history))).toEqual(["user", "assistant a", "tool a!", "user"])
    expect(shape(guard.guard([...history, results("a")]))).toEqual(["user", "assistant a", "tool a", "user"])
  })

  test("a suspended result gives way as well, and a final one does not", () => {
    const guard = new HistoryGuard(openai)
    const waiting = [userMsg("u"), calls("a"), toolResultMsg([result("a", "waiting", "suspended")])]
    expect(guard.guard(waiting).flatMap(toolResultsOf)[0]?.state).toBe("suspended")
    const answered = [...waiting, results("a")]
    expect(guard.guard(answered).flatMap(toolResultsOf)).toEqual([result("a")])
    expect(guard.guard([...answered, toolResultMsg([result("a", "late")])]).flatMap(toolResultsOf)).toEqual([
      result("a"),
    ])
  })

  test("a history that changed in its middle, or got shorter, is looked at anew", () => {
    const guard = new HistoryGuard(openai)
    const history = [userMsg("u"), calls("a"), results("a"), userMsg("v")]
    guard.guard(history)
    const compacted = [userMsg("summary"), ...history.slice(3)]
    expect(guard.guard(compacted)).toEqual(compacted)
    expect(guard.guard(history)).toEqual(history)
    expect(guard.guard([])).toEqual([])
  })

  test("after that it grows again as before", () => {
    const guard = new HistoryGuard(anthropic)
    guard.guard([userMsg("old"), userMsg("older")])
    const first = guard.guard([userMsg("new"), calls("a:b")])
    const history = [userMsg("x"), calls("a:b"), results("a:b")]
    const again = guard.guard(history)
    const grown = guard.guard([...history, userMsg("y")])
    expect(first).toHaveLength(3)
    expect(again.every((msg, i) => msg === grown[i])).toBe(true)
  })

  test("of a beginning that is known nothing is read again", () => {
    const guard = new HistoryGuard(openai)
    const history = [userMsg("u"), calls("a"), results("a")]
    let reads = 0
    const watched = history.map(
      (msg) =>
        new Proxy(msg, {
          get: (target, key) => {
            reads++
            return Reflect.get(target, key)
          },
        }),
    )
    guard.guard(watched)
    reads = 0
    guard.guard([...watched, userMsg("v")])
    expect(reads).toBe(0)
  })
})
