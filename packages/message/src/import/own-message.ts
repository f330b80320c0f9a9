import type { ContentBlock, MediaSource } from "../blocks.ts"
import type { JsonObject } from "../json.ts"
import { allowed, type Msg } from "../msg.ts"

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const states = new Set<unknown>(["success", "error", "interrupted", "denied", "suspended"])
export const isState = (value: unknown) => states.has(value)

const string = (value: unknown) => typeof value === "string"
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

function isSource(value: unknown): value is MediaSource {
  if (!isObject(value) || "media_type" in value) return false
  if (value["type"] === "base64") return string(value["mediaType"]) && string(value["data"])
  return value["type"] === "url" && string(value["url"])
}

/** A block in exactly the form of this package. */
function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false
  switch (value["type"]) {
    case "text":
      return string(value["text"])
    case "thinking":
      return string(value["thinking"]) && !("signature" in value)
    case "image":
    case "audio":
    case "video":
    case "file":
      return isSource(value["source"])
    case "tool_use":
      return string(value["id"]) && string(value["name"]) && isObject(value["input"]) && !("raw_input" in value)
    case "tool_result": {
      const output = value["output"]
      if (!string(value["id"]) || !string(value["name"]) || !isState(value["state"]) || !Array.isArray(output))
        return false
      return output.every((block) => isBlock(block) && block.type !== "tool_use" && block.type !== "tool_result")
    }
    default:
      return false
  }
}

/** A message in exactly the form of this package: nothing is to be done about it. */
export function isOwn(value: JsonObject): boolean {
  const { id, name, role, content, timestamp } = value
  if (!string(id) || !string(name) || typeof timestamp !== "string" || !isoUtc.test(timestamp)) return false
  if (typeof role !== "string" || !Object.hasOwn(allowed, role) || !Array.isArray(content)) return false
  const types: readonly string[] = allowed[role as Msg["role"]]
  return content.every((block) => isBlock(block) && types.includes(block.type))
}
