import { type Msg, textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { agentWith, base, compaction, talk } from "../fixtures/long-talks.ts"
import { memoryOf } from "../fixtures/runs.ts"
import { notes } from "../fixtures/summaries.ts"
import { ReActAgent } from "../index.ts"

describe("options", () => {
  test("the trigger follows from the model's context where that is known", async () => {
    class Sized extends ScriptedModel {
      override readonly contextWindow = 1000
    }
    const model = new Sized(
      Array.from(
        { length: 20 },
        () =>
          ({ schema }) =>
            schema ? notes("n") : "ok",
      ),
    )
    const agent = new ReActAgent({ ...base, model, compaction: { keepRecent: 1 } })
    // 130 tokens each: the sixth is above 800 with the answers
    for (let i = 0; i < 5; i++) await agent.reply("word ".repeat(100))
    expect(model.requests).toHaveLength(5)
    await agent.reply("word ".repeat(100))
    expect(textOf(memoryOf(agent)[0]!)).toContain("<summary>")
  })

  test.each<[object, string]>([
    [{}, "needs triggerTokens"],
    [{ triggerTokens: 0 }, "triggerTokens"],
    [{ triggerTokens: 10, keepRecent: 1.5 }, "keepRecent"],
    [{ triggerTokens: 10, keepRecents: 1 }, 'Did you mean "keepRecent"'],
    [{ triggerTokens: 10, model: "gpt-5" }, "ChatModel"],
    [{ triggerTokens: 10, prompt: " " }, "prompt"],
    [{ triggerTokens: 10, tokenCounter: 4 }, "tokenCounter"],
    [{ triggerTokens: 10, spill: true }, "spill"],
  ])("%j are refused", (options, message) => {
    expect(() => new ReActAgent({ ...base, model: new ScriptedModel([]), compaction: options })).toThrow(message)
  })

  test("the prompt is the user's own where there is one", async () => {
    using model = new ScriptedModel([notes("n"), "ok"])
    const agent = agentWith(talk(10), { model, compaction: { ...compaction, prompt: "Write it as a poem." } })
    await agent.reply("hi")
    expect(textOf(model.requests[0]?.messages[0] as Msg)).toBe("Write it as a poem.")
  })

  test("the estimate is corrected by what the provider counts", async () => {
    const usage = { inputTokens: 3000, outputTokens: 1 }
    using model = new ScriptedModel([{ text: "a", usage }, notes("n"), "b"])
    const agent = new ReActAgent({ ...base, model, compaction: { triggerTokens: 5000, keepRecent: 1 } })
    // 1,500 tokens each by the estimate
    for (const said of ["a", "b"]) await agent.reply(said.repeat(6000))
    expect(textOf(memoryOf(agent)[0]!)).toContain("<summary>")
  })
})
