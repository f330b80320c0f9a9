export type { Cassette } from "./cassette.ts"
export type { ReplayOptions } from "./replay-options.ts"
export { type ReplayedRequest, type ReplayServer, startReplayServer } from "./replay-server.ts"
export { ScriptedModel } from "./scripted-model.ts"
export type { ScriptedAnswer, ScriptedStep, ScriptedToolUse } from "./scripted-step.ts"
export type { Chunking } from "./split-body.ts"
export type { TestingErrorCode } from "./testing-error.ts"
export type { ConformanceCheck } from "./conformance/conformance-check.ts"
export type { ConformanceTarget, ModelConformanceSuite } from "./conformance/model-suite.ts"
export { modelConformanceChecks, runModelConformance } from "./conformance/run-model-conformance.ts"
export type { TestRunner } from "./conformance/test-runner.ts"
export { runSessionConformance, sessionConformanceChecks } from "./conformance/sessions/run-session-conformance.ts"
export type { SessionConformanceSuite, SessionPlace } from "./conformance/sessions/session-suite.ts"
export type {
  LongTermPlace,
  MemoryConformanceSuite,
  TestedEntry,
  TestedLongTermMemory,
  TestedMemory,
} from "./conformance/memories/memory-suite.ts"
export { memoryConformanceChecks, runMemoryConformance } from "./conformance/memories/run-memory-conformance.ts"
export type { TapeDifference } from "./tapes/compare.ts"
export type { TapeDivergence, TapeReport } from "./tapes/divergence.ts"
export { forkTape, type TapeFork } from "./tapes/fork-tape.ts"
export { recordTape } from "./tapes/record-tape.ts"
export { replayTape, type ReplayTapeOptions } from "./tapes/replay-tape.ts"
export type {
  TapeBody,
  TapeEndEvent,
  TapeEvent,
  TapeFailure,
  TapeOrder,
  TapePiece,
  TapeRequest,
  TapeRequestEvent,
  TapeResponseEvent,
  TapeSleepEvent,
  TapeToolCallEvent,
  TapeToolResultEvent,
  TapeValuesEvent,
} from "./tapes/tape-event.ts"
export { type TapeMatch, toMatchTape } from "./tapes/to-match-tape.ts"
