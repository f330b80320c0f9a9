import { isoNow, type JsonObject } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { isModule, StateModule } from "../state-module.ts"
import type { Modules } from "./session-store.ts"

const format = "agentscope-session"
/** The version of the format that is written; all up to it are read. */
const version = 1

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
export function snapshotOf(id: string, modules: Modules): string {
  const session = { format, version, id, savedAt: isoNow(), modules: sessionOf(modules).stateDict() }
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
export function restore(place: Place, text: string, modules: Modules, strict: boolean | undefined): void {
  const session = sessionOf(modules)
  const state = stateIn(place, text)
  try {
    session.loadStateDict(state, { strict })
  } catch (cause) {
    throw stateError("invalid_state", `The session "${place.id}" (${place.where}) was not loaded. ${reasonOf(cause)}`, {
      cause,
      details: { ...place },
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

function stateIn(place: Place, text: string): JsonObject {
  const session = parse(place, text)
  if (session["format"] !== format || typeof session["version"] !== "number") {
    throw corrupted(place, "it is not marked as a session")
  }
  if (session["version"] > version) {
    const message = `The session "${place.id}" (${place.where}) was saved in version ${session["version"]} of the format, and this program reads versions up to ${version}. Update @agentscope-ts/state.`
    throw stateError("unsupported_version", message, { details: { ...place, version: session["version"] } })
  }
  if (session["id"] !== place.id) throw corrupted(place, `it is the session ${JSON.stringify(session["id"])}`)
  const { modules } = session
  if (!isObject(modules)) throw corrupted(place, "its modules are missing")
  return modules
}

function parse(place: Place, text: string): JsonObject {
  let session: unknown
  try {
    session = JSON.parse(text)
  } catch (cause) {
    throw corrupted(place, "it is not valid JSON", cause)
  }
  if (isObject(session)) return session
  throw corrupted(place, "it is no JSON object")
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

function corrupted(place: Place, problem: string, cause?: unknown): Error {
  const message = `The session "${place.id}" (${place.where}) cannot be read: ${problem}. Restore it from a copy, or delete it.`
  return stateError("corrupted_session", message, { cause, details: { ...place } })
}
