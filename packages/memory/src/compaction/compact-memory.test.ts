import {
  assistantMsg,
  importMessages,
  type Msg,
  textOf,
  toolResult,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { InMemoryMemory, Memory, SqliteLongTermMemory, compactMemory, type CompactionTerms } from "../index.ts"

const notes = (said: string) =>
  JSON.stringify({
    task_overview: said,
    current_state: "",
    important_discoveries: "",
    next_steps: "Go on.",
    context_to_preserve: "",
  })
const terms = (model: ScriptedModel, more: Partial<CompactionTerms> = {}): CompactionTerms => ({
  triggerTokens: 200,
  keepRecent: 2,
  overheadTokens: 0,
  models: [model],
  spill: undefined,
  agent: undefined,
  ...more,
})
const long = (count: number, words = 20): Msg[] =>
  Array.from({ length: count }, (_, i) => (i % 2 ? assistantMsg : userMsg)(`${i} ${"word ".repeat(words)}`))
function remembering(messages: readonly Msg[]): InMemoryMemory {
  const memory = new InMemoryMemory()
  memory.add(messages)
  return memory
}

test("the older part of a memory becomes a summary; marks of what stays, stay", async () => {
  using model = new ScriptedModel([notes("A long talk.")])
  const memory = remembering(long(10))
  const last = memory.get().at(-1) as Msg
  memory.updateMarks("pinned", { ids: last.id })
  const done = await compactMemory(memory, terms(model))
  expect(memory.get()[0]).toBe(done?.summary)
  expect(textOf(memory.get()[0] as Msg)).toMatch(
    /^<summary>[^]*## Task\nA long talk\.\n## Next\nGo on\.[^]*<\/summary>$/,
  )
  expect(done).toMatchObject({ removed: 8, cutResults: 0 })
  expect(memory.marksOf(last.id)).toEqual(["pinned"])
  expect(importMessages(JSON.parse(JSON.stringify(memory.get())))).toEqual(memory.get())
  expect(await compactMemory(memory, terms(model))).toBeUndefined()
})

test("what is cut goes through no character", async () => {
  using model = new ScriptedModel([notes("😀".repeat(4000))])
  const memory = remembering([...long(8), userMsg("😀".repeat(30_000)), ...long(2)])
  await compactMemory(memory, terms(model))
  for (const msg of memory.get()) expect(textOf(msg).isWellFormed()).toBe(true)
  for (const { messages } of model.requests) for (const msg of messages) expect(textOf(msg).isWellFormed()).toBe(true)
})

describe("a memory of another kind", () => {
  class Slow extends Memory {
    messages: Msg[] = []
    failing = false
    async add(given: Msg | readonly Msg[]): Promise<void> {
      await Promise.resolve()
      const list = "role" in given ? [given] : given
      if (this.failing && list[0]?.name === "summary") throw new Error("disk full")
      this.messages.push(...list)
    }
    async get() {
      await Promise.resolve()
      return [...this.messages]
    }
    async delete() {
      return 0
    }
    async clear(): Promise<void> {
      await Promise.resolve()
      this.messages = []
    }
    async size() {
      return this.messages.length
    }
  }

  test("is compacted by its own methods", async () => {
    using model = new ScriptedModel([notes("n")])
    const memory = new Slow()
    await memory.add(long(10))
    await compactMemory(memory, terms(model))
    expect(memory.messages.map(({ name }) => name)).toEqual(["summary", "user", "assistant"])
  })

  test("need not be one of the class", async () => {
    using model = new ScriptedModel([notes("n")])
    const list = long(10)
    const plain = {
      add: (more: readonly Msg[]) => void list.push(...more),
      get: () => [...list],
      clear: () => void list.splice(0),
    }
    await compactMemory(plain as unknown as Memory, terms(model))
    expect(list.map(({ name }) => name)).toEqual(["summary", "user", "assistant"])
  })

  test("is as it was where it cannot take the summary, and the failure is told", async () => {
    using model = new ScriptedModel([notes("n")])
    const memory = new Slow()
    const past = long(10)
    await memory.add(past)
    memory.failing = true
    await expect(compactMemory(memory, terms(model))).rejects.toThrow("disk full")
    expect(memory.messages).toEqual(past)
  })
})

describe("a history that is longer than what the model reads at once", () => {
  class Small extends ScriptedModel {
    override readonly contextWindow = 1000
  }

  test("is read in parts, each with the notes so far", async () => {
    using model = new Small([notes("one"), notes("two"), notes("three")])
    const memory = remembering(long(14, 80))
    await compactMemory(memory, terms(model, { triggerTokens: 1000 }))
    const asked = model.requests.map(({ messages }) => textOf(messages.at(-1) as Msg))
    expect(asked[0]).not.toContain("<earlier_notes>")
    expect(asked[1]).toMatch(/<earlier_notes>\n## Task\none/)
    expect(asked[2]).toMatch(/<earlier_notes>\n## Task\ntwo/)
    for (let i = 0; i < 12; i++) expect(asked.join()).toContain(`\n${i} word`)
    expect(textOf(memory.get()[0] as Msg)).toContain("three")
  })

  test("has its middle left out where it is too long for eight", async () => {
    let calls = 0
    const model = new Small(Array.from({ length: 20 }, () => () => notes(`${++calls}`)))
    await compactMemory(remembering(long(100, 80)), terms(model, { triggerTokens: 1000 }))
    expect(calls).toBe(8)
    const asked = model.requests.map(({ messages }) => textOf(messages.at(-1) as Msg))
    expect(asked[0]).toContain("\n0 word")
    expect(asked[1]).toContain("parts are left out here]")
    expect(asked[7]).toContain("\n97 word")
  })

  test("is read in smaller parts where the provider finds them too long, but not without end", async () => {
    let calls = 0
    const model = new ScriptedModel(
      Array.from({ length: 50 }, () => ({ messages }) => {
        calls++
        if (textOf(messages.at(-1) as Msg).length > 2500) {
          return { error: modelError({ code: "context_overflow", message: "too long" }) }
        }
        return notes("n")
      }),
    )
    const memory = remembering(long(20, 80))
    await compactMemory(memory, terms(model, { triggerTokens: 1500 }))
    expect(textOf(memory.get()[0] as Msg)).toContain("<summary>")
    const never = new ScriptedModel(
      Array.from({ length: 50 }, () => () => {
        calls++
        return { error: modelError({ code: "context_overflow", message: "too long" }) }
      }),
    )
    calls = 0
    await expect(compactMemory(remembering(long(20, 80)), terms(never))).rejects.toMatchObject({
      code: "compaction_failed",
    })
    expect(calls).toBe(5)
  })
})

test("the material has everything that was said and done, without thinking and with media by name", async () => {
  using model = new ScriptedModel([notes("n")])
  const call = { type: "tool_use", id: "1", name: "look", input: { at: "sky" } } as const
  const memory = remembering([
    userMsg(
      [
        { type: "text", text: "What is this?" },
        { type: "image", source: { type: "url", url: "https://example.org/cat.png" } },
        { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } },
      ],
      { name: "Ann" },
    ),
    assistantMsg([{ type: "thinking", thinking: "secret" }, call] as never, { name: "Friday" }),
    toolResultMsg([toolResult(call, "clouds", { state: "error" })]),
    ...long(10),
  ])
  await compactMemory(memory, terms(model, { keepRecent: 1 }))
  const asked = textOf(model.requests[0]?.messages.at(-1) as Msg)
  expect(asked).toContain('[user "Ann"]\nWhat is this?\n[image https://example.org/cat.png]\n[image]')
  expect(asked).toContain('[assistant "Friday"]\n(calls look: {"at":"sky"})')
  expect(asked).toContain("[results of tools]\n(look, error: clouds)")
  expect(asked).not.toContain("secret")
})

test("neither a summary nor what was remembered is recorded as something that was said", async () => {
  using model = new ScriptedModel([notes("Summed up.")])
  const memory = remembering(long(10))
  await compactMemory(memory, terms(model))
  await using longTerm = new SqliteLongTermMemory({ path: ":memory:" })
  const remembered = userMsg("<long_term_memory>\n- Remembered.\n</long_term_memory>", { name: "long_term_memory" })
  await longTerm.record([...memory.get(), remembered])
  const entries = await longTerm.retrieve("summed up remembered word", { limit: 100 })
  expect(entries).toHaveLength(2)
  expect(JSON.stringify(entries)).not.toMatch(/Summed|Remembered/)
})

test("a memory without terms, and terms without a memory, are refused", async () => {
  const terms = { triggerTokens: 1, overheadTokens: 0, models: [], spill: undefined, agent: undefined }
  for (const asked of [
    compactMemory(new InMemoryMemory(), undefined as never),
    compactMemory(new InMemoryMemory(), terms),
    compactMemory(undefined as never, terms),
  ]) {
    await expect(asked).rejects.toMatchObject({ code: "invalid_argument" })
  }
})
