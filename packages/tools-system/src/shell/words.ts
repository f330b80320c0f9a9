import type { CommandArgument, Word } from "unbash"

/** A word of a command: how it is written, and what it is when that is certain before it runs. */
export interface Argument {
  /** As it stands in the command, or quoted so that it could. */
  readonly text: string
  /** Quotes and escapes resolved; `undefined` where an expansion, a glob, braces or `~` decide when it runs. */
  readonly value: string | undefined
}

/** A word that needs no quotes in a shell. */
const plain = /^[\w@%+=:,./-]+$/

/** A value as a word of a shell. */
export function quoted(value: string): string {
  return plain.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
}

/** A word that stands for itself. */
export function literal(value: string): Argument {
  return { text: quoted(value), value }
}

/** What a word is for certain. */
export function valueOf(word: Word): string | undefined {
  if (word.text.startsWith("~")) return undefined
  const certain = (word.parts ?? []).every((part) => {
    if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return true
    return part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal")
  })
  return certain && !word.value.includes("\0") ? word.value : undefined
}

/** A word of the syntax tree as an {@link Argument}; `A=1` after `export` and the like is a word too. */
export function argumentOf(node: CommandArgument): Argument {
  if (node.type === "Word") {
    const value = valueOf(node)
    return { text: value === undefined ? node.text : quoted(value), value }
  }
  const inner =
    node.value.type === "Word" && node.index === undefined && node.append !== true ? valueOf(node.value) : undefined
  return inner === undefined ? { text: node.text, value: undefined } : literal(`${node.name}=${inner}`)
}

/** The words as one text. */
export function textOfWords(words: readonly Argument[]): string {
  return words.map((word) => word.text).join(" ")
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
