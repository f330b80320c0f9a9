import type { JsonSchema } from "@agentscope-ts/message"

/** What a reference inside the document (`#`, `#/$defs/node`, `#anchor`) points to, when it is an object. */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema | undefined {
  const found = lookUp(root, ref)
  return typeof found === "object" && found !== null ? (found as JsonSchema) : undefined
}

/** What a reference inside the document points to, whatever it is. */
export function lookUp(root: JsonSchema, ref: string): unknown {
  const id = root["$id"]
  const own = typeof id === "string" && ref.startsWith(`${id}#`) ? ref.slice(id.length) : ref
  if (own === "#" || own === id) return root
  if (!own.startsWith("#/")) return own.startsWith("#") ? anchored(root, own.slice(1)) : undefined
  let at: unknown = root
  for (const step of own.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

/** Definitions are where anchors are. */
function anchored(root: JsonSchema, anchor: string): unknown {
  const places = [root["$defs"], root["definitions"]].filter((place) => typeof place === "object" && place !== null)
  const parts = places.flatMap((place) => Object.values(place)) as (JsonSchema | null | undefined)[]
  return parts.find((part) => part?.["$anchor"] === anchor)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // a plain percent sign
    return step
  }
}
