import { short, type TapeDifference } from "./compare.ts"
import { testingError, type TestingErrorCode } from "../testing-error.ts"
import type { AgentScopeError } from "@agentscope-ts/message"

/**
 * One thing in which a run is not the one on its tape. `request`, `tool_call`: it is not the next one recorded, or none is
 * left; `unused`: recorded, but not asked for; `stalled`: the recorded run gave an answer up that this one waits for;
 * `outcome`: one run failed and the other did not.
 */
export interface TapeDivergence {
  readonly kind: "request" | "tool_call" | "unused" | "stalled" | "outcome"
  /** The recorded event; absent where none was left. */
  readonly at?: number
  /** Whose request or call it was: a path such as `Friday#1`, empty for the program itself. */
  readonly lane: string
  /** What was expected and what came, in a few words. */
  readonly expected: string
  readonly actual: string
  /** Where they differ: the path within the JSON and both values, short. */
  readonly differences: readonly TapeDifference[]
}

/** What a replay was like. */
export interface TapeReport {
  readonly file: string
  readonly divergences: readonly TapeDivergence[]
  /** How many recorded requests and tool calls there are, and how many of them were asked for again. */
  readonly recorded: number
  readonly used: number
}

/** A divergence as an error. */
export function divergenceError(file: string, divergence: TapeDivergence): AgentScopeError<TestingErrorCode> {
  const { kind, at, lane, differences } = divergence
  const details = {
    file,
    kind,
    lane,
    ...(at !== undefined && { at }),
    differences: differences.map((one) => ({ ...one })),
  }
  return testingError("tape_diverged", `${divergenceText(file, divergence)}\n${advice}`, { details })
}

const advice = "If that is meant, record the tape again with recordTape."

/** A divergence, told to a person: which event, what was expected, what came. */
export function divergenceText(file: string, { at, lane, expected, actual, differences }: TapeDivergence): string {
  const where = at === undefined ? "after its last event" : `at event ${at}`
  const who = lane === "" ? "" : ` (${lane})`
  const lines = [
    `The run left the tape ${file} ${where}${who}.`,
    `  on the tape: ${expected}`,
    `  in this run: ${actual}`,
  ]
  for (const difference of differences.slice(0, shown)) {
    lines.push(
      `  ${difference.path === "" ? "all of it" : difference.path}: the tape has ${difference.expected}, the run ${difference.actual}`,
    )
  }
  if (differences.length > shown) lines.push(`  … and ${differences.length - shown} more places`)
  return lines.join("\n")
}

const shown = 5

/** A request, in a few words. */
export const requestWords = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`

/** A call, in a few words. */
export const callWords = (name: string, input: unknown): string => `${name}(${short(input)})`
