import { unhandled } from "@agentscope-ts/fixtures"
import { type ToolResultBlock, textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import type { AnyTool, ToolContext } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { eventsOf, expectValid, idle, memoryOf, ofType } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "../index.ts"

type Execute = (input: unknown, ctx: ToolContext) => unknown
const never = () => new Promise(() => {})
/** Rejects as soon as it is told to stop, and again later. */
const stops: Execute = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
  })
/** No promise, and yet awaited as one. */
class Lazy {
  // oxlint-disable-next-line unicorn/no-thenable
  then(_: unknown, reject: (error: unknown) => void): void {
    reject("lazy")
  }
}
const circular: Record<string, unknown> = { name: "round" }
circular["self"] = circular

/** What a tool may do that is not nice, the state of its result, and what the model reads. */
const tools: Readonly<
  Record<string, { readonly run: Execute; readonly state: ToolResultBlock["state"]; readonly says?: RegExp }>
> = {
  returns: { run: () => "fine", state: "success", says: /^fine$/ },
  throws: {
    run: () => {
      throw new Error("broken")
    },
    state: "error",
    says: /broken/,
  },
  throws_text: {
    run: () => {
      throw "just a text"
    },
    state: "error",
    says: /just a text/,
  },
  throws_null: {
    run: () => {
      throw null
    },
    state: "error",
    says: /./,
  },
  throws_undefined: {
    run: () => {
      throw undefined
    },
    state: "error",
    says: /./,
  },
  throws_frozen: {
    run: () => {
      throw Object.freeze(new TypeError("ice"))
    },
    state: "error",
    says: /ice/,
  },
  throws_proxy: {
    run: () => {
      throw new Proxy(
        {},
        {
          get: () => {
            throw new Error("do not touch")
          },
        },
      )
    },
    state: "error",
    says: /./,
  },
  rejects: { run: () => Promise.reject(new Error("later")), state: "error", says: /later/ },
  rejects_undefined: { run: () => Promise.reject(undefined), state: "error", says: /./ },
  returns_undefined: { run: () => undefined, state: "success" },
  returns_circular: { run: () => circular, state: "success" },
  returns_bigint: { run: () => ({ big: 12345678901234567890n }), state: "success", says: /12345678901234567890/ },
  returns_much: { run: () => "x".repeat(10_000_000), state: "success", says: /^x/ },
  returns_symbol: { run: () => Symbol("odd"), state: "success" },
  returns_lazily: { run: () => new Lazy(), state: "error", says: /lazy/ },
  throws_midway: {
    run: async function* () {
      yield "some output"
      await idle()
      throw new Error("midway")
    },
    state: "error",
    says: /midway/,
  },
  throws_in_thread: {
    run: function* () {
      yield "some output"
      throw "midway, too"
    },
    state: "error",
    says: /midway, too/,
  },
  hangs: { run: never, state: "error", says: /./ },
  hangs_deaf: { run: () => new Promise((resolve) => setTimeout(resolve, 400, "too late")), state: "error", says: /./ },
  is_cancelled: { run: stops, state: "error", says: /./ },
  hangs_midway: {
    run: async function* () {
      yield "so far"
      await never()
    },
    state: "error",
    says: /./,
  },
}
const names = Object.keys(tools)
const made: readonly AnyTool[] = Object.entries(tools).map(([name, { run }]) =>
  named(name, run, /hang|cancel/.test(name) ? { timeoutMs: 40 } : {}),
)
const resultsOf = (agent: ReActAgent) => memoryOf(agent).flatMap(toolResultsOf)

/** Every tenth, so that each group has some of each kind; and all of them at once. */
const groups = [
  [
    "returns",
    "throws",
    "throws_text",
    "returns_undefined",
    "hangs",
    "is_cancelled",
    "throws_null",
    "rejects_undefined",
    "hangs_deaf",
    "throws_midway",
  ],
  names.slice(0, 10),
  names.slice(-10),
  names.toReversed(),
]
const options: Readonly<Record<string, Partial<ReActOptions>>> = {
  "side by side": {},
  "one after the other": { parallelToolCalls: false },
  "not streamed": { streaming: false },
  "with hooks": { hooks: { preActing: () => {}, postActing: () => {} } },
}

describe.each(Object.entries(options))("tools that fail in every way, %s", (_, option) => {
  test.each(groups.map((group) => [group.length, group.join(" ")] as const))(
    "%d results in order: %s",
    async (count, list) => {
      using watch = unhandled()
      const group = list.split(" ")
      using model = new ScriptedModel([{ toolUses: group.map((name) => ({ name, input: {} })) }, "Done."])
      const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: made, ...option })
      const events = await eventsOf(agent.stream("go"))
      const results = resultsOf(agent)
      expect(results).toHaveLength(count)
      expect(results.map(({ name }) => name)).toEqual(group)
      for (const result of results) {
        const { state, says } = tools[result.name]!
        expect([result.name, result.state]).toEqual([result.name, state])
        if (says) expect(textOf(result)).toMatch(says)
        expect(textOf(result).length).toBeLessThan(200_000)
      }
      expect(ofType(events, "tool_result")).toHaveLength(count)
      expect(events.at(-1)?.type).toBe("reply_end")
      expectValid(memoryOf(agent))
      expect(() => JSON.stringify(agent.stateDict())).not.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(watch.errors).toEqual([])
    },
  )
})

test.each(["interrupt", "abort"])(
  "ten tools of which some hang for ever, ended by %s: ten results in order",
  async (how) => {
    using watch = unhandled()
    const group = [
      "returns",
      "throws",
      "throws_text",
      "returns_undefined",
      "hangs",
      "is_cancelled",
      "hangs_midway",
      "hangs_deaf",
      "throws_midway",
      "rejects",
    ]
    // without a time limit
    const own = group.map((name) => named(name, tools[name]!.run))
    using model = new ScriptedModel([{ toolUses: group.map((name) => ({ name, input: {} })) }])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: own })
    const controller = new AbortController()
    const reply = agent.reply("go", { signal: controller.signal })
    for (let i = 0; i < 20; i++) await idle()
    if (how === "interrupt") agent.interrupt()
    else controller.abort("enough")
    if (how === "interrupt") expect((await reply).finishReason).toBe("interrupted")
    else await expect(reply).rejects.toBe("enough")
    expect(resultsOf(agent).map(({ name, state }) => [name, state])).toEqual(
      group.map((name) => [name, /hang|cancel/.test(name) ? "interrupted" : tools[name]!.state]),
    )
    expectValid(memoryOf(agent))
    await idle()
    expect(watch.errors).toEqual([])
  },
)
