import type { FileRoot } from "../files/file-root.ts"
import type { CommandLine, CommandPart } from "./command-line.ts"
import { type CommandRule, exactPattern, uncovered } from "./command-rules.ts"
import { isReader } from "./read-only.ts"
import { baseName, quoted } from "./words.ts"

// what these do depends on what comes after the word: the word alone says little
const withSubcommands = new Set(
  (
    "apt apt-get brew bun cargo composer conda deno docker dotnet gem gh git go gradle helm kubectl mvn npm " +
    "npx pip pip3 pnpm poetry rustup systemctl terraform turbo uv yarn"
  ).split(" "),
)
// and these do whatever they are told: never more than this very command
const unbounded = new Set(
  (
    ". awk bash busybox chmod chown cp curl dd doas env eval exec find install kill ln lua mv node osascript " +
    "parallel perl php pkill powershell pwsh python python3 rm rmdir rsync ruby scp sed sh source ssh su " +
    "sudo tclsh tee wget xargs zsh"
  ).split(" "),
)
// a script of a project, named by the word after these
const runners = new Set(["run", "run-script", "exec", "compose", "x"])

const mostRules = 5

/**
 * Programs of which a beginning says too little: those above, and, where they were asked about for what they were told to
 * read, those that show any file.
 */
function isUnbounded(name: string, readersAreFree: boolean): boolean {
  return unbounded.has(baseName(name)) || (readersAreFree && isReader(name))
}

/** The rule that a person could want for commands like this part; `undefined` when only the whole line says enough. */
function ruleFor(part: CommandPart, readersAreFree: boolean): string | undefined {
  const values = part.words.map((word) => word.value)
  const [name, second, third] = values
  const isCertain = values.every((value) => value !== undefined)
  const isBroad = name === undefined || isUnbounded(name, readersAreFree) || (part.prefixWords ?? 1) > 1
  if (part.kind !== "command" || isBroad) return isCertain ? exactPattern(part.text) : undefined
  const isWord = (value: string | undefined): value is string => value !== undefined && /^[a-z][\w:.-]*$/i.test(value)
  const prefix = [name]
  if (withSubcommands.has(name) && isWord(second)) {
    prefix.push(second)
    if (runners.has(second) && isWord(third)) prefix.push(third)
  }
  return `${exactPattern(prefix.map(quoted).join(" "))}:*`
}

/**
 * The rule that would allow a line, for a person who says "always": the beginnings of the commands that need one, such as
 * `git push:*` or `git pull:*, npm test:*`; the very line where that would be too much or too many.
 */
export function suggestRules(
  line: CommandLine,
  root: FileRoot | undefined,
  allowed: readonly CommandRule[] = [],
): readonly string[] {
  const whole = [exactPattern(line.source.trim())]
  if (line.obscure !== undefined) return whole
  const rules = new Set<string>()
  for (const part of uncovered(allowed, line, root)) {
    const rule = ruleFor(part, root !== undefined)
    if (rule === undefined) return whole
    rules.add(rule)
  }
  if (rules.size <= 1) return [...rules]
  // one rule has to cover all of the line, and only beginnings can be put together
  const isBeginnings = [...rules].every((rule) => rule.endsWith(":*"))
  return isBeginnings && rules.size <= mostRules ? [[...rules].join(", ")] : whole
}
