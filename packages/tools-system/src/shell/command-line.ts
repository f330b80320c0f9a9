import type { Argument } from "./words.ts"

/** One thing that a command line does and that a rule may cover. */
export interface CommandPart {
  /**
   * `command`: a program with its arguments. `assignment`: a variable that a program or the shell gets. `output`: a file
   * that a redirection writes, `input`: one that it reads.
   */
  readonly kind: "command" | "assignment" | "output" | "input"
  /** The command's words; else the one word that is the variable's text or the file. */
  readonly words: readonly Argument[]
  /** In the form of a rule: `git log -1`, `CI=1`, `> out.txt`, `< in.txt`. */
  readonly text: string
  /** Perhaps run by the command around it (`sudo rm x`): only rules that deny or ask look at it. */
  readonly hidden: boolean
  /** A prefix rule must name at least so many words; 1 unless said. */
  readonly prefixWords?: number
}

/** What a command line does, read before it runs. */
export interface CommandLine {
  readonly source: string
  readonly parts: readonly CommandPart[]
  /** Why it cannot be known what all of it does; then nothing but its exact text allows it. */
  readonly obscure: string | undefined
  /** Whether it leaves its working folder: relative paths then mean something else. */
  readonly movesAway: boolean
  /** Whether a command gets values of variables as its input, which may be secrets. */
  readonly tellsValues: boolean
}

/** Whether the command will be run by bash; another shell reads some syntax differently, which then is obscure. */
export interface ReadOptions {
  readonly bash: boolean
}
