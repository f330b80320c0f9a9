import { didYouMean } from "@agentscope-ts/message"
import type { MemoryScope } from "@agentscope-ts/memory"
import { mem0Error } from "./mem0-error.ts"

/** The ids that mem0 keeps memories under; at least one is there. */
export interface Mem0Ids {
  readonly userId?: string
  readonly agentId?: string
  readonly runId?: string
}

const names = ["userId", "agentId", "sessionId"] as const
const longest = 1000

/**
 * The ids of a scope. mem0 takes spaces off ids and refuses them inside, takes `*` for every id, and knows no "without a
 * user": so what is no letter, digit or `-_.@:` is written as `%XX`, as in an address, and without a user the ids of the
 * agent and the session begin with `~`, which no other id does. Different scopes are different ids.
 * @throws AgentScopeError `invalid_argument`.
 */
export function idsOf(scope: MemoryScope): Mem0Ids {
  if (typeof scope !== "object" || scope === null || Array.isArray(scope)) throw none()
  for (const name of Object.keys(scope)) {
    if ((names as readonly string[]).includes(name)) continue
    const message = `The scope of a memory has no "${name}": it has ${names.join(", ")}.${didYouMean(name, names)}`
    throw mem0Error("invalid_argument", message)
  }
  const userId = idOf("userId", scope.userId)
  const agentId = idOf("agentId", scope.agentId)
  const runId = idOf("sessionId", scope.sessionId)
  if (userId === undefined && agentId === undefined && runId === undefined) throw none()
  const marked = (id: string) => (userId === undefined ? `~${id}` : id)
  return {
    ...(userId !== undefined && { userId }),
    ...(agentId !== undefined && { agentId: marked(agentId) }),
    ...(runId !== undefined && { runId: marked(runId) }),
  }
}

function idOf(name: string, id: unknown): string | undefined {
  if (id === undefined) return undefined
  if (typeof id === "string" && id !== "" && id.length <= longest && id.isWellFormed()) {
    return encodeURIComponent(id)
      .replaceAll(/[!'()*~]/g, hex)
      .replaceAll("%40", "@")
      .replaceAll("%3A", ":")
  }
  const shown = JSON.stringify(id)?.slice(0, 80) ?? typeof id
  throw mem0Error(
    "invalid_argument",
    `scope.${name} is ${shown}: give a text of 1 to ${longest} characters without lone surrogates, or leave it out.`,
  )
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

const none = (): Error =>
  mem0Error(
    "invalid_argument",
    "mem0 keeps memories for somebody: give scope: { userId }, { agentId } or { sessionId }.",
  )
