import type { FileRoot } from "../files/file-root.ts"
import type { CommandLine, CommandPart } from "./command-line.ts"
import { type CommandRule, exactPattern, uncovered } from "./command-rules.ts"
import { quoted } from "./words.ts"

// what these do depends on what comes after the word: the word alone says little
const withSubcommands = new Set([
  "apt",
  "apt-get",
  "brew",
  "bun",
  "cargo",
  "composer",
  "conda",
  "deno",
  "docker",
  "dotnet",
  "gem",
  "gh",
  "git",
  "go",
  "gradle",
  "helm",
  "kubectl",
  "mvn",
  "npm",
  "npx",
  "pip",
  "pip3",
  "pnpm",
  "poetry",
  "rustup",
  "systemctl",
  "terraform",
  "turbo",
  "uv",
  "yarn",
])
// and these do whatever they are told: never more than this very command
const unbounded = new Set([
  "awk",
  "bash",
  "busybox",
  "chmod",
  "chown",
  "curl",
  "dd",
  "doas",
  "env",
  "eval",
  "exec",
  "find",
  "kill",
  "mv",
  "node",
  "perl",
  "php",
  "pkill",
  "python",
  "python3",
  "rm",
  "rmdir",
  "rsync",
  "ruby",
  "scp",
  "sed",
  "sh",
  "source",
  "ssh",
  "su",
  "sudo",
  "tee",
  "wget",
  "xargs",
  "zsh",
  ".",
])
// a script of a project, named by the word after these
const runners = new Set(["run", "run-script", "exec", "compose", "x"])

const mostRules = 5

/** The rule that a person could want for commands like this part; `undefined` when only the whole line says enough. */
function ruleFor(part: CommandPart): string | undefined {
  const values = part.words.map((word) => word.value)
  const [name, second, third] = values
  const isCertain = values.every((value) => value !== undefined)
  if (part.kind !== "command" || name === undefined || unbounded.has(name.slice(name.lastIndexOf("/") + 1))) {
    return isCertain ? exactPattern(part.text) : undefined
  }
  const isWord = (value: string | undefined): value is string => value !== undefined && /^[a-z][\w:.-]*$/i.test(value)
  const prefix = [name]
  if (withSubcommands.has(name) && isWord(second)) {
    prefix.push(second)
    if (runners.has(second) && isWord(third)) prefix.push(third)
  }
  if (prefix.length < (part.prefixWords ?? 1)) return isCertain ? exactPattern(part.text) : undefined
  return `${exactPattern(prefix.map(quoted).join(" "))}:*`
}

/**
 * Rules that together would allow a line, for a person who says "always": one for each part that needs one, such as
 * `git push:*`; the very line where that would be too much or too many.
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
    const rule = ruleFor(part)
    if (rule === undefined) return whole
    rules.add(rule)
  }
  return rules.size > mostRules ? whole : [...rules]
}
