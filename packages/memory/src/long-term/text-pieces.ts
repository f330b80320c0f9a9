import { cutText } from "@agentscope-ts/message"

/** The text in pieces of so many UTF-16 units at most, cut where a paragraph, a sentence or a word ends if one does. */
export function textPieces(text: string, length: number): readonly string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > length) {
    const head = cutText(rest, length)
    const at = lastBreak(head)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  if (rest !== "") pieces.push(rest)
  return pieces
}

/** Where to cut: after the last paragraph, sentence or word, not leaving less than half. */
function lastBreak(head: string): number {
  for (const end of [/\n\s*\n/g, /[.!?]\s|[。！？\n]/g, /\s/g]) {
    let at = 0
    for (const match of head.matchAll(end)) at = match.index + match[0].length
    if (at > head.length / 2) return at
  }
  return head.length
}
