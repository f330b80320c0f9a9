import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test } from "vitest"
import {
  AgentScopeError,
  assistantMsg,
  type Msg,
  importMessages,
  systemMsg,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "../index.ts"

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown
const only = (value: unknown): Msg => {
  const messages = importMessages(value)
  expect(messages).toHaveLength(1)
  return messages[0] as Msg
}
/** A message as `Msg.to_dict()` of 1.0 writes it. */
const one = (role: string, content: unknown, more: object = {}) => ({
  id: "m1",
  name: role,
  role,
  content,
  metadata: {},
  timestamp: "2025-11-05 10:20:30.456",
  ...more,
})
/** A message as 2.x writes it. */
const two = (role: string, content: unknown, more: object = {}) => ({
  id: "r1",
  name: "Friday",
  role,
  content,
  metadata: {},
  created_at: "2026-02-03T04:05:06.789000+00:00",
  finished_at: "2026-02-03T04:05:08.000000+00:00",
  ...more,
})
const block2 = (fields: object) => ({ id: "b1", created_at: "2026-02-03T04:05:06", finished_at: null, ...fields })
const blockOf = (block: unknown, role = "assistant") => only(one(role, [block])).content[0]

describe("our own messages", () => {
  const call = { type: "tool_use", id: "c1", name: "look", input: { at: "sky" }, rawInput: "x" } as const
  const opaque = { provider: "p", data: { signature: "s" } }
  const own: Msg[] = [
    systemMsg("Be brief."),
    userMsg([{ type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" }, name: "a" }]),
    {
      ...assistantMsg([
        { type: "thinking", thinking: "hm", opaque },
        { ...call, opaque },
      ]),
      usage: { inputTokens: 1, outputTokens: 2, timeMs: 3 },
      finishReason: "completed",
      structured: { a: 1 },
    },
    toolResultMsg([toolResult(call, { seen: "stars" }, { state: "denied" })]),
  ]

  test("pass unchanged, alone, in a list and in a saved memory", () => {
    expect(importMessages(own)).toEqual(own)
    expect(importMessages(own)[0]).toBe(own[0])
    expect(only(own[2])).toBe(own[2])
    expect(importMessages(json({ agent: { memory: { content: own } } }))).toEqual(own)
  })

  test("what was imported passes unchanged when it is imported again", () => {
    const imported = importMessages([
      one("user", "hi"),
      one("assistant", [{ type: "tool_use", id: "c", name: "t", input: {}, raw_input: "{oops" }]),
      one("system", [{ type: "tool_result", id: "c", name: "t", output: null }]),
    ])
    const again = importMessages(json(imported))
    expect(again).toEqual(imported)
  })
})

describe("AgentScope Python 1.0", () => {
  test("a string is one text block, null none; local time becomes UTC; empty metadata goes", () => {
    expect(only(one("user", "hi", { name: "Ann" }))).toEqual({
      id: "m1",
      name: "Ann",
      role: "user",
      content: [{ type: "text", text: "hi" }],
      timestamp: new Date(2025, 10, 5, 10, 20, 30, 456).toISOString(),
    })
    expect(only(one("user", null)).content).toEqual([])
    expect(only(one("user", "", { metadata: null })).content).toEqual([{ type: "text", text: "" }])
    expect(only(one("assistant", "a", { metadata: { city: "Bonn" } })).metadata).toEqual({ city: "Bonn" })
  })

  test("an absent id and time are made", () => {
    const msg = only({ name: "a", role: "user", content: "hi" })
    expect(msg.id).toMatch(/^[\w-]{16}$/)
    expect(Math.abs(Date.parse(msg.timestamp) - Date.now())).toBeLessThan(5000)
  })

  test.each([
    [
      { type: "text", text: "a" },
      { type: "text", text: "a" },
    ],
    [
      { type: "thinking", thinking: "hm" },
      { type: "thinking", thinking: "hm" },
    ],
    [
      { type: "thinking", thinking: "hm", signature: "EqQB" },
      { type: "thinking", thinking: "hm", opaque: { provider: "anthropic", data: { signature: "EqQB" } } },
    ],
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" } },
    ],
    [
      { type: "audio", source: { type: "url", url: "/tmp/a.wav" } },
      { type: "audio", source: { type: "url", url: "/tmp/a.wav" } },
    ],
    [
      { type: "video", source: { type: "url", url: "https://a/b.mp4", media_type: "video/mp4" } },
      { type: "video", source: { type: "url", url: "https://a/b.mp4", mediaType: "video/mp4" } },
    ],
    [
      { type: "tool_use", id: "c", name: "t", input: { a: 1 }, raw_input: '{"a": 1}' },
      { type: "tool_use", id: "c", name: "t", input: { a: 1 } },
    ],
    [
      { type: "tool_use", id: "c", name: "t", input: {}, raw_input: "" },
      { type: "tool_use", id: "c", name: "t", input: {} },
    ],
    [
      { type: "tool_use", id: "c", name: "t", input: {}, raw_input: '{"a": ' },
      { type: "tool_use", id: "c", name: "t", input: {}, rawInput: '{"a": ' },
    ],
    [
      { type: "tool_use", id: "c", name: "t", input: { a: 1 }, thought_signature: "c2ln" },
      {
        type: "tool_use",
        id: "c",
        name: "t",
        input: { a: 1 },
        opaque: { provider: "gemini", data: { thoughtSignature: "c2ln" } },
      },
    ],
  ])("%j becomes %j", (block, expected) => {
    expect(blockOf(block)).toEqual(expected)
  })

  test("a tool result, which travels in a system message, becomes a tool message", () => {
    const result = { type: "tool_result", id: "c", name: "t", output: "blue" }
    expect(only(one("system", [result]))).toEqual({
      id: "m1",
      name: "tool",
      role: "tool",
      content: [
        { type: "tool_result", id: "c", name: "t", output: [{ type: "text", text: "blue" }], state: "success" },
      ],
      timestamp: expect.any(String),
    })
    const source = { type: "base64", media_type: "audio/wav", data: "aGk=" }
    const blocks = {
      ...result,
      output: [
        { type: "text", text: "a" },
        { type: "audio", source },
      ],
    }
    expect(blockOf(blocks, "system")).toMatchObject({
      output: [
        { type: "text", text: "a" },
        { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "aGk=" } },
      ],
    })
    expect(blockOf({ ...result, output: null }, "system")).toMatchObject({ output: [], state: "success" })
  })

  test("text beside a tool result stays a system message of its own", () => {
    const result = { type: "tool_result", id: "c", name: "t", output: "blue" }
    const messages = importMessages(one("system", [{ type: "text", text: "note" }, result]))
    expect(messages.map(({ id, role, name }) => [id, role, name])).toEqual([
      ["m1", "system", "system"],
      ["m1-2", "tool", "tool"],
    ])
  })

  const memory = (content: unknown, more: object = {}) => ({ content, ...more })
  const list = [one("user", "a", { id: "1" }), one("assistant", "b", { id: "2" }), one("user", "c", { id: "3" })]

  test("the state of a memory and a saved session are read, also nested ones", () => {
    for (const saved of [
      memory(list),
      { agent: { name: "F", memory: memory(list), toolkit: { active_groups: [] } } },
    ]) {
      expect(importMessages(json(saved)).map((msg) => textOf(msg))).toEqual(["a", "b", "c"])
    }
    expect(importMessages({ agent: { memory: memory([]) } })).toEqual([])
  })

  test("several memories follow each other, each message once", () => {
    const second = [list[2], one("user", "d", { id: "4" })]
    const session = { alice: { memory: memory(list) }, bob: { memory: memory(second) }, user: {} }
    expect(importMessages(session).map(({ id }) => id)).toEqual(["1", "2", "3", "4"])
  })

  test("marks: hints are left out, and what a summary stands for gives way to it", () => {
    const marked = [
      [list[0], ["compressed"]],
      [list[1], []],
      [list[2], ["hint"]],
    ]
    expect(importMessages(memory(marked, { _compressed_summary: "" })).map((msg) => textOf(msg))).toEqual(["a", "b"])
    const summarised = importMessages(memory(marked, { _compressed_summary: "They said a." }))
    expect(summarised.map((msg) => [msg.role, textOf(msg)])).toEqual([
      ["user", "They said a."],
      ["assistant", "b"],
    ])
  })
})

describe("AgentScope Python 2.x", () => {
  const text = (value: string) => block2({ type: "text", text: value })
  const call = (id: string, input: unknown = '{"at": "sky"}') =>
    block2({ type: "tool_call", id, name: "look", input, state: "finished", suggested_rules: [] })
  const result = (id: string, output: unknown, state = "success") =>
    block2({ type: "tool_result", id, name: "look", output, state, metadata: {} })

  test("a reply, which is one message, is split where calls, results and hints change sides", () => {
    const reply = two(
      "assistant",
      [
        block2({ type: "thinking", thinking: "hm" }),
        call("c1"),
        call("c2"),
        result("c1", "blue"),
        result("c2", [text("stars")], "error"),
        block2({ type: "hint", hint: "Be quick.", source: "system" }),
        text("The sky is blue."),
      ],
      {
        finished_reason: "completed",
        usage: { input_tokens: 10, output_tokens: 20, cache_input_tokens: 4, cache_creation_input_tokens: 1 },
        structured_output: { colour: "blue" },
        metadata: { kept: true },
      },
    )
    const timestamp = "2026-02-03T04:05:06.789Z"
    expect(importMessages(json(reply))).toEqual([
      {
        id: "r1",
        name: "Friday",
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "c1", name: "look", input: { at: "sky" } },
          { type: "tool_use", id: "c2", name: "look", input: { at: "sky" } },
        ],
        timestamp,
      },
      {
        id: "r1-2",
        name: "tool",
        role: "tool",
        content: [
          { type: "tool_result", id: "c1", name: "look", output: [{ type: "text", text: "blue" }], state: "success" },
          { type: "tool_result", id: "c2", name: "look", output: [{ type: "text", text: "stars" }], state: "error" },
        ],
        timestamp,
      },
      { id: "r1-3", name: "user", role: "user", content: [{ type: "text", text: "Be quick." }], timestamp },
      {
        id: "r1-4",
        name: "Friday",
        role: "assistant",
        content: [{ type: "text", text: "The sky is blue." }],
        timestamp,
        metadata: { kept: true },
        structured: { colour: "blue" },
        finishReason: "completed",
        usage: { inputTokens: 10, outputTokens: 20, cachedInputTokens: 4, cacheWriteTokens: 1, timeMs: 1211 },
      },
    ])
  })

  test.each([
    ["completed", "completed"],
    ["interrupted", "interrupted"],
    ["exceed_max_iters", "max_iterations"],
    ["error", "error"],
    [null, undefined],
    ["toString", undefined],
  ])("a reply that ended with %s has the finish reason %s", (finished_reason, expected) => {
    expect(only(two("assistant", [text("a")], { finished_reason })).finishReason).toBe(expected)
  })

  test("an error of a reply is kept", () => {
    const error = { type: "ValueError", message: "no" }
    expect(only(two("assistant", [], { finished_reason: "error", error })).metadata).toEqual({ error })
  })

  test.each([
    ['{"a": [1, null]}', { input: { a: [1, null] } }],
    ["", { input: {} }],
    ["  ", { input: {} }],
    ["[1]", { input: {}, rawInput: "[1]" }],
    ['{"a": ', { input: {}, rawInput: '{"a": ' }],
  ])("arguments %j are parsed", (input, expected) => {
    expect(toolUsesOf(only(two("assistant", [call("c1", input)])))).toEqual([
      { type: "tool_use", id: "c1", name: "look", ...expected },
    ])
  })

  test.each(["success", "error", "interrupted", "denied"])("a result's state %s is kept", (state) => {
    expect(only(two("assistant", [result("c1", "x", state)])).content).toMatchObject([{ state }])
  })

  test("a result that was being made is interrupted, and its metadata is kept", () => {
    const running = { ...result("c1", [], "running"), metadata: { diff: "-a" } }
    expect(only(two("assistant", [running])).content).toMatchObject([
      { state: "interrupted", metadata: { diff: "-a" } },
    ])
  })

  test.each([
    ["image/png", "image"],
    ["audio/wav", "audio"],
    ["video/mp4", "video"],
    ["application/pdf", "file"],
  ])("data of %s becomes a block of type %s", (media_type, type) => {
    const base64 = block2({ type: "data", source: { type: "base64", media_type, data: "aGk=" }, name: "n" })
    expect(only(two("user", [base64])).content).toEqual([
      { type, source: { type: "base64", mediaType: media_type, data: "aGk=" }, name: "n" },
    ])
    const url = block2({ type: "data", source: { type: "url", media_type, url: "https://a/b" }, name: null })
    expect(only(two("user", [url])).content).toEqual([
      { type, source: { type: "url", mediaType: media_type, url: "https://a/b" } },
    ])
  })

  test("a hint of blocks becomes a user message with them", () => {
    const source = { type: "url", url: "https://a/b.png", media_type: "image/png" }
    const hint = block2({ type: "hint", hint: [text("see"), block2({ type: "data", source })] })
    expect(only(two("assistant", [hint]))).toMatchObject({
      role: "user",
      content: [{ type: "text", text: "see" }, { type: "image" }],
    })
  })

  test("an agent's state is read: its context, after its summary", () => {
    const state = { session_id: "s", summary: "Before.", context: [two("user", [text("hi")])], tool_context: {} }
    expect(importMessages(json(state)).map((msg) => textOf(msg))).toEqual(["Before.", "hi"])
    expect(importMessages({ ...state, summary: "" }).map((msg) => textOf(msg))).toEqual(["hi"])
    expect(importMessages({ agents: { a: { state } } }).map((msg) => textOf(msg))).toEqual(["Before.", "hi"])
  })
})

