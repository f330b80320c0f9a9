import { isDeepStrictEqual } from "node:util"
import type { Cassette } from "../cassette.ts"
import { testingError } from "../testing-error.ts"

/** The provider's own figures of a cassette. */
export interface ExpectedUsage {
  readonly input?: number
  readonly output?: number
  readonly total?: number
  readonly cached?: number
  readonly reasoning?: number
  readonly cacheWrite?: number
  readonly toolUseInput?: number
}

/** The failure that a cassette tells of; `midStream` where the answer had begun. */
export interface ExpectedError {
  readonly status: number
  readonly type?: string
  readonly code?: string | number
  readonly message?: string
  readonly midStream?: boolean
}

/** What a right reading of a cassette's response gives, in the provider's own terms. */
export interface Expectation {
  readonly text: string
  readonly thinking: string
  readonly toolCalls: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[]
  readonly usage: ExpectedUsage | null
  readonly stopReason: string | number | null
  readonly error?: ExpectedError
  readonly refusal?: string
  readonly blockReason?: string
  readonly serverTools?: readonly string[]
  readonly signatures?: number
  readonly redactedThinking?: number
  readonly encryptedReasoning?: number
  /** How much audio, or how many media of any kind, the answer has; a number or a list. */
  readonly audio?: unknown
  readonly media?: unknown
}

/** The `expect` of a cassette, with what it leaves out. */
export function expectationOf(cassette: Cassette): Expectation {
  const given = (cassette.expect ?? {}) as Partial<Expectation>
  return { text: "", thinking: "", toolCalls: [], usage: null, stopReason: null, ...given }
}

/** @throws AgentScopeError `not_conformant` unless the condition holds. */
export function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw testingError("not_conformant", what)
}

/** @throws AgentScopeError `not_conformant`, with both values, unless they are deeply equal. */
export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw testingError("not_conformant", `${what}: expected ${short(expected)}, got ${short(actual)}`)
}

function short(value: unknown): string {
  const text = value instanceof Error ? told(value) : (JSON.stringify(value) ?? "undefined")
  return text.length > 2000 ? `${text.slice(0, 2000)}… (${text.length} characters)` : text
}

/** An error in words, whatever was thrown. */
export const told = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : short(error)
