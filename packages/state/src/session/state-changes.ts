import type { JsonObject, JsonValue } from "@agentscope-ts/message"

/**
 * One step from a state to the next, as plain data: a value that was `set` or left out under a path of keys, or a stretch of a
 * list that was `cut` (from, how many) with what was added in its place.
 */
export type StateChange =
  | { readonly at: readonly string[]; readonly set: JsonValue }
  | { readonly at: readonly string[]; readonly gone: true }
  | { readonly at: readonly string[]; readonly cut: readonly [number, number]; readonly add: readonly JsonValue[] }

/**
 * The changes that lead from one state to another. What stands in both at the same place as the same object is not looked
 * into when it stands in a list: a conversation of thousands of messages costs a comparison of pointers.
 */
export function changesBetween(before: JsonObject, after: JsonObject): readonly StateChange[] {
  const changes: StateChange[] = []
  compare(before, after, [], changes)
  return changes
}

function compare(before: JsonValue, after: JsonValue, at: readonly string[], changes: StateChange[]): void {
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(after)) {
      const value = after[key]
      if (value === undefined) continue
      const old = Object.hasOwn(before, key) ? before[key] : undefined
      if (old === undefined) changes.push({ at: [...at, key], set: value })
      else compare(old, value, [...at, key], changes)
    }
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key) || after[key] === undefined) changes.push({ at: [...at, key], gone: true })
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const change = cutBetween(before, after)
    if (change) changes.push({ at, ...change })
  } else if (!same(before, after)) changes.push({ at, set: after })
}

function cutBetween(before: readonly JsonValue[], after: readonly JsonValue[]) {
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && same(before[from], after[from])) from++
  if (from === before.length && from === after.length) return undefined
  let kept = 0
  while (kept < shorter - from && same(before.at(-1 - kept), after.at(-1 - kept))) kept++
  return { cut: [from, before.length - from - kept], add: after.slice(from, after.length - kept) } as const
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((value, i) => same(value, b[i]))
  if (Array.isArray(b)) return false
  const [one, other] = [a as JsonObject, b as JsonObject]
  const keys = Object.keys(one).filter((key) => one[key] !== undefined)
  const count = Object.keys(other).filter((key) => other[key] !== undefined).length
  return keys.length === count && keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
}

/** The state in objects and lists of its own, so that those that a module hands out again cannot change it. */
export function kept<T extends JsonValue>(state: T): T {
  if (Array.isArray(state)) return (state as readonly JsonValue[]).slice() as unknown as T
  if (!isObject(state)) return state
  const copy: Record<string, JsonValue> = {}
  for (const key of Object.keys(state)) {
    const value = state[key]
    if (value !== undefined) put(copy, key, kept(value))
  }
  return copy as T
}

/** Makes the changes in a state that is nobody else's. False when one of them does not fit. */
export function change(state: JsonObject, changes: unknown): boolean {
  return Array.isArray(changes) && changes.every((step) => isObject(step as JsonValue) && apply(state, step))
}

function apply(state: JsonObject, step: Record<string, unknown>): boolean {
  const { at } = step
  if (!Array.isArray(at) || at.length === 0 || !at.every((key) => typeof key === "string")) return false
  const path = at as readonly string[]
  let place: JsonValue | undefined = state
  for (const key of path.slice(0, -1)) {
    place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined
  }
  if (!isObject(place)) return false
  const last = path.at(-1) as string
  const holder = place as Record<string, JsonValue>
  if (step["gone"] === true) delete holder[last]
  else if ("set" in step) put(holder, last, step["set"] as JsonValue)
  else return splice(Object.hasOwn(holder, last) ? holder[last] : undefined, step)
  return true
}

function splice(list: JsonValue | undefined, { cut, add }: Record<string, unknown>): boolean {
  if (!Array.isArray(list) || !Array.isArray(cut) || !Array.isArray(add)) return false
  const [from, count] = cut as [number, number]
  if (!(from >= 0 && count >= 0 && from + count <= list.length)) return false
  // not by spreading: a list may be longer than a call has room for arguments
  const rest = list.splice(from).slice(count)
  for (const value of add as JsonValue[]) list.push(value)
  for (const value of rest) list.push(value)
  return true
}

/** Sets a key of any name, `__proto__` too. */
function put(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
