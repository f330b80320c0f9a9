import { testingError } from "../testing-error.ts"

/** What a test runner gives to register tests with; `timeoutMs` is the longest that a test may take. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly it: (name: string, run: () => Promise<void>, timeoutMs: number) => unknown
  /** Registers a test that is not run. Default: `it` with an empty test. */
  readonly skip?: ((name: string) => unknown) | undefined
}

type Register = ((name: string, ...rest: unknown[]) => unknown) & { readonly skip?: Register }
type Found = { readonly describe: Register; readonly it: Register }

const isFound = (value: unknown): value is Found => {
  const { describe, it } = (value ?? {}) as Partial<Found>
  return typeof describe === "function" && typeof it === "function"
}

/**
 * The runner whose file is being loaded: global `describe` and `it` (jest, bun, vitest with globals), what vitest keeps for
 * its workers, or `node:test`.
 * @throws AgentScopeError `no_test_runner` where there is none.
 */
export function findRunner(): TestRunner {
  const scope = globalThis as Record<string, unknown>
  for (const found of [scope, scope["__vitest_index__"]]) if (isFound(found)) return timeoutLast(found)
  const nodeTest = "NODE_TEST_CONTEXT" in process.env ? process.getBuiltinModule("node:test") : undefined
  if (isFound(nodeTest)) return timeoutFirst(nodeTest)
  throw testingError(
    "no_test_runner",
    "No test runner was found: call this in a file that vitest, jest, bun test or node --test loads, or pass `runner: { describe, it }`.",
  )
}

const timeoutLast = ({ describe, it }: Found): TestRunner => ({
  describe,
  it: (name, run, timeoutMs) => it(name, run, timeoutMs),
  skip: (name) => it.skip?.(name, () => {}),
})

const timeoutFirst = ({ describe, it }: Found): TestRunner => ({
  describe,
  it: (name, run, timeout) => it(name, { timeout }, run),
  skip: (name) => it.skip?.(name, () => {}),
})
