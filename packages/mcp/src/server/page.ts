import type { JsonObject } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"

/** One page of a list, under its name, and the cursor of the next. Throws `invalid_input` for a cursor of somebody else's. */
export function pageOf(key: string, items: readonly JsonObject[], params: JsonObject, size: number): JsonObject {
  const { cursor } = params
  const start = cursor === undefined ? 0 : offsetOf(cursor)
  if (start === undefined || start > items.length) {
    const message = "The cursor is none of this list's: take nextCursor as it is, or list again from the beginning."
    throw mcpError("invalid_input", message)
  }
  const end = start + size
  if (start === 0 && end >= items.length) return { [key]: items }
  return { [key]: items.slice(start, end), ...(end < items.length && { nextCursor: btoa(`at:${end}`) }) }
}

function offsetOf(cursor: unknown): number | undefined {
  try {
    const [, offset] = /^at:(\d{1,9})$/.exec(atob(String(cursor))) ?? []
    return offset === undefined ? undefined : Number(offset)
  } catch {
    return undefined
  }
}
