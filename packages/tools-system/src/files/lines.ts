/** Lines with their line breaks; a last line without one counts. The lines joined are the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** The line break that most lines of a text end with. */
export function lineBreakOf(text: string): "\n" | "\r\n" {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++
    else lf++
  }
  return crlf > lf ? "\r\n" : "\n"
}

/** Text with all its line breaks of one kind. */
export function withLineBreaks(text: string, lineBreak: "\n" | "\r\n"): string {
  const plain = text.replaceAll("\r\n", "\n")
  return lineBreak === "\n" ? plain : plain.replaceAll("\n", "\r\n")
}

/** `3: text` for each line, counted from `first`. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${first + i}: ${line.replace(/\r?\n$/, "")}`).join("\n")
}

/** What the model sees after a change: the changed lines with five before and after, as `from` to `to` counted from 1. */
export function snippet(
  lines: readonly string[],
  from: number,
  to: number,
): { text: string; from: number; to: number } {
  const first = Math.max(1, from - 5)
  const last = Math.min(lines.length, to + 5)
  return { text: numbered(lines.slice(first - 1, last), first), from: first, to: last }
}

/** Replaces the lines `from` to `to` (counted from 1; `to` = `from` - 1 inserts) and keeps the end of the file as it was. */
export function spliceLines(
  lines: readonly string[],
  from: number,
  to: number,
  content: string,
  lineBreak: "\n" | "\r\n",
) {
  const added = splitLines(withLineBreaks(content, lineBreak))
  const before = lines.slice(0, from - 1)
  const after = lines.slice(to)
  const replaced = lines.slice(from - 1, to)
  // the line break at the end belongs to the file, not to the model's text
  const closed = after.length > 0 || (replaced.at(-1) ?? before.at(-1) ?? "\n").endsWith("\n")
  const lastBefore = before.at(-1)
  if (added.length > 0 && lastBefore !== undefined && !lastBefore.endsWith("\n"))
    before[before.length - 1] = lastBefore + lineBreak
  const lastAdded = added.at(-1)
  if (lastAdded !== undefined) {
    const bare = lastAdded.replace(/\r?\n$/, "")
    added[added.length - 1] = closed ? bare + lineBreak : lastAdded
  }
  return { lines: [...before, ...added, ...after], added: added.length }
}
