/**
 * The texts that an answer may have meant as its JSON, from the most literal one on: as it stands, what stands between
 * fences, what stands within other words; then the same with raw control characters in strings escaped and commas before a
 * closing bracket left out. Nothing is added and no value changes: what a model left out stays out.
 */
export function jsonCandidates(text: string): readonly string[] {
  const whole = text.trim()
  const fences = [...whole.matchAll(/```[\w-]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```/g)].map((match) =>
    (match[1] ?? "").trim(),
  )
  const found = [whole, ...(fences.length === 1 ? fences : []), ...valuesIn(whole)]
  const unique = [...new Set(found.filter((candidate) => candidate !== ""))]
  return [...new Set([...unique, ...unique.map(tidied)])]
}

/** More beginnings than this are no answer with a few words around it. */
const mostValues = 20

/** The objects and lists that stand in a text, those inside others left out. */
function valuesIn(text: string): string[] {
  const values: string[] = []
  let from = 0
  for (let tries = 0; tries < mostValues; tries++) {
    const start = startOf(text, from)
    if (start < 0) break
    const end = endOf(text, start)
    if (end > 0) values.push(text.slice(start, end))
    from = end > 0 ? end : start + 1
  }
  return values
}

function startOf(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === "{" || text[i] === "[") return i
  return -1
}

/** Where the value that starts at `start` ends, or -1 where it does not. */
function endOf(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === "\\") i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1
  }
  return -1
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

function tidied(json: string): string {
  let out = ""
  let from = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i] as string
    let instead: string | undefined
    if (inString) {
      if (char === "\\") i++
      else if (char === '"') inString = false
      else if (char < " ") instead = escapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
    } else if (char === '"') inString = true
    else if (char === "," && closes(json, i + 1)) instead = ""
    if (instead === undefined) continue
    out += json.slice(from, i) + instead
    from = i + 1
  }
  return out + json.slice(from)
}

/** Whether the next thing that is no white space closes a list or an object. */
function closes(json: string, from: number): boolean {
  for (let i = from; i < json.length; i++) {
    const char = json[i] as string
    if (char > " ") return char === "}" || char === "]"
  }
  return false
}
