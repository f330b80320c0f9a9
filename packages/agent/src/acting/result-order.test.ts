import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { expectValid, idle, memoryOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

test("results stand in call order, and unsafe calls ran alone, in whatever order the calls end", async () => {
  const calls = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(calls, fc.infiniteStream(fc.nat()), async (safe, order) => {
      const waiting: (() => void)[] = []
      let running = 0
      const overlaps: boolean[] = []
      const run = (concurrencySafe: boolean) =>
        named(
          concurrencySafe ? "safe" : "alone",
          async (input) => {
            running++
            overlaps.push(!concurrencySafe && running > 1)
            await new Promise<void>((resolve) => waiting.push(resolve))
            overlaps.push(!concurrencySafe && running > 1)
            running--
            return JSON.stringify(input)
          },
          { concurrencySafe },
        )
      const toolUses = safe.map((isSafe, n) => ({ name: isSafe ? "safe" : "alone", input: { n } }))
      using model = new ScriptedModel([{ toolUses }, "done"])
      const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [run(true), run(false)] })
      let over = false
      const reply = agent.reply("go").finally(() => (over = true))
      for (const next of order) {
        await idle()
        if (over) break
        waiting.splice(next % Math.max(1, waiting.length), 1)[0]?.()
      }
      await reply
      expect(
        memoryOf(agent)
          .flatMap(toolResultsOf)
          .map((result) => textOf(result)),
      ).toEqual(toolUses.map(({ input }) => JSON.stringify(input)))
      expect(overlaps).not.toContain(true)
      expectValid(memoryOf(agent))
    }),
    { numRuns: 60 },
  )
})
