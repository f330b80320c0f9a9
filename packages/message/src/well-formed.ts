/** The text with every lone surrogate replaced by U+FFFD; the same string when there is none. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** The first `length` UTF-16 units, one less where the cut would go through a character. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  if (length <= 0) return ""
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** The last `length` UTF-16 units, one less where the cut would go through a character. */
export function cutTextStart(text: string, length: number): string {
  if (text.length <= length) return text
  if (length <= 0) return ""
  const at = text.length - length
  const first = text.charCodeAt(at)
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? at + 1 : at)
}
