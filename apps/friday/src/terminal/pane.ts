import { styleText } from "node:util"

/** Where text goes: standard output or error. */
export interface TextStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

type Style = Parameters<typeof styleText>[0]

/**
 * A stream that knows where its cursor stands, so that parts of a conversation are set apart by one empty line and never run
 * into each other. Colours only on a terminal that has them and without `NO_COLOR`.
 */
export class Pane {
  readonly stream: TextStream
  #lineStart = true
  #last: string | undefined

  constructor(stream: TextStream) {
    this.stream = stream
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true
  }

  /** Characters in a line: the terminal's as it is now, 80 elsewhere. */
  get columns(): number {
    return Math.max(20, this.stream.columns || 80)
  }

  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.stream })
  }

  write(text: string): void {
    if (text === "") return
    this.stream.write(text)
    this.#lineStart = text.endsWith("\n")
  }

  /** Begins a part of some kind: on a line of its own, after an empty one unless the kind goes on. */
  begin(kind: string): void {
    if (this.#last === kind) return
    this.endLine()
    if (this.#last !== undefined) this.write("\n")
    this.#last = kind
  }

  /** Something was shown elsewhere: what comes next here is a part of its own, whatever its kind. */
  part(): void {
    this.#last &&= "other"
  }

  endLine(): void {
    if (!this.#lineStart) this.write("\n")
  }

  line(text = ""): void {
    this.endLine()
    this.write(`${text}\n`)
  }

  /** The conversation begins anew: the next part needs no empty line before it. */
  reset(): void {
    this.endLine()
    this.#last = undefined
  }
}
