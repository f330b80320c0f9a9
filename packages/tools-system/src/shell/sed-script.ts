const lines = /\d+(?:~\d+)?|\$/y
const range = /\s*,\s*[+~]?/y
const gap = /[\s;}]*/y

/** The end of what a sticky expression finds at a place; the place itself when it finds nothing. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Whether a pattern ends inside brackets: some seds then take its delimiter for a part of it. */
function endsInBrackets(pattern: string): boolean {
  const bracket = /\\[\s\S]|\[\^?\]?[^\]]*(\]|$)|[\s\S]/g
  return [...pattern.matchAll(bracket)].some(([found, end]) => found.startsWith("[") && end === "")
}

/** The place behind a part that a delimiter ends; `undefined` where it has no end, or not the same for every sed. */
function afterPart(text: string, at: number, delimiter: string, isPattern: boolean): number | undefined {
  for (let i = at; i < text.length; i++) {
    if (text[i] === "\\") i++
    else if (text[i] === delimiter) return isPattern && endsInBrackets(text.slice(at, i)) ? undefined : i + 1
    else if (text[i] === "\n" && isPattern) return undefined
  }
  return undefined
}

/** The place behind the two parts of `s/a/b/`. */
function afterParts(text: string, at: number): number | undefined {
  const delimiter = text[at]
  if (delimiter === undefined || /[\n\\]/.test(delimiter)) return undefined
  const second = afterPart(text, at + 1, delimiter, true)
  return second === undefined ? undefined : afterPart(text, second, delimiter, false)
}

/** The place behind an address, the place itself where there is none. */
function afterAddress(text: string, at: number): number | undefined {
  const start = text[at] === "\\" ? at + 1 : at
  if (start === at && text[at] !== "/") return after(lines, text, at)
  const end = afterPart(text, start + 1, text[start] ?? "\n", true)
  return end === undefined ? undefined : after(/[IM]*/y, text, end)
}

/** The place behind up to two addresses, `!` and blanks. */
function afterAddresses(text: string, at: number): number | undefined {
  const first = afterAddress(text, at)
  if (first === undefined || first === at) return first
  const comma = after(range, text, first)
  const second = comma === first ? first : afterAddress(text, comma)
  return second === undefined ? undefined : after(/[ \t!]*/y, text, second)
}

/**
 * Whether a script of `sed` only edits text: no `e` (runs commands), no `w` (writes files), also as flags of `s`. What is
 * not understood is no such script.
 */
export function isPlainSed(script: string): boolean {
  let at = after(gap, script, 0)
  while (at < script.length) {
    const found = afterAddresses(script, at)
    if (found === undefined) return false
    const command = script[found]
    let end: number | undefined = found + 1
    if (command === "s" || command === "y") {
      end = afterParts(script, end)
      if (end !== undefined) end = after(/[gpiIMm\d]*/y, script, end)
    } else if (/[qQlL]/.test(command ?? "")) end = after(/[ \t]*\d*/y, script, end)
    // to the end of the line, which a backslash carries on
    else if (/[aic#:btTrR]/.test(command ?? "")) end = after(/(?:\\[\s\S]|[^\\\n])*/y, script, end)
    else if (!/[{pPdDgGhHxnNzF=]/.test(command ?? "")) return false
    if (end === undefined) return false
    at = after(gap, script, end)
    if (at === end && at < script.length && script[at] !== "#" && command !== "{") return false
  }
  return true
}
