import { expressionsIn } from "./arithmetic.ts"
import type { Clause } from "./clauses.ts"
import { bare } from "./paths.ts"
import { quotesIn, restore, unmask } from "./spans.ts"

/**
 * What a request wants written: its own words; what came before ("the result"); something to get first ("the result of
 * 2*3"), given as a request; or something that only a language model could make up.
 */
export type Content =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "earlier" }
  | { readonly kind: "first"; readonly request: string }
  | { readonly kind: "invented"; readonly what: string }

const inventions =
  /^(?:me\s+)?(?:an?|some|the)\s+(?:\p{L}+\s+){0,3}?(?:poem|haiku|story|essay|joke|song|letter|email|function|script|program|class|test|tests|summary|report|article|plan|recipe|code|paragraph|speech|readme)\b/iu
const earlier =
  /^(?:it|that|this|them|those|these|(?:the|that|this|its|their|your|all(?: the)?)\s+(?:\p{L}+\s+){0,2}?(?:results?|answers?|outputs?|lists?|sum|number|numbers|count|counts|matches|findings|text|value|contents?|names?|total))$/iu
const derived =
  /^(?:the\s+)?(?:(results?|sum|product|answer|value|average)\s+of|(output)\s+of|(contents?|text)\s+of|(list)\s+of)\s+(.+)$/isu

const says =
  /(?:^|\s)(?:(?:that|which)\s+(?:says?|reads?|contains?)|saying|reading|containing|with(?:\s+the)?(?:\s+(?:contents?|text|words?|line|message|following))?|says)\s*:?\s+(?=\S)/iu

/** The words without the "to FILE" around them and without the name of what is written ("a note that"). */
function withoutTarget(rest: string, path: string | undefined, clause: Clause): string {
  let text = rest
  if (path !== undefined) {
    const tokens = text.split(/(\s+)/u)
    const at = tokens.findIndex(
      (token) => unmask(bare(token), clause.quotes) === path || unmask(token, clause.quotes) === path,
    )
    if (at >= 0) {
      const before = tokens
        .slice(0, at)
        .join("")
        .replace(
          /\s*\b(?:to|into|in|as|onto|at|called|named|under)?\s*(?:(?:the|a|an|my|new)\s+)*(?:text\s+)?(?:files?|notes?|document)?\s*(?:called|named)?\s*$/iu,
          "",
        )
      const target = tokens[at] as string
      const after = tokens.slice(at + 1).join("")
      const colon = target.endsWith(":") ? ": " : ""
      text = `${before} ${colon}${after}`
    }
  }
  return text
    .trim()
    .replace(
      /^(?:(?:me|a|an|the|new|down|yourself|short|quick)\s+)*(?:notes?|files?|document|reminder|text)\b\s*(?=:|that|to\b|saying|with|containing|which|about|$)/iu,
      "",
    )
    .replace(/^(?:to\s+|that\s+|down\s+)(?=\S)/iu, "")
    .trim()
}

/** Finds what a write or append clause wants written; undefined when it does not say. */
export function contentOf(clause: Clause, paths: readonly string[]): Content | undefined {
  const path = paths.length === 0 ? undefined : targetOf(clause, paths)
  if (/\bempty\s+(?:text\s+)?(?:file|note)\b/iu.test(clause.rest)) return { kind: "text", text: "" }
  const whole =
    clause.verb === "write" && /^remember|^remind/iu.test(clause.text)
      ? clause.rest.replace(/^(?:me\s+)?(?:to|that)\s+/iu, "")
      : clause.rest
  let text = withoutTarget(whole, path, clause)
  const colon = /^[^:\n]{0,60}?:(?:\s+|$)/u.exec(text)
  const said = says.exec(text)
  if (colon && (!said || colon.index + colon[0].length <= said.index + said[0].length))
    text = text.slice(colon[0].length)
  else if (said) text = text.slice(said.index + said[0].length)
  text = text.trim()
  if (text === "") {
    const quoted = quotesIn(clause.rest, clause.quotes).filter((inner) => inner !== path)
    return quoted.length > 0 ? { kind: "text", text: quoted[0] as string } : undefined
  }
  // "append the line bye": what it is, and then the words
  text = text.replace(
    /^(?:the|a|this)\s+(?:line|words?|sentence|text)\s+(?!(?:of|in|from|at|number|numbers|\d+)(?!\S))(?=\S)/iu,
    "",
  )
  const quoted = quotesIn(text, clause.quotes)
  if (quotedOnly(text)) return { kind: "text", text: quoted[0] as string }
  const got = colon || said ? undefined : gotten(text, clause)
  if (got) return got
  // `put "x = 1" there`: what is quoted is the text
  if (quoted.length === 1 && !colon && standsAlone.test(text)) return { kind: "text", text: quoted[0] as string }
  return { kind: "text", text: restore(text, clause.quotes) }
}

/** What is no text but a way to one. */
function gotten(text: string, { quotes }: Clause): Content | undefined {
  if (inventions.test(text)) return { kind: "invented", what: restore(text, quotes) }
  const spoken = text.replace(/[.!?]+$/u, "")
  if (earlier.test(spoken)) return { kind: "earlier" }
  const first = derived.exec(spoken)
  if (!first) return undefined
  const [, operation, output, contents, list, of] = first
  const object = restore(of as string, quotes)
  if (operation && expressionsIn(unmask(text, quotes)).length > 0) {
    return {
      kind: "first",
      request: /^result/iu.test(operation) ? `compute ${object}` : `compute ${operation} of ${object}`,
    }
  }
  if (output) return { kind: "first", request: `run ${object}` }
  if (contents) return { kind: "first", request: `read ${object}` }
  return list ? { kind: "first", request: `list ${object}` } : undefined
}

// `print("x")` is text with quotation marks in it
const standsAlone = /(?:^|\s)[\u{F0000}-\u{FFFFD}](?=[\s.,!?]|$)/u

const quotedOnly = (text: string): boolean => /^[\u{F0000}-\u{FFFFD}][\s.!?]*$/u.test(text)

/** The file that a write is for: the one after "to", "into", "in", "as", "called", else the first named. */
export function targetOf(clause: Clause, paths: readonly string[]): string | undefined {
  const text = unmask(clause.rest, clause.quotes)
  const named = paths.filter((path) => {
    const at = text.indexOf(path)
    return /\b(?:to|into|in|as|onto|called|named|file|note)\s+(?:(?:the|a|my|new)\s+)*(?:file\s+|note\s+)?(?:called\s+|named\s+)?["'`“]?$/iu.test(
      text.slice(0, at),
    )
  })
  return named.at(-1) ?? paths[0]
}
