import { globTest } from "@agentscope-ts/tool"
import type { FileRoot } from "../files/file-root.ts"
import type { CommandLine, CommandPart } from "./command-line.ts"
import { readCommand } from "./read-command.ts"
import { isReadOnly } from "./read-only.ts"
import { type Argument, baseName } from "./words.ts"

/** A rule for commands, ready to be asked. */
export interface CommandRule {
  /** Whether it is, word for word, the whole line. */
  isWhole(line: CommandLine): boolean
  /** Whether it covers a part; `broadly` also by the name of a program that is given with its folder. */
  covers(part: CommandPart, broadly: boolean): boolean
  /** Whether a pattern with `*` fits the line as it is written. */
  fitsSource(line: CommandLine): boolean
}

const escaped = /[*\\]/g

/** Text as a pattern that fits only itself. */
export function exactPattern(text: string): string {
  return text.replaceAll(escaped, String.raw`\$&`)
}

function hasWildcard(pattern: string): boolean {
  return /\*/.test(pattern.replaceAll(/\\./gs, ""))
}

const isSame = (word: Argument | undefined, value: string, first: boolean, broadly: boolean): boolean =>
  word?.value === value || (broadly && first && word?.value !== undefined && baseName(word.value) === value)

function startsWith(part: CommandPart, words: readonly string[], broadly: boolean): boolean {
  return words.length > 0 && words.every((value, i) => isSame(part.words[i], value, i === 0, broadly))
}

/** The rules of `git pull:*, npm test:*`, which cover what any of them does. */
function combined(text: string): CommandRule | undefined {
  const pieces = text.split(/,\s+/)
  if (pieces.length < 2 || !pieces.every((piece) => /[^:*\s]:\*$/.test(piece))) return undefined
  const rules = pieces.map(commandRule)
  return {
    isWhole: () => false,
    covers: (part, broadly) => rules.some((rule) => rule.covers(part, broadly)),
    fitsSource: () => false,
  }
}

/**
 * Reads a rule. `git log:*` covers a command that begins with these words, and `git pull:*, npm test:*` a line of several;
 * `npm run *` covers a command that fits the pattern; anything else exactly one command. `> build/*` covers a file that is
 * written, `CI=*` a variable.
 */
export function commandRule(pattern: string): CommandRule {
  const several = combined(pattern.trim())
  if (several !== undefined) return several
  const text = pattern.trim() === ":*" ? "*" : pattern.trim()
  const unescaped = text.replaceAll(/\\(.)/gs, "$1")
  const isWhole = (line: CommandLine): boolean => line.source.trim() === unescaped && !hasWildcard(text)
  if (text.endsWith(":*") && !hasWildcard(text.slice(0, -2))) {
    const words = wordsOf(text.slice(0, -2))
    return {
      isWhole: () => false,
      fitsSource: () => false,
      covers: (part, broadly) =>
        part.kind === "command" &&
        (broadly || words.length >= (part.prefixWords ?? 1)) &&
        startsWith(part, words, broadly),
    }
  }
  const redirection = /^(>|<)>?\s*/.exec(text)?.[0]
  const plain = redirection === undefined ? text : `${redirection.charAt(0)} ${text.slice(redirection.length)}`
  if (hasWildcard(text)) {
    const fits = globTest(plain)
    const named = plain.slice(0, plain.indexOf("*")).trim().split(/\s+/).length
    const covers = (part: CommandPart, broadly: boolean): boolean =>
      broadly
        ? fits(part.text) || (part.kind === "command" && fits(baseText(part)))
        : named >= (part.prefixWords ?? 1) && fits(part.text)
    return { isWhole: () => false, covers, fitsSource: (line) => fits(line.source.trim()) }
  }
  const exact = readCommand(unescaped).parts.filter((part) => !part.hidden)
  const covers = (part: CommandPart, broadly: boolean): boolean => {
    const only = exact.length === 1 ? exact[0] : undefined
    if (part.kind !== "command" || only?.kind !== "command") return part.text === plain
    const values = only.words.map((word) => word.value)
    return (
      values.length === part.words.length &&
      values.every((value, i) => value !== undefined && isSame(part.words[i], value, i === 0, broadly))
    )
  }
  return { isWhole, covers, fitsSource: () => false }
}

/** The words of a prefix, quotes resolved. */
function wordsOf(prefix: string): readonly string[] {
  const { parts, obscure } = readCommand(prefix)
  const values = parts.find((part) => !part.hidden)?.words.map((word) => word.value) ?? []
  const isPlain = obscure === undefined && values.length > 0 && values.every((value) => value !== undefined)
  return isPlain ? values : prefix.split(/\s+/).filter((word) => word !== "")
}

function baseText(part: CommandPart): string {
  return part.text.replace(/^\S*\//, "")
}

/**
 * Whether rules that allow, taken together, cover everything that a line does. What only reads below the root needs no rule;
 * without a root everything does.
 */
export function allows(rules: readonly CommandRule[], line: CommandLine, root: FileRoot | undefined): boolean {
  if (rules.some((rule) => rule.isWhole(line))) return true
  if (line.obscure !== undefined) return false
  return uncovered(rules, line, root).length === 0
}

/** The parts that no rule covers and that do not only read. */
export function uncovered(
  rules: readonly CommandRule[],
  line: CommandLine,
  root: FileRoot | undefined,
): readonly CommandPart[] {
  const reads = (part: CommandPart): boolean =>
    root !== undefined && !line.movesAway && !line.tellsValues && isReadOnly(part, root)
  return line.parts.filter((part) => !part.hidden && !reads(part) && !rules.some((rule) => rule.covers(part, false)))
}

/** Whether a rule that denies or asks concerns a line: any part is enough, and so is that it cannot be judged. */
export function concerns(rule: CommandRule, line: CommandLine): boolean {
  if (line.obscure !== undefined || rule.isWhole(line) || rule.fitsSource(line)) return true
  return line.parts.some((part) => rule.covers(part, true))
}
