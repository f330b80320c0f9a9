import { mask } from "./secrets.ts"

/** One place where what came is not what a tape has. Values are short JSON; absent ones are "nothing". */
export interface TapeDifference {
  /** Such as `messages[1].content`; empty for the whole. */
  readonly path: string
  readonly expected: string
  readonly actual: string
}

/** The places where two JSON values differ, up to `most` of them. A masked secret is as good as any text. */
export function differences(expected: unknown, actual: unknown, most = 20): TapeDifference[] {
  const found: TapeDifference[] = []
  compare(expected, actual, "", found, most)
  return found
}

function compare(expected: unknown, actual: unknown, path: string, found: TapeDifference[], most: number): void {
  if (found.length >= most || expected === actual) return
  if (typeof expected === "string" && typeof actual === "string") {
    if (!sameText(expected, actual)) found.push({ path, ...textsFrom(expected, actual) })
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      compare(expected[i], actual[i], `${path}[${i}]`, found, most)
    }
  } else if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const step = /^[\w$]+$/.test(key) ? `${path === "" ? "" : "."}${key}` : `[${JSON.stringify(key)}]`
      compare(expected[key], actual[key], path + step, found, most)
    }
  } else found.push({ path, expected: short(expected), actual: short(actual) })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function sameText(expected: string, actual: string): boolean {
  if (!expected.includes(mask)) return false
  const parts = expected.split(mask)
  let at = 0
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1
    const next =
      i === 0 ? (actual.startsWith(part) ? 0 : -1) : isLast ? actual.length - part.length : actual.indexOf(part, at)
    if (next < at || (isLast && !actual.endsWith(part))) return false
    at = next + part.length
  }
  return true
}

const width = 60

/** Long texts are shown from shortly before where they begin to differ. */
function textsFrom(expected: string, actual: string): Omit<TapeDifference, "path"> {
  let same = 0
  while (same < expected.length && expected[same] === actual[same]) same++
  const from = expected.length <= width && actual.length <= width ? 0 : Math.max(0, same - 20)
  const cut = (text: string): string => {
    const shown = JSON.stringify(text.slice(from, from + width))
    return `${from > 0 ? "…" : ""}${shown}${text.length > from + width ? "…" : ""}`
  }
  return { expected: cut(expected), actual: cut(actual) }
}

/** A value as short JSON. */
export function short(value: unknown): string {
  if (value === undefined) return "nothing"
  const text = JSON.stringify(value)
  return text.length > width ? `${text.slice(0, width)}…` : text
}
