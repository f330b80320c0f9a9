import type { ConformanceCheck } from "../conformance-check.ts"
import { findRunner } from "../test-runner.ts"
import { within } from "../within.ts"
import { type LongTermCheck, recordChecks, retrieveChecks, scopeChecks, toolChecks } from "./long-term-checks.ts"
import { addChecks, deleteChecks, getChecks, type MemoryCheck, stateChecks } from "./memory-checks.ts"
import type { LongTermPlace, MemoryConformanceSuite, TestedLongTermMemory, TestedMemory } from "./memory-suite.ts"

const timeoutMs = 60_000

/** Everything that the conformance kit checks of a memory, without a test runner. */
export function memoryConformanceChecks(suite: MemoryConformanceSuite): readonly ConformanceCheck[] {
  const { create, createLongTerm } = suite
  if (createLongTerm !== undefined) {
    const groups = {
      retrieve: retrieveChecks,
      record: recordChecks,
      "the memory": scopeChecks,
      "the tools": toolChecks,
    }
    return listed(groups, (check: LongTermCheck) => performLongTerm(createLongTerm, check))
  }
  const groups = { add: addChecks, get: getChecks, delete: deleteChecks, "the state": stateChecks }
  return listed(groups, (check: MemoryCheck) => perform(create, check))
}

function listed<C>(
  groups: Record<string, Record<string, C>>,
  run: (check: C) => Promise<void>,
): readonly ConformanceCheck[] {
  return Object.entries(groups).flatMap(([group, checks]) =>
    Object.entries(checks).map(([name, check]) => ({
      group,
      name,
      timeoutMs,
      run: () => within(timeoutMs - 1000, "the check did not end", run(check)),
    })),
  )
}

async function perform(create: () => TestedMemory | Promise<TestedMemory>, check: MemoryCheck): Promise<void> {
  await disposing<TestedMemory>(async (kept) => check(await kept(create()), () => kept(create())))
}

async function performLongTerm(
  create: () => LongTermPlace | Promise<LongTermPlace>,
  check: LongTermCheck,
): Promise<void> {
  const place = await create()
  try {
    await disposing<TestedLongTermMemory>(async (kept) => {
      const open = (userId = "ann") => kept(place.open({ userId }))
      await check(await open(), open, place)
    })
  } finally {
    await place.remove?.()
  }
}

/** Disposes of all memories that the work made, where they can be disposed of. */
async function disposing<M extends object>(work: (kept: (made: M | Promise<M>) => Promise<M>) => Promise<void>) {
  const memories: M[] = []
  try {
    await work(async (made) => {
      const memory = await made
      memories.push(memory)
      return memory
    })
  } finally {
    for (const memory of memories) await (memory as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
  }
}

/**
 * Registers the tests of a memory with the test runner that loads the calling file. Of a `Memory`: order, ranges, ids that
 * count once, deletion, state. Of a `LongTermMemory`: what is recorded is found again, in any script, by its own user and
 * never by another; limits, signals, and the tools.
 * @throws AgentScopeError `no_test_runner` outside a test file.
 */
export function runMemoryConformance(suite: MemoryConformanceSuite): void {
  const { describe, it } = suite.runner ?? findRunner()
  const checks = memoryConformanceChecks(suite)
  describe(suite.name, () => {
    for (const group of new Set(checks.map((check) => check.group))) {
      describe(group, () => {
        for (const check of checks) if (check.group === group) it(check.name, check.run, check.timeoutMs)
      })
    }
  })
}
