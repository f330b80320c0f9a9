import type { SessionStore } from "@agentscope-ts/state"
import type { TestRunner } from "../test-runner.ts"

/** A place for sessions, empty at first. */
export interface SessionPlace {
  /** Opens a store on the place: each call another one, where a place can have several; they see the same sessions. */
  open(): SessionStore | Promise<SessionStore>
  /** Takes the place away after the check. */
  remove?(): void | Promise<void>
}

/** What {@link runSessionConformance} tests. */
export interface SessionConformanceSuite {
  readonly name: string
  /** Makes a new place, or, where one store is all there is to a place, that store: each check gets its own. */
  readonly create: () => SessionPlace | SessionStore | Promise<SessionPlace | SessionStore>
  /** Another test runner than the one that loads the file. */
  readonly runner?: TestRunner | undefined
}
