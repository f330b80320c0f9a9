/**
 * A request whose quoted parts stand as one character each, so that no rule looks into them: `read "a and b.txt"` has one
 * name in it. {@link unmask} puts the parts back.
 */
export interface Masked {
  readonly text: string
  readonly quotes: readonly Quote[]
}

/** A quoted part: what stands between the quotation marks, and the whole. */
export interface Quote {
  readonly inner: string
  readonly whole: string
}

// a private plane that no keyboard types
const base = 0xf0000
const limit = 0xfffd
/** A character class that matches one quoted part in masked text; needs the flag `u`. */
export const quoteMark = "[\\u{F0000}-\\u{FFFFD}]"
const marks = new RegExp(quoteMark, "gu")

interface Span {
  readonly end: number
  readonly inner: string
}

/** The end of what opens at `from`, looked for once per kind of quote: a long text with stray quotes stays linear. */
class Closers {
  readonly #text: string
  readonly #absent = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  #find(closer: string, from: number, accept: (at: number) => boolean = () => true): number {
    if (this.#absent.has(closer)) return -1
    let at = this.#text.indexOf(closer, from)
    while (at >= 0 && !accept(at)) at = this.#text.indexOf(closer, at + 1)
    if (at < 0) this.#absent.add(closer)
    return at
  }

  spanAt(at: number): Span | undefined {
    const text = this.#text
    if (text.startsWith("```", at)) {
      const end = this.#find("```", at + 3)
      if (end < 0) return undefined
      // the word after a fence names its language
      const inner = text
        .slice(at + 3, end)
        .replace(/^[^\s`]*\n/u, "")
        .replace(/\n$/u, "")
      return { end: end + 3, inner }
    }
    const open = text[at] as string
    if (open === "'") {
      // not the apostrophe of "what's", and closed where no word goes on
      if (/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return undefined
      const end = this.#find("'", at + 1, (i) => !/[\p{L}\p{N}]/u.test(text[i + 1] ?? ""))
      return end > at + 1 && end - at < 2000 ? { end: end + 1, inner: text.slice(at + 1, end) } : undefined
    }
    const closer = { '"': '"', "`": "`", "“": "”", "«": "»" }[open]
    if (closer === undefined) return undefined
    const escapes = open === '"'
    const end = this.#find(closer, at + 1, (i) => !escapes || text[i - 1] !== "\\")
    if (end < 0) return undefined
    const inner = text.slice(at + 1, end)
    return { end: end + 1, inner: escapes ? inner.replaceAll('\\"', '"') : inner }
  }
}

/** Puts a mark in the place of each quoted part. */
export function mask(request: string): Masked {
  const source = request.replaceAll(marks, "\uFFFD").replaceAll("\r\n", "\n")
  const closers = new Closers(source)
  const quotes: Quote[] = []
  let text = ""
  let kept = 0
  for (let at = 0; at < source.length; at++) {
    if (!"\"'`“«".includes(source[at] as string) || quotes.length >= limit) continue
    const span = closers.spanAt(at)
    if (!span) continue
    text += source.slice(kept, at) + String.fromCodePoint(base + quotes.length)
    quotes.push({ inner: span.inner, whole: source.slice(at, span.end) })
    kept = span.end
    at = span.end - 1
  }
  return { text: text + source.slice(kept), quotes }
}

const quoteAt = (char: string, quotes: readonly Quote[]): Quote | undefined => quotes[(char.codePointAt(0) ?? 0) - base]

/** Masked text with its quoted parts put back, without their quotation marks. */
export function unmask(text: string, quotes: readonly Quote[]): string {
  return text.replaceAll(marks, (char) => quoteAt(char, quotes)?.inner ?? "")
}

/** Masked text as it was written. */
export function restore(text: string, quotes: readonly Quote[]): string {
  return text.replaceAll(marks, (char) => quoteAt(char, quotes)?.whole ?? "")
}

/** What stands in the quoted parts of a piece of masked text, in order. */
export function quotesIn(text: string, quotes: readonly Quote[]): string[] {
  return (text.match(marks) ?? []).map((char) => quoteAt(char, quotes)?.inner ?? "")
}
