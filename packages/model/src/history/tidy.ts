import {
  type BlockType,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type Opaque,
  type Role,
  type TextBlock,
  type ToolResultBlock,
  wellFormed,
} from "@agentscope-ts/message"
import type { Dialect } from "./dialect.ts"

const media: readonly BlockType[] = ["image", "audio", "video", "file"]
/** What a message of each role may hold, results aside, which are placed by their call. */
export const allowedBlocks: Readonly<Record<Role, readonly BlockType[]>> = {
  user: ["text", ...media],
  tool: ["text", ...media],
  system: ["text"],
  assistant: ["text", "thinking", "tool_use", ...media],
}

/** Whether there is something to read in a text. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** Whether data of this origin must not be sent to the dialect's provider. */
export const isForeign = (opaque: Opaque | undefined, dialect: Dialect | undefined): boolean =>
  opaque !== undefined && dialect !== undefined && opaque.provider !== dialect.provider

/** The block as it may be sent, the same object when it is fine, or undefined when it is to be left out. */
export function tidyBlock(block: ContentBlock, role: Role, dialect: Dialect | undefined): ContentBlock | undefined {
  if (!allowedBlocks[role].includes(block.type)) return undefined
  switch (block.type) {
    case "text": {
      const own = withoutForeign(block, dialect)
      // an empty text may be there for what goes with it
      if (own.opaque === undefined && isBlank(own.text)) return undefined
      const text = wellFormed(own.text)
      return text === own.text ? own : { ...own, text }
    }
    case "thinking": {
      const rule = dialect?.thinking ?? "any"
      if (rule === "none" || isForeign(block.opaque, dialect)) return undefined
      // signed thinking goes back byte for byte
      if (block.opaque) return block
      if (rule === "signed" || isBlank(block.thinking)) return undefined
      const thinking = wellFormed(block.thinking)
      return thinking === block.thinking ? block : { ...block, thinking }
    }
    case "tool_use": {
      const input = tidyInput(block.rawInput === undefined ? block.input : {})
      const foreign = isForeign(block.opaque, dialect)
      if (input === block.input && !foreign && block.rawInput === undefined) return block
      const { opaque, rawInput: _, ...rest } = block
      return { ...rest, input, ...(opaque && !foreign && { opaque }) }
    }
    case "tool_result":
      return block
    default: {
      const own = withoutForeign(block, dialect)
      const source = tidyJson(own.source)
      const name = own.name === undefined ? undefined : wellFormed(own.name)
      if (source === own.source && name === own.name) return own
      return { ...own, source, ...(name !== undefined && { name }) }
    }
  }
}

function withoutForeign<T extends { readonly opaque?: Opaque }>(block: T, dialect: Dialect | undefined): T {
  if (!isForeign(block.opaque, dialect)) return block
  const { opaque: _, ...rest } = block
  return rest as T
}

const tidyInput = (input: JsonObject): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? tidyJson(input) : {}

/** A result with its output tidied. */
export function tidyResult(result: ToolResultBlock, dialect: Dialect | undefined): ToolResultBlock {
  const output = tidyAll(result.output, (block) => tidyBlock(block, "user", dialect) as TextBlock | undefined)
  return output === result.output ? result : { ...result, output }
}

/** Maps a list, without what becomes undefined; the same list when nothing changes. */
export function tidyAll<T>(list: readonly T[], tidy: (item: T) => T | undefined): readonly T[] {
  let out: T[] | undefined
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as T
    const kept = tidy(item)
    if (out === undefined && kept === item) continue
    out ??= list.slice(0, i)
    if (kept !== undefined) out.push(kept)
  }
  return out ?? list
}

/** A JSON value with every string in it well-formed, keys too; the same value when it is. */
function tidyJson<T>(value: T): T {
  if (typeof value === "string") return wellFormed(value) as T
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return tidyAll(value, tidyJson) as T
  let dirty = false
  const entries: [string, JsonValue][] = []
  for (const key in value) {
    const item = value[key] as JsonValue
    const entry: [string, JsonValue] = [wellFormed(key), tidyJson(item)]
    if (entry[0] !== key || entry[1] !== item) dirty = true
    entries.push(entry)
  }
  return dirty ? (Object.fromEntries(entries) as T) : value
}
