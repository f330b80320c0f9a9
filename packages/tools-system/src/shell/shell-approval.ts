import { FileRoot } from "../files/file-root.ts"
import type { CommandLine } from "./command-line.ts"
import { allows, type CommandRule, commandRule, concerns } from "./command-rules.ts"
import { readCommand } from "./read-command.ts"
import { findShell } from "./shell-program.ts"
import { suggestRules } from "./suggest-rules.ts"

/** The part of a shell tool's options that approval depends on. */
interface ApprovalOptions {
  readonly cwd?: string | undefined
  readonly allow?: readonly string[] | undefined
  readonly askAlways?: boolean | undefined
}

interface CommandInput {
  readonly command: string
}

/** A command's name alone stands for it with any arguments. */
function allowed(entry: string): CommandRule {
  return commandRule(/^[\w./+-]+$/.test(entry.trim()) ? `${entry.trim()}:*` : entry)
}

/** Who decides whether a command needs a person's word: for a shell tool with this working folder. */
export class ShellApproval {
  readonly #root: FileRoot | undefined
  readonly #allow: readonly CommandRule[]

  constructor({ cwd = ".", allow = [], askAlways = false }: ApprovalOptions) {
    this.#root = askAlways ? undefined : new FileRoot(cwd)
    this.#allow = allow.map(allowed)
  }

  #read(command: string): CommandLine {
    return readCommand(command, { bash: findShell()?.bash ?? false })
  }

  /** Whether a command is neither allowed by the tool's own list nor proven to only read. */
  needsApproval({ command }: CommandInput): boolean {
    return !allows(this.#allow, this.#read(command), this.#root)
  }

  /** Whether one rule covers a command: all of it when the rule allows, any part of it when it denies or asks. */
  match(pattern: string, { command }: CommandInput, isAllowing: boolean): boolean {
    const line = this.#read(command)
    const rule = commandRule(pattern)
    return isAllowing ? allows([rule, ...this.#allow], line, this.#root) : concerns(rule, line)
  }

  /** Whether rules that allow cover all of a command together: `git:*` and `npm test:*` the line `git pull && npm test`. */
  covers(patterns: readonly string[], { command }: CommandInput): boolean {
    return allows([...patterns.map(commandRule), ...this.#allow], this.#read(command), this.#root)
  }

  suggest({ command }: CommandInput): readonly string[] {
    return suggestRules(this.#read(command), this.#root, this.#allow)
  }
}
