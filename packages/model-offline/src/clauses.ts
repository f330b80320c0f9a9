import type { Masked, Quote } from "./spans.ts"
import { lookUp, type Verbed, verbOf, withoutLeadIn } from "./verbs.ts"

/** One thing that a request asks for, in its order. Text is masked: see `mask`. */
export interface Clause extends Verbed {
  readonly quotes: readonly Quote[]
}

// Where a request may go on to the next thing. "then" and its like always part; a comma, "and" or a full stop only before a verb.
const hard =
  /(?:\s*[,;.]?\s*(?:\band\b\s+)?\b(?:and then|then|after that|afterwards|after which|followed by|finally|lastly)\b,?\s*)/giu
const soft =
  /(?:\s*\n+\s*(?:(?:[-*•]|\d+[.)])\s+)?|\s*;\s*|[.!?]+\s+(?:\d+[.)]\s+)?|\s*,\s*(?:and\s+|but\s+)?(?:also\s+|please\s+)?|\s+(?:and|&|but|plus)\s+(?:also\s+|please\s+)?)/giu

interface Cut {
  readonly from: number
  readonly to: number
  readonly hard: boolean
  readonly text: string
}

function cutsIn(text: string): Cut[] {
  const cuts: Cut[] = []
  for (const [regex, isHard] of [
    [hard, true],
    [soft, false],
  ] as const) {
    for (const match of text.matchAll(regex)) {
      cuts.push({ from: match.index, to: match.index + match[0].length, hard: isHard, text: match[0] })
    }
  }
  return cuts.toSorted((a, b) => a.from - b.from || b.to - a.to)
}

// words that begin a question; after a full stop or a comma they begin a clause
const opener = /^(?:what|which|where|who|how|why|when|is|are|does|can|could|please|tell|show|use|call|do)\b/iu

/** Whether the text after a soft cut begins with something to do. */
function startsClause(text: string, toolVerbs: ReadonlySet<string>, quotes: readonly Quote[]): boolean {
  const next = withoutLeadIn(text)
  const word = /^\p{L}[\p{L}\p{N}_]*/u.exec(next)?.[0] ?? ""
  if (word === "" || /^[./\\=(]/u.test(next.slice(word.length))) return false
  if (lookUp(word, false) !== undefined || toolVerbs.has(word.toLowerCase())) return true
  return lookUp(word, true) !== undefined && verbOf(next, quotes).verb !== "other"
}

/** Verbs whose object is text of its own: what follows belongs to it unless it plainly is the next thing to do. */
const swallows = (clause: Verbed): boolean => clause.verb === "run" || clause.verb === "python"

// words of the shell that are verbs here as well
const shellWords =
  /^(?:ls|cat|grep|rg|head|tail|find|echo|dir|python3?|test|start|stop|open|make|print|cd|date|create|sum|count|replace|help|search|look)\b/iu

function mayPart(
  current: string,
  cut: Cut,
  after: string,
  toolVerbs: ReadonlySet<string>,
  quotes: readonly Quote[],
): boolean {
  // the verb stands at the beginning: the length of what follows costs nothing
  const clause = verbOf(current.slice(0, 200), quotes)
  if (swallows(clause)) {
    if (cut.text.includes(";") || /^\s*,/u.test(cut.text)) return cut.hard
    // `run make and test`: the shell's own words stay in the command, except on a new line or after a full stop
    if (!cut.hard && !/[\n.]/u.test(cut.text) && shellWords.test(withoutLeadIn(after))) return false
  }
  // "write to a.txt:" and "write a note that says" take the lines that follow
  if ((clause.verb === "write" || clause.verb === "append") && /:\s*(?:\n|$)/u.test(current + cut.text)) return false
  if (cut.hard) return after.trim() !== ""
  if (/[.!?]/u.test(cut.text) && opener.test(withoutLeadIn(after))) return true
  return startsClause(after, toolVerbs, quotes)
}

/** How much of a request is read as things to do; a longer text is somebody's document. */
const readable = 8000
const maxClauses = 30
const marker = /^\s*(?:[-*•]|\d+[.)])\s+/u

/** Parts masked text into the things that it asks for. `toolVerbs` are further words that begin one: the tools' own. */
export function clausesOf(masked: Masked, toolVerbs: ReadonlySet<string> = new Set()): Clause[] {
  const { quotes } = masked
  const text = masked.text.replace(marker, "")
  const pieces: string[] = []
  let start = 0
  if (text.length <= readable) {
    for (const cut of cutsIn(text)) {
      if (cut.from < start || pieces.length >= maxClauses) continue
      const current = text.slice(start, cut.from)
      if (current.trim() === "") {
        start = cut.to
        continue
      }
      if (mayPart(current, cut, text.slice(cut.to, cut.to + 200), toolVerbs, quotes)) {
        pieces.push(current)
        start = cut.to
      }
    }
  }
  pieces.push(text.slice(start))
  const clauses = pieces
    .map((piece) => piece.replace(marker, "").trim())
    .filter((piece) => piece.replaceAll(/[\s.,;:!?]/gu, "") !== "")
    .map((piece) => ({ ...verbOf(piece, quotes), quotes }))
  // "Hello Friday, list the files": a greeting or a name in front of something to do asks for nothing
  return clauses.length > 1 ? clauses.filter((clause, i) => !isAddress(clause, i)) : clauses
}

const isAddress = (clause: Verbed, index: number): boolean =>
  clause.verb === "greet" ||
  clause.verb === "thanks" ||
  (index === 0 && clause.verb === "other" && /^\p{Lu}\p{L}+$/u.test(clause.text))
