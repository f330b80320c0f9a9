import type { JsonSchema } from "@agentscope-ts/message"

/** What a reference inside the document (`#`, `#/$defs/node`) points to. */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (ref === "#") return root
  if (!ref.startsWith("#/")) return undefined
  let at: unknown = root
  for (const step of ref.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return typeof at === "object" && at !== null ? (at as JsonSchema) : undefined
}
