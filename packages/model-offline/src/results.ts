import { textOf, type ToolResultBlock } from "@agentscope-ts/message"

/** What a shell said: the form `<returncode>0</returncode><stdout>…</stdout><stderr>…</stderr>`, or plain text. */
export interface Spoken {
  readonly code?: number
  readonly text: string
}

const tagged = /^\s*<returncode>(-?\d+)<\/returncode>\s*<stdout>([\s\S]*)<\/stdout>\s*<stderr>([\s\S]*?)<\/stderr>\s*$/u

/** The text of a result without the tags that some tools put around it. */
export function spokenBy(result: ToolResultBlock): Spoken {
  const text = textOf(result)
  const match = tagged.exec(text)
  if (!match) return { text: text.replace(/\s+$/u, "") }
  const [, code, stdout, stderr] = match
  return {
    code: Number(code),
    text: [stdout, stderr]
      .map((part) => part?.replace(/^\n|\s+$/gu, ""))
      .filter(Boolean)
      .join("\n"),
  }
}

/** What a tool says in the place of a file's text, or after a part of it. */
const emptyFile = /^(?:the )?file \S.* is empty\.?$/iu
const cutNote = /^(?:the rest (?:was|is) cut|.*\btruncated\b.*|…|\.\.\. |\[?.*more (?:lines|output|characters).*)/iu

const numbered = /^ *(\d+)(?:\t|: ?|→|\| ?)(.*)$/u

/** The text of a file, as far as it was shown. */
export interface Shown {
  readonly text: string
  /** The file goes on. */
  readonly partial: boolean
}

/** The text of a file out of a result that may have numbered its lines; what the tool said around them is left out. */
export function shownBy(result: ToolResultBlock): Shown {
  const { text } = spokenBy(result)
  if (emptyFile.test(text.trim())) return { text: "", partial: false }
  const lines = text.split("\n")
  const parts = lines.map((line) => numbered.exec(line))
  let before: number | undefined
  let kept = 0
  for (const part of parts) {
    if (!part) continue
    const n = Number(part[1])
    if (before !== undefined && n !== before + 1) return { text, partial: false }
    before = n
    kept++
  }
  // a heading, a fence and a note or two around them may be the tool's own
  const others = lines.filter((line, i) => line.trim() !== "" && parts[i] === null)
  if (kept === 0 || others.length > 5) return { text, partial: false }
  const whole = parts.flatMap((part) => (part === null ? [] : [part[2] as string])).join("\n")
  return { text: whole, partial: others.some((line) => cutNote.test(line)) }
}

/** How many names a listing stands for: those in it and those that it says it left out; `atLeast` when it does not say how many. */
export function totalIn(result: ToolResultBlock): { readonly count: number; readonly atLeast: boolean } {
  let count = namesIn(result).length
  let atLeast = false
  for (const line of spokenBy(result).text.split("\n")) {
    const left = /^\s*(?:…|\.\.\.)\s*(?:and\s+)?(?:(\d[\d,]*)\s+)?more\b/iu.exec(line)
    if (left?.[1]) count += Number(left[1].replaceAll(",", ""))
    else
      atLeast ||= left !== null || (line.length < 200 && /^\W*(?:results?|output|list)\b.*\btruncated\b/iu.test(line))
  }
  return { count, atLeast }
}

const headings =
  /^(?:found \d|no (?:files?|matches|match|results?|entries|such)\b|total:|showing \d|the (?:contents?|folder|directory|files?|following)\b.*[:.]$|\(no |<|…|\.\.\. |\d+ files?\b|\d+ match)/iu

/** The names in a result that lists some: one a line, without marks and headings; of `file:line:text` the file. */
export function namesIn(result: ToolResultBlock): readonly string[] {
  const names: string[] = []
  for (const line of spokenBy(result).text.split("\n")) {
    const plain = line
      .replace(/ \(link\)$/u, "")
      .replace(/^\s*(?:[-*•├└│─]+\s+|\d+[.)]\s+)?/u, "")
      .trimEnd()
    const name = /^((?:[A-Za-z]:)?[^\s:][^:]*):\d+(?::|-)/u.exec(plain)?.[1] ?? plain
    const heading = name === "" || name.endsWith(":") || headings.test(name)
    if (!heading && name.length < 1000 && !names.includes(name)) names.push(name)
  }
  return names
}
