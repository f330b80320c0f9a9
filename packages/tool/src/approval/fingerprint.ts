import type { AnyTool } from "../define/definition.ts"
import { canonicalJson } from "./digest.ts"
import { sha256 } from "./sha256.ts"

interface Known {
  readonly of: readonly unknown[]
  readonly fingerprint: string
}
const known = new WeakMap<AnyTool, Known>()

/**
 * The fingerprint of a tool's definition: SHA-256 over all that a person could go by who approves a call of it (name,
 * description, schema, effects, who runs it) and the tool's own `fingerprint`. What was approved or remembered counts only as
 * long as it stays the same.
 */
export function fingerprintOf(tool: AnyTool): string {
  const { name, description, schema, external, effects, fingerprint, untrusted } = tool
  const of = [name, description, schema, external, effects, fingerprint, untrusted]
  const before = known.get(tool)
  if (before?.of.every((value, i) => value === of[i])) return before.fingerprint
  const text = canonicalJson(of.map(orNull))
  const made = sha256(text)
  known.set(tool, { of, fingerprint: made })
  return made
}

const orNull = (value: unknown): never => (value ?? null) as never
