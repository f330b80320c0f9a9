import type { Key } from "node:readline"

// stand for a line break in a line; one that the text does not have is taken
const signs = ["↵", "⏎", "␤"]

/** A text that is pasted in several lines stands in the line that is edited as one, with a sign for each line break. */
export class Paste {
  #text: string | undefined
  #dropped = false
  readonly #used = new Set<string>()

  /** Takes a key: `true` when it was typed, the whole text at the end of a paste, `undefined` within one. */
  key(text: string | undefined, key: Key | undefined): string | true | undefined {
    if (key?.name === "paste-start") {
      this.#text = ""
      this.#dropped = false
      return undefined
    }
    if (this.#text === undefined) return key?.name === "paste-end" ? undefined : true
    if (key?.name === "paste-end") {
      const whole = this.#dropped ? undefined : this.#text
      this.#text = undefined
      return whole
    }
    // a way out, should the end never come
    if (key?.ctrl && key.name === "c") {
      this.#text = undefined
      return true
    }
    this.#text += text ?? ""
    return undefined
  }

  /** Forgets the paste that is going on, to its end. */
  drop(): void {
    this.#dropped = true
  }

  inOneLine(text: string): string {
    const lines = text.replace(/^\n+|\n+$/gu, "")
    if (!lines.includes("\n")) return lines
    const sign = signs.find((one) => !lines.includes(one)) ?? "↵"
    this.#used.add(sign)
    return lines.replaceAll("\n", sign)
  }

  /** The line with its breaks again. */
  inLines(line: string): string {
    let text = line
    for (const sign of this.#used) text = text.replaceAll(sign, "\n")
    return text
  }
}
