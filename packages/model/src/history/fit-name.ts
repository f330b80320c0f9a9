/** What an id or a name must look like. */
export interface NameRule {
  readonly pattern?: RegExp | undefined
  readonly maxLength?: number | undefined
}

/** Whether a name keeps the rule; an empty one never does. */
export function fitsRule(name: string, { pattern, maxLength }: NameRule): boolean {
  return name !== "" && (maxLength === undefined || name.length <= maxLength) && (pattern?.test(name) ?? true)
}

/**
 * A name that keeps the rule, made from another: the same for the same input, different for different ones, also where
 * they begin alike. `taken` says which names are in use.
 */
export function fitName(name: string, rule: NameRule, taken: (candidate: string) => boolean): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^[^A-Za-z_]+/, "")
  const room = Math.min(rule.maxLength ?? 64, 64)
  for (let salt = 0; ; salt++) {
    const hash = hashOf(salt === 0 ? name : `${name}#${salt}`)
    const candidates = [
      `${clean.slice(0, room - hash.length - 1)}_${hash}`,
      `call_${hash}`,
      hash,
      // as long as the rule can want, and as short
      hash.slice(0, rule.maxLength ?? 8),
      hash.replace(/\D/g, "0").slice(0, rule.maxLength ?? 9),
    ]
    const found = candidates.find((candidate) => fitsRule(candidate, rule) && !taken(candidate))
    if (found !== undefined) return found
    // no candidate keeps a rule this odd: better a name that is merely unique
    if (salt === 100) return `call_${hash}`
  }
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** 53 bits of hash (cyrb53) as nine letters and digits: what the strictest provider takes for an id. */
function hashOf(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  let bits = 4294967296 * (2097151 & b) + (a >>> 0)
  let out = ""
  for (let i = 0; i < 9; i++) {
    out += digits[bits % 62]
    bits = Math.floor(bits / 62)
  }
  return out
}
