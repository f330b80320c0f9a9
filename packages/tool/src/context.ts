import type { JsonValue } from "@agentscope-ts/message"
import { toolError } from "./error.ts"

/** A typed name for a value that tools may ask for; made by {@link contextKey}. */
export interface ContextKey<T> {
  readonly key: string
  /** What {@link ToolContext.get} answers when nobody provided a value; absent: it throws. */
  readonly fallback?: T
  /** Binds a value, for a `context` option. */
  of(value: T): ContextEntry
}

/** A value under a key, made by {@link ContextKey.of}. */
export interface ContextEntry {
  readonly key: string
  readonly value: unknown
}

/** What a tool asks with: a key, or the class of an instance. */
export type ContextToken<T> = ContextKey<T> | (abstract new (...args: never[]) => T)

/** Entries made by a key, or instances found again by their class. Of two that fit, the earlier one counts. */
export type ContextValues = readonly (ContextEntry | object)[]

/** What a tool's `execute` gets beside its input. Its functions may be taken out of it: `({ city }, { emit }) => …`. */
export interface ToolContext {
  /** Aborts when the call is interrupted or times out. */
  readonly signal: AbortSignal
  /** The id of the call; empty when the tool was run by {@link Tool.run} alone. */
  readonly toolUseId: string
  /**
   * Names the call for whoever must not do a thing twice: no other call of any conversation has it, and a call that is run again,
   * after a failure or after the process was killed and its session taken up, has the same. 64 characters of `0-9a-f`; empty
   * when the tool was run by {@link Tool.run} alone. A call of an agent without a session is named for this process alone.
   */
  readonly idempotencyKey: string
  /** Whose call it is; absent outside an agent. */
  readonly agent?: { readonly id: string; readonly name: string }
  /** Reports progress: seen in events, never by the model. Ignored once the call has ended. */
  emit(this: void, progress: JsonValue): void
  /** A value from the `context` of the call or the agent; throws `context_missing` when there is none and no fallback. */
  get<T>(this: void, token: ContextToken<T>): T
  /** `return ctx.suspend("why")`: the call waits for a result from outside. */
  suspend(this: void, reason?: string): never
}

/**
 * Makes a key for values that tools get through `ctx.get(key)` and the model never sees. Two keys of the same name are
 * the same key. With a `fallback`, `get` never fails.
 */
export function contextKey<T>(name: string, fallback?: T): ContextKey<T> {
  if (typeof name !== "string" || name === "") {
    throw toolError("invalid_argument", `contextKey() takes a name, not ${JSON.stringify(name)}.`)
  }
  return {
    key: name,
    ...(fallback !== undefined && { fallback }),
    of: (value) => ({ key: name, value }),
  }
}

const isEntry = (value: unknown): value is ContextEntry =>
  typeof value === "object" && value !== null && "key" in value && "value" in value

/** The value that `token` stands for; throws `context_missing`. `tool` is the name for the message. */
export function findContext<T>(values: ContextValues | undefined, token: ContextToken<T>, tool: string): T {
  if (typeof token === "function") {
    for (const value of values ?? []) if (value instanceof token) return value
    throw missing(tool, `an instance of ${token.name}`, `new ${token.name}(…)`, token.name)
  }
  if (typeof token?.key !== "string") {
    throw toolError("invalid_argument", `The tool "${tool}" asks its context with neither a key nor a class.`)
  }
  for (const value of values ?? []) if (isEntry(value) && value.key === token.key) return value.value as T
  if ("fallback" in token) return token.fallback
  throw missing(tool, `a value for the key "${token.key}"`, "key.of(value)", token.key)
}

function missing(tool: string, what: string, how: string, token: string): Error {
  const message = `The tool "${tool}" asks its context for ${what}, and nobody provided one. Give it to the agent or the call: { context: [${how}] }.`
  return toolError("context_missing", message, { details: { token } })
}
