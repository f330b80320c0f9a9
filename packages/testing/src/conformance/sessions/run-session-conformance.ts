import type { SessionStore } from "@agentscope-ts/state"
import type { ConformanceCheck } from "../conformance-check.ts"
import { findRunner } from "../test-runner.ts"
import { within } from "../within.ts"
import { idChecks } from "./id-checks.ts"
import { loadChecks } from "./load-checks.ts"
import { openChecks } from "./open-checks.ts"
import { saveChecks } from "./save-checks.ts"
import type { SessionConformanceSuite, SessionPlace } from "./session-suite.ts"

/** A check of a session store; `open` opens another store on the place of the check. */
export type SessionCheck = (store: SessionStore, open: () => Promise<SessionStore>) => Promise<void>

const timeoutMs = 60_000

/** Everything that the conformance kit checks of a session store, without a test runner. */
export function sessionConformanceChecks(suite: SessionConformanceSuite): readonly ConformanceCheck[] {
  const groups: Record<string, Record<string, SessionCheck>> = {
    "a save": saveChecks,
    "a load": loadChecks,
    "an id": idChecks,
    "an open session": openChecks,
  }
  return Object.entries(groups).flatMap(([group, checks]) =>
    Object.entries(checks).map(([name, check]) => ({
      group,
      name,
      timeoutMs,
      run: () => within(timeoutMs - 1000, "the check did not end", perform(suite, check)),
    })),
  )
}

async function perform({ create }: SessionConformanceSuite, check: SessionCheck): Promise<void> {
  const made = await create()
  const place: SessionPlace = "save" in made ? { open: () => made } : made
  const stores = new Set<SessionStore>()
  const open = async (): Promise<SessionStore> => {
    const store = await place.open()
    stores.add(store)
    return store
  }
  try {
    await check(await open(), open)
  } finally {
    for (const store of stores) await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
    await place.remove?.()
  }
}

/**
 * Registers the tests of a session store with the test runner that loads the calling file: what is saved is restored as a
 * whole, in other modules and by another store, or not at all; saves and loads at once never give half a session; ids of any
 * kind are kept apart and come back from `list`.
 * @throws AgentScopeError `no_test_runner` outside a test file.
 */
export function runSessionConformance(suite: SessionConformanceSuite): void {
  const { describe, it } = suite.runner ?? findRunner()
  const checks = sessionConformanceChecks(suite)
  describe(suite.name, () => {
    for (const group of new Set(checks.map((check) => check.group))) {
      describe(group, () => {
        for (const check of checks) if (check.group === group) it(check.name, check.run, check.timeoutMs)
      })
    }
  })
}
