import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { canonicalJson } from "./digest.ts"

/** One part of a pattern: a glob, for one argument or (without a key) for all; or `!`, that no other argument is there. */
type Term = { readonly key?: readonly string[]; readonly fits: (text: string) => boolean } | "alone"

/**
 * A glob as a test of a whole text: `*` is any run of characters, `\` takes the next one as it is. Its time grows with the
 * text and not with a power of it, as that of a regular expression would: texts come from models.
 */
export function globTest(glob: string): (text: string) => boolean {
  const parts = split(glob, "*").map(unescape)
  const [first = "", ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return text.length - at >= last.length && text.endsWith(last)
  }
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
    if (first === nothingElse && second === undefined) return "alone"
    if (second === undefined) return { fits: globTest(first) }
    return { key: split(first.trim(), ".").map(unescape), fits: globTest(second.trim()) }
  })
}

const nothingElse = "!"

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
 * `*` is any run of characters; `\` takes `*` `,` `=` `.` `!` as they are. An argument that is no string is matched as JSON.
 * Arguments that no key names are free, unless `!` is among the globs: then there must be none. A glob without a key matches
 * when `every` argument does, else when one does: what allows asks for all, what denies or asks is content with one.
 */
export function matchArguments(pattern: string, input: JsonObject, every: boolean): boolean {
  const terms = parse(pattern)
  return terms.every((term) => {
    if (term === "alone") return Object.keys(input).every((name) => terms.some((other) => isOf(other, name)))
    const { key, fits } = term
    if (key) {
      const value = valueAt(input, key)
      return value !== undefined && fits(textOf(value))
    }
    const values = Object.values(input)
    if (values.length === 0) return false
    return every ? values.every((value) => fits(textOf(value))) : values.some((value) => fits(textOf(value)))
  })
}

const isOf = (term: Term, name: string): boolean => term !== "alone" && term.key?.[0] === name

const escape = (text: string): string => text.replaceAll(/[*,=.\\]/g, String.raw`\$&`)
const longest = 200

/**
 * The pattern that fits just these arguments and no further one, for "always"; `undefined` when they are nested or longer than
 * 200 characters, where a rule would not be worth its length.
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
  // an argument that was left out, such as `recursive`, was not approved
  const pattern = [...terms, nothingElse].join(",")
  return pattern.length > longest ? undefined : pattern
}
