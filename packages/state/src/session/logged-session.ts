import type { JsonObject } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import type { OpenSession } from "./open-session.ts"
import { SaveQueue } from "./save-queue.ts"
import type { LoggedText, SessionLog } from "./session-log.ts"
import type { LoadOptions, Modules } from "./session-store.ts"
import { type Format, type Place, readSnapshot, restoreFrom, stateOf, textOfSnapshot } from "./snapshot.ts"
import { changesBetween, kept } from "./state-changes.ts"

/** Below this many characters a log is not worth a snapshot. */
const leastLog = 64 * 1024

/** What a session of a {@link SnapshotStore} needs of it. */
export interface LoggedPlace extends Place {
  readonly log: SessionLog
  readonly format: Format
  /** Throws when the store is closed. */
  readonly check: () => void
  /** Runs a write in the order in which things were asked of the store about this id. */
  readonly inTurn: <T>(work: () => T | Promise<T>) => T | Promise<T>
}

/**
 * A session that is saved by what has changed: a line for each save, and a new snapshot once the lines are as long as the last
 * one. So each byte is written about twice, however long the conversation, and a load reads no more than twice the session.
 */
export class LoggedSession implements OpenSession {
  readonly #place: LoggedPlace
  readonly #saves = new SaveQueue()
  /** What was read when it was opened, until it is loaded. */
  #read: JsonObject | undefined
  /** The state as it was last saved; `undefined`: the next save is a snapshot. */
  #saved: JsonObject | undefined
  #revision: string | undefined
  #snapshotLength = 0
  #logLength = 0
  #lost: Error | undefined

  constructor(place: LoggedPlace, there: LoggedText | undefined) {
    this.#place = place
    if (there === undefined) return
    const { state, appendable, lengths } = readSnapshot(place, there.text, place.format)
    this.#revision = there.revision
    this.#read = state
    if (!appendable) return
    this.#saved = state
    ;[this.#snapshotLength, this.#logLength] = lengths
  }

  async load(modules: Modules, { strict }: Pick<LoadOptions, "strict"> = {}): Promise<boolean> {
    const state = this.#read
    if (state === undefined) return false
    // what is loaded must not share lists with what is compared
    restoreFrom(this.#place, structuredClone(state), modules, strict)
    this.#read = undefined
    return true
  }

  save(modules: Modules): Promise<void> {
    return this.#saves.add(() => this.#write(modules))
  }

  async #write(modules: Modules): Promise<void> {
    this.#place.check()
    if (this.#lost) throw this.#lost
    const { id, log, format, inTurn } = this.#place
    const state = stateOf(modules)
    const line = this.#line(state)
    if (line === "") return
    const next = kept(state)
    if (line === undefined) {
      const text = textOfSnapshot(id, state, format)
      this.#revision = (await inTurn(() => log.replace(id, text, this.#revision))) ?? (await this.#lose())
      this.#snapshotLength = text.length
      this.#logLength = 0
    } else {
      const revision = this.#revision as string
      this.#revision = (await inTurn(() => log.append(id, line, revision))) ?? (await this.#lose())
      this.#logLength += line.length
    }
    this.#saved = next
  }

  /** What is to be appended; empty when nothing has changed, `undefined` when it is time for a snapshot. */
  #line(state: JsonObject): string | undefined {
    if (this.#saved === undefined || this.#revision === undefined) return undefined
    const changes = changesBetween(this.#saved, state)
    if (changes.length === 0) return ""
    const line = JSON.stringify({ changes })
    return this.#logLength + line.length > Math.max(leastLog, this.#snapshotLength) ? undefined : line
  }

  /** Somebody else has written: from here on nothing is saved, or it would be over what they have said. */
  async #lose(): Promise<never> {
    const { id, where, log, inTurn } = this.#place
    const isThere = (await inTurn(() => log.read(id))) !== undefined
    const details = { id, where }
    this.#lost = isThere
      ? stateError(
          "session_conflict",
          `The session "${id}" (${where}) was written by somebody else since it was opened here: another process, another agent, or a whole save. What is new here was not saved. Let one at a time have a session, and open it again to go on from what is there: an agent does with agent.restore().`,
          { details },
        )
      : stateError(
          "session_not_found",
          `The session "${id}" (${where}) was deleted while it was open. What is new here was not saved. Open it again, and the next save makes it anew: an agent does with agent.restore(), which keeps what it has in memory.`,
          { details },
        )
    throw this.#lost
  }
}
