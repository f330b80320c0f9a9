import type { SyntaxNode } from "unbash"

/** Blanks, and line ends that a backslash hides. */
const blanks = /^(?:[ \t]|\\\n)*$/
/** What may follow a statement on its line. */
const ending = /^(?:[ \t;&]|\\\n)*(?:#.*)?(?:\n|$)/

interface Placed {
  readonly pos: number
  readonly end: number
}

function isGapless(source: string, parts: readonly Placed[], between: RegExp): boolean {
  const sorted = parts.toSorted((a, b) => a.pos - b.pos)
  return sorted.every(({ end }, i) => {
    const next = sorted[i + 1]
    return next === undefined || between.test(source.slice(end, next.pos))
  })
}

/**
 * Whether something stands between the words of a command, or behind it, that belongs to nothing: a parser that forgives
 * `ls (rm x` has read something else than a shell would. `text` is what the node's places are in.
 */
export function hasGap(node: SyntaxNode, text: string): boolean {
  if (node.type === "Command") {
    return !isGapless(text, [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix], blanks)
  }
  if (node.type !== "Script") return false
  const last = node.commands.at(-1)
  return !isGapless(text, node.commands, ending) || (last !== undefined && !ending.test(text.slice(last.end, node.end)))
}
