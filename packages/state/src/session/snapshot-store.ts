import { isThenable } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { LoggedSession } from "./logged-session.ts"
import { type OpenSession, openWhole } from "./open-session.ts"
import type { SessionLog } from "./session-log.ts"
import type { LoadOptions, Modules, SessionStore } from "./session-store.ts"
import { type Format, type Migration, restore, snapshotOf } from "./snapshot.ts"

/** Options of every store that extends {@link SnapshotStore}. */
export interface SnapshotOptions {
  /**
   * For a program whose modules have changed: the first makes the state of its version 1 out of what it saved before it knew
   * versions (0), the next that of version 2, and so on. A session of an older version is migrated when it is loaded, one of a
   * newer version is refused with `unsupported_version`.
   */
  migrations?: readonly Migration[] | undefined
}

/**
 * A session store on top of whatever keeps a text under an id: a file, a row, a key. A subclass reads, writes and erases; a
 * write has to replace the old text as a whole. Here is what all stores share: the format of the text, modules that are
 * loaded all or none, checked ids, and one order of what is asked about an id.
 */
export abstract class SnapshotStore implements SessionStore {
  /** The last thing that was asked about each id, while it is going on. */
  readonly #tails = new Map<string, Promise<unknown>>()
  readonly #format: Format

  /** @throws AgentScopeError `invalid_argument` for migrations that are no list of functions. */
  constructor({ migrations = [] }: SnapshotOptions = {}) {
    if (!Array.isArray(migrations) || !migrations.every((step) => typeof step === "function")) {
      throw stateError("invalid_argument", "The migrations of a session store must be a list of functions.")
    }
    this.#format = { migrations }
  }

  async save(id: string, modules: Modules): Promise<void> {
    this.checkOpen()
    checkId(id)
    // now, and not when its turn comes: what changes afterwards belongs to the next save
    const text = snapshotOf(id, modules, this.#format)
    await this.#inTurn(id, () => this.write(id, text))
  }

  async load(id: string, modules: Modules, options: LoadOptions = {}): Promise<boolean> {
    this.checkOpen()
    checkId(id)
    checkLoadOptions(options)
    const { allowMissing = true, strict } = options
    const text = await this.#inTurn(id, () => this.read(id))
    const place = { id, where: this.whereIs(id) }
    if (text !== undefined) {
      restore(place, text, modules, strict, this.#format)
      return true
    }
    if (allowMissing) return false
    const message = `There is no session "${id}" (${place.where}). Save it first, or load with { allowMissing: true }.`
    throw stateError("session_not_found", message, { details: place })
  }

  async delete(id: string): Promise<boolean> {
    this.checkOpen()
    checkId(id)
    return this.#inTurn(id, () => this.erase(id))
  }

  async list(): Promise<readonly string[]> {
    this.checkOpen()
    const before = this.settled()
    // under the id that no session has
    const ids = await this.#inTurn("", () => before.then(() => this.ids()))
    return [...ids].sort()
  }

  async open(id: string): Promise<OpenSession> {
    this.checkOpen()
    checkId(id)
    const { log } = this
    if (log === undefined) return openWhole(this, id)
    const there = await this.#inTurn(id, () => log.read(id))
    const place = {
      id,
      where: this.whereIs(id),
      log,
      format: this.#format,
      check: () => this.checkOpen(),
      inTurn: <T>(work: () => T | Promise<T>) => this.#inTurn(id, work),
    }
    return new LoggedSession(place, there)
  }

  /** How a session is saved in small steps; without it, it is saved whole each time. */
  protected get log(): SessionLog | undefined {
    return undefined
  }

  /** The text under an id; `undefined` when there is none. */
  protected abstract read(id: string): string | undefined | Promise<string | undefined>
  /** Puts the text in the place of the old one. */
  protected abstract write(id: string, text: string): void | Promise<void>
  /** Whether there was a text to erase. */
  protected abstract erase(id: string): boolean | Promise<boolean>
  protected abstract ids(): Iterable<string> | Promise<Iterable<string>>
  /** Where the text under an id lies, for messages. */
  protected abstract whereIs(id: string): string

  /** Throws when nothing may be asked any more. */
  protected checkOpen(): void {}

  /** Resolves once nothing that was asked for is going on any more. */
  protected async settled(): Promise<void> {
    await Promise.all(this.#tails.values())
  }

  #inTurn<T>(id: string, work: () => T | Promise<T>): T | Promise<T> {
    const before = this.#tails.get(id)
    const turn = before ? before.then(work) : work()
    if (!isThenable(turn)) return turn
    const tail = Promise.resolve(turn).then(noop, noop)
    this.#tails.set(id, tail)
    void tail.then(() => {
      if (this.#tails.get(id) === tail) this.#tails.delete(id)
    })
    return turn
  }
}

const noop = (): void => {}

/** Throws `invalid_argument`: misspelt, `allowMissing: false` would let a program begin anew without its session. */
function checkLoadOptions(options: unknown): void {
  const names = typeof options === "object" && options !== null ? Object.keys(options) : [String(options)]
  const other = names.find((name) => name !== "allowMissing" && name !== "strict")
  if (other === undefined) return
  throw stateError("invalid_argument", `A session is loaded with { allowMissing, strict }, and not with ${other}.`)
}

/** Throws `invalid_argument` for what every store would have to keep in a form of its own. */
function checkId(id: unknown): void {
  if (typeof id === "string" && id !== "" && id.isWellFormed() && !id.includes("\0")) return
  const said = typeof id === "string" ? JSON.stringify(id) : String(id)
  const message = `${said} is no id of a session: give a text that is not empty, without lone surrogates and NUL.`
  throw stateError("invalid_argument", message)
}
