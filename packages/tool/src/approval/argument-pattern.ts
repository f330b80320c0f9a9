import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { canonicalJson } from "./digest.ts"

/** One part of a pattern: a glob, for one argument or (without a key) for all. */
interface Term {
  readonly key?: readonly string[]
  readonly glob: RegExp
}

const special = /[.*+?^${}()|[\]\\/-]/g
const literal = (char: string): string => char.replace(special, String.raw`\$&`)

/** A glob as a regular expression over the whole text: `*` is any run of characters, `\` takes the next one as it is. */
export function globToRegExp(glob: string): RegExp {
  let source = ""
  for (let i = 0; i < glob.length; i++) {
    const char = glob.charAt(i)
    if (char === "*") source += ".*"
    else if (char === "\\" && i + 1 < glob.length) source += literal(glob.charAt(++i))
    else source += literal(char)
  }
  return new RegExp(`^${source}$`, "s")
}

/** Splits at a character that no backslash stands before; the parts keep their backslashes. */
function split(text: string, at: string, limit = Number.POSITIVE_INFINITY): string[] {
  const parts = [""]
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char === at && parts.length < limit) parts.push("")
    else parts[parts.length - 1] += char === "\\" && i + 1 < text.length ? char + text.charAt(++i) : char
  }
  return parts
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/gs, "$1")

function parse(pattern: string): Term[] {
  return split(pattern, ",").map((part) => {
    const [first = "", second] = split(part.trim(), "=", 2)
    if (second === undefined) return { glob: globToRegExp(first) }
    return { key: split(first.trim(), ".").map(unescape), glob: globToRegExp(second.trim()) }
  })
}

const textOf = (value: JsonValue): string => (typeof value === "string" ? value : canonicalJson(value))

function valueAt(input: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = input
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/**
 * The pattern language of tools that bring none of their own, as in `deploy(env=staging)` and `search(typescript*)`: globs
 * divided by commas, each for one argument (`key=glob`, `a.b=glob` for a nested one) or for all (`glob`); all must match.
 * `*` is any run of characters; `\` takes `*` `,` `=` `.` as they are. An argument that is no string is matched as JSON.
 * Arguments that no key names are free. A glob without a key matches when `every` argument does, else when one does:
 * what allows asks for all, what denies or asks is content with one.
 */
export function matchArguments(pattern: string, input: JsonObject, every: boolean): boolean {
  return parse(pattern).every(({ key, glob }) => {
    if (key) {
      const value = valueAt(input, key)
      return value !== undefined && glob.test(textOf(value))
    }
    const values = Object.values(input)
    if (values.length === 0) return false
    return every ? values.every((value) => glob.test(textOf(value))) : values.some((value) => glob.test(textOf(value)))
  })
}

const escape = (text: string): string => text.replaceAll(/[*,=.\\]/g, String.raw`\$&`)
const longest = 200

/**
 * The pattern that fits just these arguments, for "always": empty when there are none, `undefined` when they are nested or
 * longer than 200 characters, where a rule would not be worth its length.
 */
export function patternOf(input: JsonObject): string | undefined {
  const terms: string[] = []
  for (const [key, value] of Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (typeof value === "object" && value !== null) return undefined
    const text = textOf(value)
    // blanks at the ends do not count in a pattern
    if (key !== key.trim() || text !== text.trim()) return undefined
    terms.push(`${escape(key)}=${escape(text)}`)
  }
  const pattern = terms.join(",")
  return pattern.length > longest ? undefined : pattern
}
