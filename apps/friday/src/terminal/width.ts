// what takes two columns: East Asian scripts and their signs, and pictures
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const none = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u

const columnsOf = (char: string): number => (wide.test(char) ? 2 : none.test(char) ? 0 : 1)

/** The start of a text that fits so many columns of a terminal, and the rest. */
export function splitAt(text: string, columns: number): readonly [string, string] {
  let used = 0
  let at = 0
  for (const char of text) {
    used += columnsOf(char)
    if (used > columns) return [text.slice(0, at), text.slice(at)]
    at += char.length
  }
  return [text, ""]
}

/** Cut to so many columns, with "…" where something is left out. */
export function clip(text: string, columns: number): string {
  const [, rest] = splitAt(text, columns)
  return rest === "" ? text : `${splitAt(text, Math.max(1, columns - 1))[0]}…`
}

/** Parts of a line that each fit so many columns (2 at least), parted at blanks where that is not too early. */
export function wrap(line: string, columns: number): string[] {
  const parts: string[] = []
  let [part, rest] = splitAt(line, Math.max(2, columns))
  while (rest !== "") {
    const blank = rest.startsWith(" ") ? part.length : part.lastIndexOf(" ")
    const end = blank > part.length / 2 ? blank : part.length
    parts.push(part.slice(0, end))
    const left = (part.slice(end) + rest).replace(/^ /u, "")
    ;[part, rest] = splitAt(left, Math.max(2, columns))
  }
  return [...parts, part]
}
