import { isoNow, type JsonObject, type JsonValue } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { isModule, StateModule } from "../state-module.ts"
import type { Modules } from "./session-store.ts"
import { change } from "./state-changes.ts"

const format = "agentscope-session"
/** Of what a whole save writes: the oldest programs read it. */
const whole = 1
/** The version of a snapshot that lines of changes may follow; all versions up to it are read. */
const newest = 2

/** Makes the modules of one version of a program out of those of the version before; plain data, by the modules' names. */
export type Migration = (modules: JsonObject) => JsonObject

/** What a store's options say of the sessions in it. */
export interface Format {
  /** The steps from each version of the program's state to the next; how many there are is the present version. */
  readonly migrations: readonly Migration[]
}

/** Where a session lies, for messages: `file /data/a.json`. */
export interface Place {
  readonly id: string
  readonly where: string
}

/** The modules of a session as one module, so that they are loaded together or not at all. */
class Session extends StateModule {
  constructor(modules: Modules) {
    super()
    for (const [name, value] of Object.entries(modules)) {
      Object.defineProperty(this, name, { value, enumerable: true })
    }
  }
}

/** The modules of a session as text. */
export function snapshotOf(id: string, modules: Modules, { migrations }: Format): string {
  return write(id, whole, migrations.length, stateOf(modules))
}

/** A state as text that lines of changes may follow. */
export function textOfSnapshot(id: string, state: JsonObject, { migrations }: Format): string {
  return write(id, newest, migrations.length, state)
}

/** The state of the modules of a session. */
export const stateOf = (modules: Modules): JsonObject => sessionOf(modules).stateDict()

function write(id: string, version: number, appVersion: number, modules: JsonObject): string {
  const session = { format, version, id, savedAt: isoNow(), ...(appVersion > 0 && { appVersion }), modules }
  try {
    return JSON.stringify(session)
  } catch (cause) {
    throw stateError("invalid_argument", `The session "${id}" holds a value that is no JSON: ${reasonOf(cause)}`, {
      cause,
      details: { id },
    })
  }
}

/** Restores modules from the text of a session. */
export function restore(
  place: Place,
  text: string,
  modules: Modules,
  strict: boolean | undefined,
  options: Format,
): void {
  // modules that are none are told of before whatever is wrong with the text
  sessionOf(modules)
  restoreFrom(place, readSnapshot(place, text, options).state, modules, strict)
}

/** Restores modules from a state. */
export function restoreFrom(place: Place, state: JsonObject, modules: Modules, strict: boolean | undefined): void {
  const session = sessionOf(modules)
  try {
    session.loadStateDict(state, { strict })
  } catch (cause) {
    throw stateError("invalid_state", `The session "${place.id}" (${place.where}) was not loaded. ${reasonOf(cause)}`, {
      cause,
      details: placed(place),
    })
  }
}

/** The id in the first characters of a session's text; `undefined` for a text that is no session. */
export function idIn(text: string): string | undefined {
  const [, id] = /^\{"format":"agentscope-session","version":\d+,"id":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return id === undefined ? undefined : (JSON.parse(id) as string)
}

function sessionOf(modules: Modules): Session {
  if (typeof modules !== "object" || modules === null || Object.values(modules).some((value) => !isModule(value))) {
    throw stateError("invalid_argument", "A session is made of modules by name: { agent, notes }, each a StateModule.")
  }
  const taken = Object.keys(modules).find((name) => name in StateModule.prototype && name !== "constructor")
  if (taken === undefined) return new Session(modules)
  throw stateError("invalid_argument", `No module of a session can be named "${taken}": give it another name.`)
}

/** What a text says: the state, and whether lines of changes may be appended, with the lengths of both parts as they are. */
export interface ReadSnapshot {
  readonly state: JsonObject
  readonly appendable: boolean
  readonly lengths: readonly [snapshot: number, lines: number]
}

/** Reads a snapshot and the lines after it; migrates what an older version of the program saved. */
export function readSnapshot(place: Place, text: string, { migrations }: Format): ReadSnapshot {
  const [first = "", ...rest] = text.split("\n")
  const head = jsonOf(first)
  const lines = head ? rest : []
  // somebody may have laid a snapshot out on many lines
  const session = objectIn(place, head ?? jsonOf(text))
  const { version, appVersion = 0 } = session
  if (session["format"] !== format || typeof version !== "number" || typeof appVersion !== "number") {
    throw corrupted(place, "it is not marked as a session")
  }
  if (version > newest) {
    const message = `The session "${place.id}" (${place.where}) was saved in version ${version} of the format, and this program reads versions up to ${newest}. Update @agentscope-ts/state.`
    throw stateError("unsupported_version", message, { details: { ...placed(place), version } })
  }
  if (appVersion > migrations.length) {
    const message = `The session "${place.id}" (${place.where}) was saved by version ${appVersion} of this program's state, and its migrations lead up to ${migrations.length}. Update the program.`
    throw stateError("unsupported_version", message, { details: { ...placed(place), appVersion } })
  }
  if (session["id"] !== place.id) throw corrupted(place, `it is the session ${JSON.stringify(session["id"])}`)
  const { modules } = session
  if (!isObject(modules)) throw corrupted(place, "its modules are missing")
  const isWhole = takeLines(place, modules, lines)
  const state = migrate(place, modules, appVersion, migrations)
  return {
    state,
    appendable: isWhole && version === newest && appVersion === migrations.length,
    lengths: [first.length, text.length - first.length],
  }
}

/** Makes the changes of the lines; false when the last one is torn: whoever was killed there was told of no success. */
function takeLines(place: Place, modules: JsonObject, lines: readonly string[]): boolean {
  for (const [i, line] of lines.entries()) {
    const json = jsonOf(line)?.json
    if (json === undefined && i === lines.length - 1) return false
    if (!isObject(json)) throw corrupted(place, `line ${i + 2} is not valid JSON`)
    if (!change(modules, json["changes"]))
      throw corrupted(place, `the changes of line ${i + 2} do not fit what is before them`)
  }
  return true
}

function migrate(place: Place, modules: JsonObject, from: number, migrations: readonly Migration[]): JsonObject {
  let state = modules
  for (const [i, migration] of migrations.entries()) {
    if (i < from) continue
    try {
      state = migration(state)
    } catch (cause) {
      throw unmigrated(place, i, reasonOf(cause), cause)
    }
    if (!isObject(state)) throw unmigrated(place, i, "it gave no object of modules")
  }
  return state
}

function unmigrated(place: Place, step: number, problem: string, cause?: unknown): Error {
  const message = `The session "${place.id}" (${place.where}) could not be brought from version ${step} to ${step + 1} of the program's state: ${problem}`
  return stateError("invalid_state", message, { cause, details: placed(place) })
}

function objectIn(place: Place, session: ReturnType<typeof jsonOf>): JsonObject {
  if (session === undefined) throw corrupted(place, "it is not valid JSON")
  if (isObject(session.json)) return session.json
  throw corrupted(place, "it is no JSON object")
}

function jsonOf(text: string): { readonly json: JsonValue } | undefined {
  try {
    return { json: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const placed = ({ id, where }: Place): { readonly id: string; readonly where: string } => ({ id, where })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

function corrupted(place: Place, problem: string): Error {
  const message = `The session "${place.id}" (${place.where}) cannot be read: ${problem}. Restore it from a copy, or delete it.`
  return stateError("corrupted_session", message, { details: placed(place) })
}
