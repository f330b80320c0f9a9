type Maybe<T> = T | Promise<T>

/** The text of a session, and a mark that is another one after each write of anybody. */
export interface LoggedText {
  /** A snapshot, and on lines of their own what was appended to it. The last line may be torn. */
  readonly text: string
  readonly revision: string
}

/**
 * What lets a {@link SnapshotStore} save a session in small steps. Writes are made only where the session still has the revision
 * that the writer knows; what they answer is the new one, or `undefined` where it had not, and nothing was written.
 */
export interface SessionLog {
  readonly read: (id: string) => Maybe<LoggedText | undefined>
  /** Puts a snapshot in the place of all that is there; revision `undefined`: there must be nothing. */
  readonly replace: (id: string, text: string, revision: string | undefined) => Maybe<string | undefined>
  /** Adds a line break and a line at the end. It has to be where it will outlast a crash when this answers. */
  readonly append: (id: string, line: string, revision: string) => Maybe<string | undefined>
}
