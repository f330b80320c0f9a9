import { AgentScopeError } from "@agentscope-ts/message"
import { replayTape } from "./replay-tape.ts"
import { testingError } from "../testing-error.ts"

/** What vitest and jest take from a matcher. */
export interface TapeMatch {
  readonly pass: boolean
  message(): string
}

/**
 * A matcher for vitest and jest, `expect.extend({ toMatchTape })`: `await expect(run).toMatchTape(file)` replays the tape with
 * the function `run` and fails with the first divergence, which says what differs where. A run that fails by itself fails the match.
 * @throws AgentScopeError `invalid_option` for what is no function, `tape_missing`, `invalid_tape`.
 */
export async function toMatchTape(run: unknown, file: string): Promise<TapeMatch> {
  if (typeof run !== "function") {
    const message = `toMatchTape takes the function that was recorded, expect(() => …).toMatchTape("${file}"), not ${run === null ? "null" : typeof run}.`
    throw testingError("invalid_option", message)
  }
  try {
    await replayTape(file, run as () => unknown)
  } catch (error) {
    if (AgentScopeError.is(error, "tape_missing") || AgentScopeError.is(error, "invalid_tape")) throw error
    const why = AgentScopeError.is(error, "tape_diverged")
      ? error.message
      : `The run failed under the tape ${file}: ${error instanceof Error ? error.message : String(error)}`
    return { pass: false, message: () => why }
  }
  return { pass: true, message: () => `The run is the one on the tape ${file}, and was expected not to be.` }
}
