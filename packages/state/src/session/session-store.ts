import type { StateModule } from "../state-module.ts"
import type { OpenSession } from "./open-session.ts"

/** What a session holds: modules by name. The names belong to the saved session: load under the same ones. */
export type Modules = Readonly<Record<string, StateModule>>

/** How a session is loaded. */
export interface LoadOptions {
  /** Whether a session that is not there is answered with `false`, and not an error. Default true. */
  allowMissing?: boolean | undefined
  /** False keeps the present value of what the saved session lacks, whole modules too. Default true: an error. */
  strict?: boolean | undefined
}

/**
 * A place for sessions, by id. A save replaces the whole session, or fails and leaves the last one; a load restores all the
 * modules that it is given, or none. What is asked of one store about one id is done in the order in which it was asked.
 */
export interface SessionStore {
  /** Saves the modules as they are at the moment of the call. */
  save(id: string, modules: Modules): Promise<void>
  /** Restores the modules; false when there is no such session. What the session holds besides is passed over. */
  load(id: string, modules: Modules, options?: LoadOptions): Promise<boolean>
  /** Forgets a session; false when there was none. */
  delete(id: string): Promise<boolean>
  /** The ids of all sessions, sorted. */
  list(): Promise<readonly string[]>
  /** Opens a session, there or not yet, for a writer that saves it in small steps. Absent in a store that only saves it whole. */
  open?(id: string): Promise<OpenSession>
}
