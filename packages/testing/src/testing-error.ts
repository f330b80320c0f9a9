import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes thrown by this package. `unexpected_call`: a model was called more often than its script says; `unused_steps`: less
 * often; `invalid_step`, `invalid_cassette`, `invalid_option`: what was given cannot be used.
 */
export type TestingErrorCode =
  | "unexpected_call"
  | "unused_steps"
  | "invalid_step"
  | "invalid_cassette"
  | "invalid_option"

export function testingError(
  code: TestingErrorCode,
  message: string,
  more?: { details?: JsonObject; cause?: unknown },
): AgentScopeError<TestingErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
