import { stripVTControlCharacters } from "node:util"
import { wellFormed } from "@agentscope-ts/message"

// what moves the cursor, changes colours, sets the title or turns the reading direction: all but tab and newline
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text of a tool or a model as it may go to a terminal: escape sequences and control characters are taken out, so that what
 * is shown is all that happens.
 */
export function cleanText(text: string): string {
  return wellFormed(stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(controls, ""))
}

// all of category C (controls, format, private use, unassigned, half characters), blanks that are no plain one, and letters
// that draw nothing (Hangul fillers, the empty Braille cell); tab and newline stay
const unseen = /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

const written = (char: string): string => `\\u{${char.codePointAt(0)?.toString(16)}}`

/** The same for what a person decides about: nothing is taken out, everything unseen is written out as `\u{…}`. */
export function revealText(text: string): string {
  return text.replaceAll(unseen, written)
}

/** {@link revealText} for what must stay in one line: tabs and newlines are written out too. */
export function revealLine(text: string): string {
  return revealText(text).replaceAll(/[\t\n]/gu, written)
}

// oxlint-disable-next-line no-control-regex
const ended = /[A-Za-z\u0007~\\]/u

/**
 * {@link cleanText} for text that comes in pieces: a sequence that is cut by the end of a piece is held back until the next.
 */
export class TextCleaner {
  #held = ""

  /** What of the text so far can be shown now. */
  push(piece: string): string {
    const text = this.#held + piece
    // an escape within the last characters may go on; half a character too
    const escape = text.lastIndexOf("\u001b", text.length - 1)
    const open = escape >= 0 && text.length - escape < 64 && !ended.test(text.slice(escape + 2)) ? escape : text.length
    const half = /[\ud800-\udbff]$/.test(text.slice(0, open)) ? open - 1 : open
    this.#held = text.slice(half)
    return cleanText(text.slice(0, half))
  }

  /** What was held back, at the end. */
  end(): string {
    const rest = this.#held
    this.#held = ""
    return cleanText(rest)
  }
}
