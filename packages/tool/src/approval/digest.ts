import type { JsonValue, ToolUseBlock } from "@agentscope-ts/message"
import { sha256 } from "./sha256.ts"

/** JSON with sorted keys and no blanks: equal values give equal text, whatever order their keys came in. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  const object = value as { readonly [key: string]: JsonValue | undefined }
  const members: string[] = []
  for (const key of Object.keys(object).toSorted()) {
    const member = object[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`)
  }
  return `{${members.join(",")}}`
}

/**
 * The digest of a call: SHA-256 over the canonical JSON of its id, name and input, in hexadecimal, and, where somebody approves
 * it, of the tool's {@link fingerprintOf}. An answer to a pending call carries it, so that it cannot be used for another call or
 * another input, nor once the tool has changed.
 */
export function digestOf({ id, input, name }: ToolUseBlock, fingerprint?: string): string {
  return sha256(canonicalJson(fingerprint === undefined ? { id, input, name } : { fingerprint, id, input, name }))
}
