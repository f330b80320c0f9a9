import { corpus, hasCorpus, readCorpus } from "@agentscope-ts/fixtures"
import { type ConformanceCheck, modelConformanceChecks } from "@agentscope-ts/testing"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { providers } from "./providers.ts"
import { trafficReport, type Verdict } from "./traffic-report.ts"

const page = resolve(import.meta.dirname, "../../apps/docs/providers.md")
const verdicts: Verdict[] = []
let registered = 0

describe.skipIf(!hasCorpus)("recorded traffic and provider behaviour", () => {
  for (const { name, create, reads, images, missingKey } of hasCorpus ? providers : []) {
    const suite = { name, create, cassettes: resolve(corpus, "cassettes"), filter: reads, images, missingKey }
    const groups = Map.groupBy(modelConformanceChecks(suite), (check: ConformanceCheck) => check.group)
    describe(name, () => {
      for (const [group, checks] of groups) {
        describe(group, () => {
          for (const { name: check, cassette, run, timeoutMs } of checks) {
            registered++
            it(check, { timeout: timeoutMs }, async () => {
              const verdict = { provider: name, group, check, cassette, passed: false }
              verdicts.push(verdict)
              await run()
              verdict.passed = true
            })
          }
        })
      }
    })
  }

  it("leaves no recorded interchange out", () => {
    const read = new Set(verdicts.flatMap(({ cassette }) => (cassette ? [cassette.file] : [])))
    const { count } = readCorpus("cassettes/index.json") as { count: number }
    expect(read.size).toBe(count)
  })

  it("is counted in the documentation", async (context) => {
    // of a part of the tests there is nothing to count
    context.skip(verdicts.length < registered, "not all tests ran")
    await expect(trafficReport(verdicts)).toMatchFileSnapshot(page)
  })
})
