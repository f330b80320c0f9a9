import type { CommandReader } from "./read-command.ts"
import { readGit } from "./git-command.ts"
import { type Argument, baseName } from "./words.ts"

/** Where a wrapped command goes. */
export interface WrapContext {
  readonly reader: CommandReader
  readonly bash: boolean
  readonly hidden: boolean
}

/** What is left to judge of the wrapper itself: `undefined` when only what it runs counts. */
export type Own = { readonly prefixWords?: number } | undefined
type Wrapper = (words: readonly Argument[], context: WrapContext) => Own

const itself: Own = {}

/** The index of the first word that is no option; `undefined` where an option is unknown. */
function skipOptions(words: readonly Argument[], flags: RegExp, valued?: RegExp): number | undefined {
  let i = 1
  for (; i < words.length; i++) {
    const value = words[i]?.value
    if (value === undefined) return undefined
    if (value === "--") return i + 1
    if (!value.startsWith("-") || value === "-") return i
    if (valued?.test(value) === true) i++
    else if (!flags.test(value)) return undefined
  }
  return i
}

/** A program that runs its operands as a command and does nothing else; `skip` operands come before. */
function transparent(flags: RegExp, valued?: RegExp, skip = 0): Wrapper {
  return (words, context) => {
    const start = skipOptions(words, flags, valued)
    if (start === undefined) return outer(words, context)
    const inner = words.slice(start + skip)
    if (inner.length === 0) return itself
    context.reader.command(inner, context.bash, context.hidden)
    return undefined
  }
}

const none = /^$/

