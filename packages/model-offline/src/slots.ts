import { expressionsIn } from "./arithmetic.ts"
import type { Clause } from "./clauses.ts"
import { bare, dirIn, dirsIn, globOfKind, globsIn, isPathLike, isPlace, pathsIn } from "./paths.ts"
import { quoteMark, quotesIn, restore, unmask } from "./spans.ts"
import { isStopWord } from "./words.ts"
import { contentOf, type Content } from "./write-content.ts"

/** Words that stand for something said before: "it", "the second one" (from 1; -1 is the last), "each of them". */
export type Reference =
  | { readonly kind: "it" }
  | { readonly kind: "nth"; readonly n: number }
  | { readonly kind: "each" }

/** A range of lines, from 1, ends included; `last` counts from the end. */
export interface Lines {
  readonly from: number
  readonly to: number
  readonly last?: number
}

/** What can be counted without a tool, in a text that a tool gave. */
export type Countable = "lines" | "words" | "characters" | "files" | { readonly occurrencesOf: string }

/** What a clause says about the thing to do, by role; which parameter of which tool takes it is decided later. */
export interface Slots {
  readonly paths: readonly string[]
  readonly reference?: Reference
  readonly dir?: string
  /** More than one folder; `dir` is the first. */
  readonly dirs?: readonly string[]
  readonly glob?: string
  readonly pattern?: { readonly text: string; readonly regex: boolean }
  readonly command?: string
  readonly code?: string
  readonly expressions: readonly string[]
  readonly content?: Content
  readonly replace?: { readonly from: string; readonly to: string }
  readonly lines?: Lines
  readonly count?: Countable
  readonly ignoreCase?: boolean
}

const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
const words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
const nth = new RegExp(
  `\\b(${ordinals.join("|")}|last|\\d+(?:st|nd|rd|th))\\s+(?:\\p{L}+\\s+)?(?:one|files?|entry|entries|result|match|of (?:them|these|those)|item|folder)\\b`,
  "iu",
)

const toNumber = (word: string): number => {
  const lower = word.toLowerCase()
  const at = Math.max(ordinals.indexOf(lower), words.indexOf(lower))
  return at >= 0 ? at + 1 : Number.parseInt(lower, 10)
}

function referenceIn(text: string): Reference | undefined {
  const position = nth.exec(text)?.[1]
  if (position) return { kind: "nth", n: /^last$/iu.test(position) ? -1 : toNumber(position) }
  if (
    /\b(?:each|every (?:one|file)|all of (?:them|those|these)|them|those|all (?:the |of the |these |those )?files|both)\b/iu.test(
      text,
    )
  )
    return { kind: "each" }
  if (
    /\b(?:it|its|itself|that|this|(?:that|this|the|the same) (?:file|one|folder|text|note|result|output))\b/iu.test(
      text,
    )
  )
    return { kind: "it" }
  return undefined
}

const countWord = `(\\d+|${words.join("|")}|few|couple of)`
function linesIn(text: string): Lines | undefined {
  const head = new RegExp(`\\b(first|top|last|bottom)\\s+(?:${countWord}\\s+)?lines?\\b`, "iu").exec(text)
  if (head) {
    const n = head[2] === undefined ? 1 : /few|couple/iu.test(head[2]) ? 5 : toNumber(head[2])
    if (n > 0) return /first|top/iu.test(head[1] as string) ? { from: 1, to: n } : { from: 1, to: n, last: n }
  }
  const range = /\blines?\s+(\d+)(?:\s*(?:-|–|to|through|until|and)\s*(\d+))?/iu.exec(text)
  if (!range) return undefined
  const from = Number(range[1])
  const to = Number(range[2] ?? range[1])
  return from >= 1 && to >= from ? { from, to } : undefined
}

const shorn = (text: string): string => text.trim().replace(/[\s.,;:!?]+$/u, "")

const fillers =
  /^(?:(?:the|all|any|every|a|an|each|me|lines?|text|words?|string|phrase|pattern|term|expression|regex|regexp|occurrences?|mentions?|instances?|uses?|usages?|files?|where|that|which|of|with|containing|contains?|mentions?|for|named|called|like|to|says?)\s+)+(?=\S)/iu

