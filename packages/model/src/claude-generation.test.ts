import { expect, test } from "vitest"
import { claudeGeneration } from "./claude-generation.ts"

test.each([
  ["claude-3-haiku-20240307", "none", "any", false],
  ["claude-3-7-sonnet-latest", "budget", "any", false],
  ["us.anthropic.claude-opus-4-1-20250805-v1:0", "budget", "one", false],
  ["claude-opus-4@20250514", "budget", "any", false],
  ["claude-sonnet-4-5", "budget", "one", true],
  ["claude-opus-4-6", "either", "one", true],
  ["claude-opus-4-7", "effort", "none", true],
  ["claude-next", "effort", "none", true],
])("%s thinks by %s and takes %s sampling", (model, by, sampling, holdsSchemas) => {
  expect(claudeGeneration(model)).toMatchObject({ isClaude: true, by, sampling, holdsSchemas })
})

test("a model that is no Claude gets what the format always had", () => {
  expect(claudeGeneration("kimi-k2")).toMatchObject({ isClaude: false, by: "budget", rests: "told", sampling: "any" })
})
