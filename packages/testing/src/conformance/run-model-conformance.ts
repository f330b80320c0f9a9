import { callChecks } from "./call-checks.ts"
import { cassetteChecks } from "./cassette-checks.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { damageChecks } from "./damage-checks.ts"
import { expectationOf } from "./expectation.ts"
import { absentPaths, findCassettes } from "./find-cassettes.ts"
import { historyChecks } from "./history-checks.ts"
import { keyChecks } from "./key-check.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { requestChecks } from "./request-checks.ts"
import { sampleStream } from "./sample-stream.ts"
import { streamChecks } from "./stream-checks.ts"
import { findRunner } from "./test-runner.ts"

/**
 * Everything that the conformance kit checks of a model, without a test runner. What is tried in the middle of a stream needs
 * a cassette that streams a text, and is left out without one.
 * @throws AgentScopeError `invalid_cassette` when a path cannot be read, or no cassette is left.
 */
export function modelConformanceChecks(suite: ModelConformanceSuite): readonly ConformanceCheck[] {
  const cassettes = findCassettes(suite)
  const sample = sampleStream(cassettes)
  const good =
    sample?.cassette ??
    cassettes.find((cassette) => {
      const { error, text, toolCalls } = expectationOf(cassette)
      return error === undefined && (text !== "" || toolCalls.length > 0)
    })
  const seeing = cassettes.find(
    (cassette) => cassette.categories?.includes("vision") && expectationOf(cassette).error === undefined,
  )
  return [
    ...cassetteChecks(suite, cassettes),
    ...(sample ? streamChecks(suite, sample) : []),
    ...(good
      ? [
          ...callChecks(suite, good),
          ...requestChecks(suite, good, seeing ?? good),
          ...historyChecks(suite, good, seeing ?? good),
        ]
      : []),
    ...keyChecks(suite),
    ...damageChecks(suite, cassettes),
  ]
}

/**
 * Registers the tests of a chat model with the test runner that loads the calling file: recorded traffic, in every cut, is
 * read as it was meant; all that a request asks for goes out, or a warning says so; a call behaves in the middle of an
 * answer, under retries and with histories of other providers as every model's does; damaged streams end in a typed error or a right answer.
 * @throws AgentScopeError `no_test_runner` outside a test file, `invalid_cassette` when there is nothing to test with.
 */
export function runModelConformance(suite: ModelConformanceSuite): void {
  const { describe, it, skip } = suite.runner ?? findRunner()
  const absent = suite.whenAbsent === "skip" ? absentPaths(suite) : []
  if (absent.length > 0) {
    const name = `skipped: ${absent.join(", ")} is not there`
    return void describe(suite.name, () => void (skip ? skip(name) : it(name, () => Promise.resolve(), 1000)))
  }
  const groups = new Map<string, ConformanceCheck[]>()
  for (const check of modelConformanceChecks(suite)) {
    const group = groups.get(check.group)
    if (group) group.push(check)
    else groups.set(check.group, [check])
  }
  describe(suite.name, () => {
    for (const [group, checks] of groups) {
      describe(group, () => {
        for (const { name, run, timeoutMs } of checks) it(name, run, timeoutMs)
      })
    }
  })
}