function patternOf(clause: Clause, given: string): Slots["pattern"] {
  const { quotes } = clause
  const rest = given.replace(/^(?:-[a-z]+\s+)+/iu, "")
  const slashed = /(?<=^|\s)\/((?:[^/\\\s]|\\.)+)\/[a-z]*(?=\s|$|[.,!?])/u.exec(rest)
  if (slashed) return { text: unmask(slashed[1] as string, quotes), regex: true }
  const quoted = quotesIn(rest, quotes)
  if (quoted.length > 0) return { text: quoted[0] as string, regex: /\bregex|regexp|pattern\b/iu.test(rest) }
  const after =
    /(?:^|\s)for\s+(.+)$/isu.exec(rest)?.[1] ?? rest.replace(/^(?:\p{L}+\s+)?(?:in|inside)\s+\S+\s+for\s+/iu, "")
  const text = after
    .replace(/\s+(?:in|inside|within|under|across|throughout|on|from)\s+\S.*$/isu, "")
    .replace(
      /\s+(?:is|are|gets?|was)?\s*(?:defined|used|declared|imported|mentioned|called|set|here|please|ignoring case|case[- ]insensitiv\w+)(?=\s|[.?!]|$).*$/iu,
      "",
    )
    .replace(fillers, "")
  const found = shorn(unmask(text, quotes))
  return found === "" || isStopWord(found) || /^(?:files?|folders?)$/iu.test(found)
    ? undefined
    : { text: found, regex: false }
}

/** "search src for x", "grep x src": the folder without a preposition. */
function searchedDir(clause: Clause): { dir: string; rest: string } | undefined {
  const before = /^(?:(?:the|through)\s+)?(\S+)\s+(?:(?:folder|directory|file)\s+)?(?=for\s)/iu.exec(clause.rest)
  if (before && isPlace(unmask(before[1] as string, clause.quotes)) && !/^for$/iu.test(before[1] as string)) {
    return { dir: unmask(before[1] as string, clause.quotes), rest: clause.rest.slice(before[0].length) }
  }
  const two = /^(?:grep|rg)\s+(?:-\S+\s+)*(\S+)\s+(\S+)$/iu.exec(clause.text)
  const dir = two && unmask(bare(two[2] as string), clause.quotes)
  return dir && isPlace(dir) ? { dir, rest: two[1] as string } : undefined
}

/** "list src", "ls -la src": the folder is all that follows the verb. */
function listedDir(clause: Clause): string | undefined {
  const token = /^(?:-\S+\s+)*(?:(?:the|my|folder|directory)\s+)*(\S+)$/iu.exec(shorn(clause.rest))?.[1]
  const name = token && unmask(token, clause.quotes)
  return name && /^(?:list|ls|dir)\b/iu.test(clause.text) && isPlace(name) ? name : undefined
}

function globOf(clause: Clause, paths: readonly string[]): string | undefined {
  const { quotes, text } = clause
  const globs = globsIn(text, quotes)
  if (globs.length > 0) return globs[0]
  const anywhere = (name: string): string => (name.includes("/") ? name : `**/${name}`)
  const starting = /\bstart(?:ing|s)? with\s+(\S+)/iu.exec(text)?.[1]
  if (starting) return `**/${unmask(bare(starting), quotes)}*`
  const part = new RegExp(
    `\\b(?:containing|with|matching)\\s+(${quoteMark}|\\S+)\\s+in (?:the|their|its) names?\\b`,
    "iu",
  ).exec(text)?.[1]
  if (part) return `**/*${unmask(part, quotes)}*`
  const kind = globOfKind(text)
  if (kind) return kind
  const named = new RegExp(`\\b(?:named|called|name|matching)\\s+(${quoteMark}|\\S+)`, "iu").exec(text)?.[1]
  if (named) return anywhere(unmask(bare(named), quotes))
  return paths[0] === undefined ? undefined : anywhere(paths[0])
}

