import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes thrown by this package. `unexpected_call`: a model was called more often than its script says; `unused_steps`: less
 * often; `invalid_step`, `invalid_cassette`, `invalid_option`: what was given cannot be used;
 * `not_conformant`: a check of a conformance kit does not hold; `no_test_runner`: there is nothing to register tests with;
 * `tape_missing`, `invalid_tape`: there is no tape, or one that cannot be used; `tape_not_written`; `tape_busy`: another tape
 * runs; `tape_diverged`: a run is not the one on its tape; `fork_not_reached`: a run did not ask for what was changed.
 */
export type TestingErrorCode =
  | "unexpected_call"
  | "unused_steps"
  | "invalid_step"
  | "invalid_cassette"
  | "invalid_option"
  | "not_conformant"
  | "no_test_runner"
  | "tape_missing"
  | "invalid_tape"
  | "tape_not_written"
  | "tape_busy"
  | "tape_diverged"
  | "fork_not_reached"

export function testingError(
  code: TestingErrorCode,
  message: string,
  more?: { details?: JsonObject; cause?: unknown },
): AgentScopeError<TestingErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