/** A program that may run some of its words as a command: it is judged itself, and whatever they could mean is watched. */
function outer(words: readonly Argument[], { reader, bash, hidden }: WrapContext): Own {
  // what is inside a guess was guessed at with the outermost one
  if (hidden) return itself
  for (const [i, word] of words.entries()) {
    if (i === 0 || i > 20 || word.value === undefined || word.value.startsWith("-")) continue
    if (/[\s;&|<>$`(]/.test(word.value)) reader.script(word.value, bash, true)
    else reader.command(words.slice(i), bash, true)
  }
  return itself
}

function shell(words: readonly Argument[], { reader, hidden }: WrapContext): Own {
  const start = skipOptions(words, /^(?:-[euxvlc]+|--norc|--noprofile|--posix|--login)$/, /^(?:-[euxvlc]*o|\+o)$/)
  if (start === undefined) {
    if (!hidden) reader.cannotTell("it starts a shell with unknown options")
    return itself
  }
  const script = words[start]
  const fromText = words.slice(1, start).some((word) => /^-[a-z]*c/.test(word.value ?? ""))
  if (fromText && script?.value !== undefined) {
    reader.script(script.value, words[0]?.value === "bash", hidden)
    return undefined
  }
  if ((fromText || script === undefined) && !hidden) {
    reader.cannotTell("it starts a shell whose commands are only known when it runs")
  }
  return itself
}

const evaluate: Wrapper = (words, { reader, bash, hidden }) => {
  const rest = words.slice(words[1]?.value === "--" ? 2 : 1)
  if (rest.every((word) => word.value !== undefined))
    reader.script(rest.map((word) => word.value).join(" "), bash, hidden)
  else if (!hidden) reader.cannotTell("it evaluates text that is only known when it runs")
  return undefined
}

const trap: Wrapper = (words, { reader, bash, hidden }) => {
  const action = words[words[1]?.value === "--" ? 2 : 1]
  if (action === undefined) return undefined
  if (action.value === undefined) {
    if (!hidden) reader.cannotTell("it sets a trap that is only known when it runs")
  } else if (!/^(?:-.*|\d*)$/.test(action.value)) reader.script(action.value, bash, hidden)
  return undefined
}

const environment: Wrapper = (words, context) => {
  let start = skipOptions(words, /^(?:-i|-0|--ignore-environment|--null|-u\S+|--unset=\S+)$/, /^(?:-u|--unset)$/)
  if (start === undefined) {
    if (!context.hidden) context.reader.cannotTell("it starts a program with unknown options of env")
    return itself
  }
  if (words[start]?.value === "-") start++
  for (; start < words.length; start++) {
    const { text, value } = words[start] as Argument
    const name = /^([A-Za-z_]\w*)\+?=/.exec(value ?? text)?.[1]
    if (name === undefined) break
    context.reader.assignment(name, value?.slice(name.length + 1), text, context.hidden)
  }
  if (start >= words.length) return itself
  context.reader.command(words.slice(start), context.bash, context.hidden)
  return undefined
}

/** What stands for each of many words: known only when it runs. */
const later: Argument = { text: "…", value: undefined }

const xargs: Wrapper = (words, context) => {
  const flags =
    /^(?:-[0rtx]+|-[nPLsdE]\S+|-I\S+|--null|--no-run-if-empty|--verbose|--exit|--(?:max-args|max-procs|max-lines|max-chars|delimiter|replace)=\S+)$/
  const start = skipOptions(words, flags, /^-[nPLsdEI]$/)
  if (start === undefined) return outer(words, context)
  const inner = words.slice(start)
  if (inner.length === 0) return undefined // echoes
  const marker = replacement(words.slice(1, start))
  const filled = inner.map((word) =>
    marker !== undefined && word.value?.includes(marker) === true ? { ...word, value: undefined } : word,
  )
  context.reader.command(marker === undefined ? [...filled, later] : filled, context.bash, context.hidden)
  return undefined
}

function replacement(options: readonly Argument[]): string | undefined {
  for (const [i, { value = "" }] of options.entries()) {
    if (value === "-I") return options[i + 1]?.value
    const attached = /^(?:-I|--replace=)(.+)$/s.exec(value)?.[1]
    if (attached !== undefined) return attached
  }
  return undefined
}

const find: Wrapper = (words, context) => {
  for (let i = 1; i < words.length; i++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[i]?.value ?? "")) continue
    const rest = words.slice(i + 1)
    const end = rest.findIndex((word) => word.value === ";" || word.value === "+")
    const inner = end < 0 ? rest : rest.slice(0, end)
    const filled = inner.map((word) => (word.value?.includes("{}") === true ? { ...word, value: undefined } : word))
    context.reader.command(filled, context.bash, context.hidden)
    i += inner.length
  }
  return itself
}

/** `command -v name` asks, `command name` runs. */
const command: Wrapper = (words, context) =>
  /^-[vV]$/.test(words[1]?.value ?? "") ? itself : transparent(/^-p$/)(words, context)

const wrappers = new Map<string, Wrapper>([
  ["bash", shell],
  ["builtin", transparent(none)],
  ["command", command],
  ["dash", shell],
  ["env", environment],
  ["eval", evaluate],
  ["exec", transparent(none)],
  ["find", find],
  ["git", readGit],
  ["nice", transparent(/^(?:-n?-?\d+|--adjustment=-?\d+)$/, /^(?:-n|--adjustment)$/)],
  ["nohup", transparent(none)],
  ["sh", shell],
  ["stdbuf", transparent(/^(?:-[ioe]\w+|--(?:input|output|error)=\w+)$/, /^-[ioe]$/)],
  ["time", transparent(/^-p$/)],
  [
    "timeout",
    transparent(
      /^(?:-v|-[ks]\w+|--(?:foreground|preserve-status|verbose)|--(?:kill-after|signal)=\w+)$/,
      /^(?:-[ks]|--kill-after|--signal)$/,
      1,
    ),
  ],
  ["trap", trap],
  ["xargs", xargs],
])
for (const name of [
  "ash",
  "busybox",
  "caffeinate",
  "chroot",
  "chrt",
  "doas",
  "entr",
  "fakeroot",
  "fish",
  "flock",
  "ionice",
  "ksh",
  "ltrace",
  "nsenter",
  "parallel",
  "pkexec",
  "rbash",
  "runuser",
  "script",
  "setsid",
  "strace",
  "su",
  "sudo",
  "systemd-run",
  "taskset",
  "toybox",
  "unshare",
  "watch",
  "zsh",
]) {
  wrappers.set(name, outer)
}

/**
 * Reads what a wrapper (`sudo`, `xargs`, `bash -c`, `eval`, `find -exec` …) runs, and says whether the wrapper itself is to
 * be judged too. Any other command is itself.
 */
export function unwrap(words: readonly Argument[], context: WrapContext): Own {
  const name = words[0]?.value ?? ""
  const wrapper = wrappers.get(baseName(name))
  if (wrapper === undefined) return itself
  const own = wrapper(words, context)
  // `./env` is whatever lies there
  return own ?? (name.includes("/") ? itself : undefined)
}

/** Whether a command changes the working folder of those after it. */
export function isMover(name: string): boolean {
  return name === "cd" || name === "pushd" || name === "popd"
}