function commandOf(clause: Clause): string | undefined {
  const { quotes } = clause
  const rest = clause.rest
    .replace(
      /^\s*(?:(?:the|this|that|following|a|shell|bash|terminal)\s+)*(?:commands?|script|shell|bash|terminal)(?!\s+(?:-|\.|\/))\s*[:,]?\s*/iu,
      "",
    )
    .replace(/^[\s:,]+|\s+$/gu, "")
  const only = new RegExp(`^${quoteMark}(?:[\\s.!?]*|\\s+(?:in|on|with|using|for|please|as|and tell me)\\b.*)$`, "isu")
  if (only.test(rest)) return quotesIn(rest, quotes)[0]
  const command = restore(rest, quotes)
    .replace(/\s+(?:please|for me|in (?:the|a) (?:shell|terminal))\s*[.!?]*$/iu, "")
    .replace(/(?<=[\p{L}\p{N}"'])[.!?]$/u, "")
    .trim()
  return command === "" || /^(?:it|this|that|the|my|all|some|a|an|them|again)(?:\s|$)/iu.test(command)
    ? undefined
    : command
}

function codeOf(clause: Clause): string | undefined {
  const quoted = quotesIn(clause.rest, clause.quotes)
  const rest = clause.rest.replace(
    /^(?:(?:the|this|following|code|script|snippet|program|to|and|run|execute)\b\s*)*[:,]?\s*/iu,
    "",
  )
  if (quoted.length > 0 && /^[\u{F0000}-\u{FFFFD}]/u.test(rest)) return quoted[0]
  const code = restore(rest, clause.quotes).trim()
  return code === "" ? undefined : code
}

function replaceOf(clause: Clause): Slots["replace"] {
  const match =
    /^(?:all |every |the (?:word|text|line|string) )?(.+?)\s+(?:with|by|to|into|->|→)\s+(.+?)(?:\s+(?:in|inside|of)\s+\S+.*)?$/isu.exec(
      clause.rest,
    )
  if (!match) return undefined
  const from = unmask(shorn(match[1] as string), clause.quotes).replace(/\s+(?:in|inside)\s+\S+$/u, "")
  return { from, to: unmask(shorn(match[2] as string), clause.quotes) }
}

function countOf(clause: Clause): Countable | undefined {
  const { text, quotes } = clause
  const what = /\b(lines?|words?|characters?|chars?|letters?|bytes?|files?|entries|folders?)\b/iu.exec(
    clause.text.replace(/^count|^how many/iu, ""),
  )
  const times =
    /\b(?:occurrences?|instances?|mentions?) of\s+(?:the (?:word|text) )?(\S+)/iu.exec(text) ??
    /\bhow (?:many times|often) (?:does|is|do|are|did)?\s*(?:the (?:word|text) )?(\S+)/iu.exec(text) ??
    (what
      ? null
      : /^(?:count|how many)\s+(?:the |all |number of |every )*(\S+?)s?(?:\s+(?:are|is)\b.*|\s+in\b.*)?$/iu.exec(text))
  const needle = times && unmask(bare(times[1] as string), quotes)
  if (needle && !isStopWord(needle) && !isPathLike(needle)) return { occurrencesOf: needle }
  const noun = what?.[1]?.toLowerCase() ?? ""
  if (noun.startsWith("line")) return "lines"
  if (noun.startsWith("word")) return "words"
  if (/^(?:char|letter|byte)/u.test(noun)) return "characters"
  return /^(?:file|entr|folder)/u.test(noun) ? "files" : undefined
}

function dirOf({ verb, text, quotes, ...clause }: Clause, count: Countable | undefined): string | undefined {
  if (verb === "list") return dirIn(text, quotes, true) ?? listedDir({ verb, text, quotes, ...clause })
  if (verb === "count") return count === "files" ? dirIn(text, quotes) : undefined
  if (verb !== "search" && verb !== "find") return undefined
  return dirIn(text.replace(/\b(?:ends?|ending|starts?|starting)\s+(?:in|with)\s+\S+/iu, ""), quotes)
}

/** Reads out of a clause what its verb needs. */
export function slotsOf(clause: Clause): Slots {
  const { verb, text, quotes } = clause
  const paths = pathsIn(verb === "run" || verb === "python" ? "" : clause.rest || text, quotes)
  const reference = referenceIn(text)
  const count = verb === "count" ? countOf(clause) : undefined
  const searched = verb === "search" ? searchedDir(clause) : undefined
  const dir = dirOf(clause, count) ?? searched?.dir
  const glob =
    verb === "find" || verb === "list" || verb === "search" ? globOf(clause, verb === "find" ? paths : []) : undefined
  const pattern = verb === "search" ? patternOf(clause, searched?.rest ?? clause.rest) : undefined
  const command = verb === "run" ? commandOf(clause) : undefined
  const code = verb === "python" ? codeOf(clause) : undefined
  const content = verb === "write" || verb === "append" || verb === "insert" ? contentOf(clause, paths) : undefined
  const replace = verb === "edit" ? replaceOf(clause) : undefined
  const lines = linesIn(text)
  const dirs = dir === undefined ? [] : dirsIn(text, quotes, dir)
  return {
    paths,
    expressions: verb === "compute" ? expressionsIn(unmask(text, quotes)) : [],
    ...(reference && { reference }),
    ...(dir !== undefined && { dir }),
    ...(dirs.length > 1 && { dirs }),
    ...(glob !== undefined && { glob }),
    ...(pattern && { pattern }),
    ...(command !== undefined && { command }),
    ...(code !== undefined && { code }),
    ...(content && { content }),
    ...(replace && { replace }),
    ...(lines && { lines }),
    ...(count && { count }),
    ...(/\b(?:case[- ]insensitiv\w*|ignor\w+ (?:the )?case|any case)\b/iu.test(text) && { ignoreCase: true }),
  }
}