const bad = { type: "hologram", beam: 1 }
test.each<[string, unknown, string]>([
  [
    "an unknown block",
    [one("user", "a"), one("user", [{ type: "text", text: "a" }, bad])],
    'messages[1].content[1] has the unknown type "hologram"',
  ],
  ["an unknown block alone", one("user", [bad]), 'message.content[0] has the unknown type "hologram"'],
  [
    "one in a result",
    one("system", [{ type: "tool_result", id: "c", name: "t", output: [bad] }]),
    "message.content[0].output[0] has the unknown type",
  ],
  [
    "a call in a result",
    one("system", [
      { type: "tool_result", id: "c", name: "t", output: [{ type: "tool_use", id: "d", name: "t", input: {} }] },
    ]),
    'output[0] of type "tool_use" cannot stand',
  ],
  ["one in a hint", two("assistant", [{ type: "hint", hint: [bad] }]), "message.content[0].hint.output[0]"],
  [
    "one in a memory",
    { agent: { memory: { content: [one("user", [bad])] } } },
    "agent.memory.content[0].content[0] has the unknown type",
  ],
  ["a block that is none", one("user", ["a"]), "message.content[0] is no content block"],
  ["a block without text", one("user", [{ type: "text" }]), 'message.content[0] has no text in "text"'],
  ["a call without id", one("assistant", [{ type: "tool_use", name: "t", input: {} }]), 'no text in "id"'],
  ["media without source", one("user", [{ type: "image", url: "a" }]), 'has no "source"'],
  ["media with another source", one("user", [{ type: "image", source: { type: "ftp" } }]), "neither base64"],
  ["base64 without a type", one("user", [{ type: "image", source: { type: "base64", data: "a" } }]), "neither base64"],
  [
    "an unknown state",
    one("system", [{ type: "tool_result", id: "c", name: "t", output: "", state: "odd" }]),
    'unknown state "odd"',
  ],
  [
    "an output that is none",
    one("system", [{ type: "tool_result", id: "c", name: "t", output: 5 }]),
    '"output" that is neither',
  ],
  ["a hint that is none", two("assistant", [{ type: "hint", hint: 5 }]), '"hint" that is neither'],
  ["an unknown role", one("bot", "a"), 'message has the role "bot"'],
  ["no content", { role: "user", name: "a" }, "message has a content that is neither"],
  ["a time that is none", one("user", "a", { timestamp: "soon" }), 'timestamp "soon"'],
  ["a list of something else", [one("user", "a"), "b"], "messages[1] is no message"],
  ["a memory of something else", { content: [5] }, "content[0] is no message"],
  ["an object without messages", { agent: { name: "x" } }, "holds no messages; it has: agent"],
  ["an empty object", {}, "it has: nothing"],
  ["text", "[]", "Parse text with JSON.parse first"],
  ["nothing", undefined, "neither a message, a list of messages, nor a saved session"],
])("%s is refused, naming its place", (_name, value, message) => {
  let caught: unknown
  try {
    importMessages(value)
  } catch (error) {
    caught = error
  }
  expect(AgentScopeError.is(caught, "invalid_message")).toBe(true)
  expect((caught as Error).message).toContain(message)
})

const corpus = process.env["AGENTSCOPE_CORPUS"] ?? resolve(import.meta.dirname, "../../../../../shared")
const dir = resolve(corpus, "vectors/formatters")
if (!existsSync(dir)) console.log("skipped: the formatter vectors are not there (AGENTSCOPE_CORPUS)")

describe.skipIf(!existsSync(dir))("the messages of the reference's formatter tests", () => {
  test("become one message each, in our form", () => {
    let count = 0
    for (const file of readdirSync(dir).filter((name) => name.endsWith(".json"))) {
      const vectors = JSON.parse(readFileSync(resolve(dir, file), "utf8")) as { messages: unknown[] }[]
      for (const { messages } of vectors) {
        const imported = importMessages(messages)
        expect(imported).toHaveLength(messages.length)
        expect(importMessages(json(imported))).toEqual(imported)
        count += imported.length
      }
    }
    expect(count).toBeGreaterThan(100)
  })
})
