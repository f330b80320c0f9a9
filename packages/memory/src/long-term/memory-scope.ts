import { didYouMean } from "@agentscope-ts/message"
import { memoryError } from "../error.ts"

/**
 * Whose memory it is. A memory sees what was recorded for its own user, by exactly this text, and nothing else; without a
 * `userId` it sees what was recorded without one. An agent or session that is named narrows that down; one that is left out
 * lets all of the user's be seen.
 */
export interface MemoryScope {
  userId?: string | undefined
  agentId?: string | undefined
  sessionId?: string | undefined
}

/** A scope as it is stored: empty where nothing was given, for an empty text is refused. */
export type Scope = Readonly<Record<keyof MemoryScope, string>>

const names = ["userId", "agentId", "sessionId"] as const
const longest = 1000

/**
 * The scope, each text checked: what the database would store as another text could let one user see another's memory.
 * @throws AgentScopeError `invalid_argument`.
 */
export function checkScope(given: MemoryScope = {}): Scope {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw memoryError("invalid_argument", `The scope of a memory is an object of ${names.join(", ")}.`)
  }
  for (const name of Object.keys(given)) {
    if ((names as readonly string[]).includes(name)) continue
    const message = `The scope of a memory has no "${name}": it has ${names.join(", ")}.${didYouMean(name, names)}`
    throw memoryError("invalid_argument", message)
  }
  return { userId: id("userId", given), agentId: id("agentId", given), sessionId: id("sessionId", given) }
}

function id(name: keyof MemoryScope, given: MemoryScope): string {
  const value: unknown = given[name]
  if (value === undefined) return ""
  if (
    typeof value === "string" &&
    value !== "" &&
    value.length <= longest &&
    value.isWellFormed() &&
    !value.includes("\0")
  )
    return value
  const shown = JSON.stringify(value)?.slice(0, 80) ?? typeof value
  throw memoryError(
    "invalid_argument",
    `scope.${name} is ${shown}: give a text of 1 to ${longest} characters without NUL or lone surrogates, or leave it out.`,
  )
}
