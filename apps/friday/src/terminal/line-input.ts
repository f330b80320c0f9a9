import { createInterface, type Interface, type Key } from "node:readline"
import { Writable } from "node:stream"
import { cleanText } from "./clean-text.ts"
import { Paste } from "./paste.ts"

/** The terminal's output as the line editor sees it; silent while nobody is asked, so that what is typed ahead is not drawn. */
class Drawing extends Writable {
  silent = true
  readonly isTTY = true
  readonly #terminal: NodeJS.WriteStream
  readonly #resized = (): void => void this.emit("resize")

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#terminal = terminal
    terminal.on("resize", this.#resized)
  }

  get columns(): number {
    return this.#terminal.columns
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    if (!this.silent) this.#terminal.write(text)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#terminal.off("resize", this.#resized)
    done(error)
  }
}

type Editor = Interface & { prevRows?: number; history?: string[]; _ttyWrite(text?: string, key?: Key): void }

/** What the person at the terminal did with a question. */
export type Typed =
  | { readonly type: "line"; readonly text: string }
  /** Ctrl-C; `empty` when no text stood in the line. */
  | { readonly type: "interrupt"; readonly empty: boolean }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly type: "end" }

/** How a question is asked. */
export interface AskOptions {
  /** Stands in the line already. */
  readonly prefill?: string | undefined
  /** Only what is typed from now on counts, and it is not kept in the history: for answers that decide something. */
  readonly fresh?: boolean | undefined
}

/** Reads lines from a terminal with editing and history. What is typed while nobody asks is kept for the next question. */
export class LineInput {
  readonly #drawing: Drawing
  readonly #terminal: NodeJS.WriteStream
  readonly #lines: Editor
  readonly #paste = new Paste()
  readonly #ahead: string[] = []
  #answer: ((typed: Typed) => void) | undefined
  #fresh = false
  #ended = false
  readonly #onInterrupt: () => void

  /** `onInterrupt` hears Ctrl-C while no question is open. */
  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, onInterrupt: () => void) {
    this.#onInterrupt = onInterrupt
    this.#terminal = output
    this.#drawing = new Drawing(output)
    this.#lines = createInterface({
      input,
      output: this.#drawing,
      terminal: true,
      historySize: 200,
      removeHistoryDuplicates: true,
    }) as Editor
    // every key goes through here, as the REPL of Node does it too
    const edit = this.#lines._ttyWrite.bind(this.#lines)
    this.#lines._ttyWrite = (text, key) => {
      const kept = this.#paste.key(text, key)
      if (kept === true) edit(text, key)
      else if (kept !== undefined) this.#lines.write(this.#paste.inOneLine(cleanText(kept.replaceAll(/\r\n?/gu, "\n"))))
    }
    this.#markPastes(true)
    process.on("exit", this.#unmark)
    this.#lines.on("line", (text) => this.#typed(text))
    this.#lines.on("SIGINT", () => this.#interrupted())
    this.#lines.on("SIGTSTP", () => this.#suspend(input))
    this.#lines.on("close", () => {
      this.#ended = true
      this.#give({ type: "end" })
    })
  }

  ask(prompt: string, { prefill = "", fresh = false }: AskOptions = {}): Promise<Typed> {
    const ahead = fresh ? undefined : this.#ahead.shift()
    if (ahead !== undefined) {
      this.#drawing.silent = false
      this.#drawing.write(`${prompt}${ahead}\n`)
      this.#drawing.silent = true
      return Promise.resolve({ type: "line", text: ahead })
    }
    if (this.#ended) return Promise.resolve({ type: "end" })
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#fresh = fresh
      if (fresh) {
        this.#clear()
        this.#paste.drop()
      }
      this.#drawing.silent = false
      this.#lines.prevRows = 0 // what was typed unseen took no rows
      this.#lines.setPrompt(prompt)
      this.#lines.prompt(true)
      if (prefill !== "") this.#lines.write(prefill)
    })
  }

  /** The same as a Ctrl-C that was typed. */
  interrupt(): void {
    this.#interrupted()
  }

  /** Forgets what was typed ahead, and gives the lines that were sent already. */
  discard(): readonly string[] {
    this.#paste.drop()
    this.#clear()
    return this.#ahead.splice(0)
  }

  close(): void {
    this.#answer = undefined
    process.off("exit", this.#unmark)
    this.#markPastes(false)
    this.#lines.close()
    this.#drawing.destroy()
  }

  readonly #unmark = (): void => this.#markPastes(false)

  /** Asks the terminal to say where a pasted text begins and ends. */
  #markPastes(on: boolean): void {
    if (process.env["TERM"] !== "dumb") this.#terminal.write(`\u001b[?2004${on ? "h" : "l"}`)
  }

  #typed(line: string): void {
    const text = this.#paste.inLines(line)
    if (this.#answer === undefined) this.#ahead.push(text)
    else {
      if (this.#fresh) this.#lines.history?.shift()
      this.#give({ type: "line", text })
    }
  }

  #give(typed: Typed): void {
    const answer = this.#answer
    this.#answer = undefined
    if (answer && typed.type !== "line") this.#drawing.write("\n")
    this.#drawing.silent = true
    answer?.(typed)
  }

  #interrupted(): void {
    if (this.#answer === undefined) return this.#onInterrupt()
    const empty = this.#lines.line === ""
    this.#clear()
    this.#give({ type: "interrupt", empty })
  }

  /** Takes away what stands in the line. */
  #clear(): void {
    const { silent } = this.#drawing
    this.#drawing.silent = true
    this.#lines.write(null, { ctrl: true, name: "e" })
    this.#lines.write(null, { ctrl: true, name: "u" })
    this.#drawing.silent = silent
  }

  /** Ctrl-Z stops the whole job, the programs that started this one too, so that the shell gets the terminal back. */
  #suspend(input: NodeJS.ReadStream): void {
    if (process.platform === "win32") return
    this.#markPastes(false)
    input.setRawMode(false)
    process.once("SIGCONT", () => {
      input.setRawMode(true)
      this.#markPastes(true)
      if (this.#answer !== undefined) this.#lines.prompt(true)
    })
    process.kill(0, "SIGTSTP")
  }
}
