import type { CommandReader } from "./read-command.ts"
import { isBelow, readGit } from "./git-command.ts"
import { reachOf } from "./reach.ts"
import { type Argument, baseName, literal } from "./words.ts"

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

/** The index of the first word that is no option, or may be none; `undefined` where an option is unknown. */
function skipOptions(words: readonly Argument[], flags: RegExp, valued?: RegExp): number | undefined {
  let i = 1
  for (; i < words.length; i++) {
    const value = words[i]?.value
    if (value === undefined) return i
    if (value === "--") return i + 1
    if (!value.startsWith("-") || value === "-") return i
    if (valued?.test(value) === true) i++
    else if (!flags.test(value)) return undefined
  }
  return i
}

/**
 * Notes words before the inner command that are only known when it runs: they may come to none or many, and then another
 * word is the command.
 */
function noteUncertain(words: readonly Argument[], { reader, hidden }: WrapContext): void {
  if (!hidden && words.some((word) => word.value === undefined)) {
    reader.cannotTell("which word is the command is only known when it runs")
  }
}

/** A program that runs its operands as a command and does nothing else; `skip` operands come before. */
function transparent(flags: RegExp, valued?: RegExp, skip = 0): Wrapper {
  return (words, context) => {
    const start = skipOptions(words, flags, valued)
    if (start === undefined) return unknown(words, context)
    noteUncertain(words.slice(0, start + skip), context)
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
    const value = word.value?.startsWith("-") === true ? /^--[\w-]+=(.+)$/s.exec(word.value)?.[1] : word.value
    if (i === 0 || i > 20 || value === undefined) continue
    if (/[\s;&|<>$`(]/.test(value)) reader.script(value, bash, true)
    else if (value === word.value) reader.command(words.slice(i), bash, true)
    else reader.command([literal(value)], bash, true)
  }
  // its name alone stands for anything
  return { prefixWords: 2 }
}

/** The same for a program with options that are not known: nothing but the very command covers it. */
function unknown(words: readonly Argument[], context: WrapContext): Own {
  outer(words, context)
  return { prefixWords: words.length + 1 }
}

function shell(words: readonly Argument[], context: WrapContext): Own {
  const { reader, hidden } = context
  const start = skipOptions(words, /^(?:-[euxvlc]+|--norc|--noprofile|--posix|--login)$/, /^(?:-[euxvlc]*o)$/)
  const script = start === undefined ? undefined : words[start]
  // `-` and `+` stand for options of their own
  if (start === undefined || /^[-+]/.test(script?.value ?? "")) {
    if (!hidden) reader.cannotTell("it starts a shell with unknown options")
    return itself
  }
  noteUncertain(words.slice(0, start), context)
  const fromText = words.slice(1, start).some((word) => /^-[a-z]*c/.test(word.value ?? ""))
  if (fromText && script?.value !== undefined) {
    reader.script(script.value, words[0]?.value === "bash", hidden)
    return undefined
  }
  if ((fromText || script?.value === undefined) && !hidden) {
    reader.cannotTell("it starts a shell whose commands are only known when it runs")
  } else {
    noteDevice(script, context)
    if (!hidden) reader.command(words.slice(start), context.bash, true)
  }
  return itself
}

/** Notes a script that stands in no file: in a pipe, a here-document or whatever else a shell has open. */
function noteDevice(file: Argument | undefined, { reader, hidden }: WrapContext): void {
  if (!hidden && /^\/+(?:dev|proc)\//.test(file?.value ?? "")) {
    reader.cannotTell("it runs commands that are only known when it runs")
  }
}

/** Builtins that give names another meaning, or run text that they are given. */
function rebinding(pattern: RegExp): Wrapper {
  return (words, { reader, hidden }) => {
    const rebinds = words.slice(1).some((word) => pattern.test(word.value ?? word.text))
    if (rebinds && !hidden) reader.cannotTell("it changes what later words run")
    return itself
  }
}

/** Builtins that take names of variables: an index in one is computed, and `$(…)` in that runs. */
function naming(valued?: RegExp, flags?: RegExp): Wrapper {
  return (words, { reader, hidden }) => {
    const note = (why: string): void => {
      if (!hidden) reader.cannotTell(why)
    }
    const [name] = words
    const isExport = name?.value === "export"
    const exports =
      /^(?:declare|export|typeset)$/.test(name?.value ?? "") || words.some(({ text }) => /^-\w*x/.test(text))
    for (let i = 1; i < words.length; i++) {
      const { text, value } = words[i] as Argument
      const variable = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(value ?? text)?.[1]
      if (value === undefined ? !/^[A-Za-z_]\w*\+?=/.test(text) : value.includes("["))
        note("it names a variable that is only known when it runs")
      else if (variable !== undefined) {
        if (isExport || (exports && text.includes("=")))
          reader.assignment(variable, value?.slice(value.indexOf("=") + 1), text, hidden)
        else reader.sets(variable, text, hidden)
      }
      if (value !== undefined && flags?.test(value)) note("it changes what later words mean")
      if (value !== undefined && valued?.test(value)) i++
    }
    return itself
  }
}

/** `source file` runs what the file holds, which may itself be a program on PATH. */
const sourced: Wrapper = (words, context) => {
  const start = words[1]?.value === "--" ? 2 : 1
  noteUncertain(words, context)
  noteDevice(words[start], context)
  if (!context.hidden && words.length > start) context.reader.command(words.slice(start), context.bash, true)
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
    const at = value?.indexOf("=") ?? -1
    if (value === undefined || at < 0) break
    context.reader.assignment(value.slice(0, at), value.slice(at + 1), text, context.hidden)
  }
  noteUncertain(words.slice(0, start), context)
  if (start >= words.length) return itself
  context.reader.command(words.slice(start), context.bash, context.hidden)
  return undefined
}

/** What stands for each of many words: known only when it runs. */
const later: Argument = { text: "…", value: undefined }

const xargs: Wrapper = (words, context) => {
  const flags =
    /^(?:-[0rtxo]*(?:[nLsdEIPa].+|[iel].*)?|--null|--no-run-if-empty|--verbose|--exit|--replace|--(?:arg-file|max-args|max-lines|max-chars|max-procs|delimiter|replace)=.+)$/s
  const start = skipOptions(words, flags, /^-[0rtxo]*[nLsdEIPa]$/)
  if (start === undefined) return unknown(words, context)
  noteUncertain(words.slice(0, start), context)
  const inner = words.slice(start)
  const options = words.slice(1, start)
  for (const [i, { value = "" }] of options.entries()) {
    const file = /^(?:-[0rtxo]*a|--arg-file=)(.*)$/s.exec(value)?.[1]
    const from = file === "" ? options[i + 1] : file === undefined ? undefined : literal(file)
    if (from) context.reader.add({ kind: "input", words: [from], text: `< ${from.text}`, hidden: context.hidden })
  }
  if (inner.length === 0) return undefined // echoes
  const markers = replacements(options)
  const filled = inner.map((word) =>
    markers.some((marker) => word.value?.includes(marker)) ? { ...word, value: undefined } : word,
  )
  // of several such options one undoes the other
  const counts = options.some(({ value = "" }) => /^(?:-[0rtxo]*[nLl]|--max-(?:args|lines))/.test(value))
  const isFilled = markers.length === 1 && !counts
  context.reader.command(isFilled ? filled : [...filled, later], context.bash, context.hidden)
  return undefined
}

/** What stands for the words that are read. */
function replacements(options: readonly Argument[]): readonly string[] {
  return options.flatMap(({ value = "" }, i) => {
    const given = /^(?:-[0rtxo]*([Ii])|--replace=?)(.*)$/s.exec(value)
    if (given === null) return []
    const attached = given[2] as string
    if (attached !== "") return [attached]
    return [given[1] === "I" ? (options[i + 1]?.value ?? "") : "{}"]
  })
}

const find: Wrapper = (words, context) => {
  for (let i = 1; i < words.length; i++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[i]?.value ?? "")) continue
    const rest = words.slice(i + 1)
    const end = rest.findIndex((word, k) => word.value === ";" || (word.value === "+" && rest[k - 1]?.value === "{}"))
    const inner = end < 0 ? rest : rest.slice(0, end)
    const filled = inner.map((word) => (word.value?.includes("{}") === true ? { ...word, value: undefined } : word))
    context.reader.command(filled, context.bash, context.hidden)
    i += inner.length
  }
  return reach("find", words, context)
}

/** What a program's arguments add to its name; the commands that they may hold are watched. */
function reach(name: string, words: readonly Argument[], context: WrapContext): Own {
  const { obscure, prefixWords } = reachOf(name, words)
  if (obscure !== undefined && !context.hidden) context.reader.cannotTell(obscure)
  if (prefixWords === undefined) return itself
  outer(words, context)
  return { prefixWords }
}

/** Leaving the folder for one that is not below it says more than the name. */
const mover: Wrapper = (words) => {
  const target = words.slice(1).find(({ value }) => value === undefined || !/^-[LPen@]+$|^--$/.test(value))
  return target?.value !== undefined && isBelow(target.value) ? itself : { prefixWords: 2 }
}

/** `command -v name` asks, `command name` runs. */
const command: Wrapper = (words, context) =>
  /^-[vV]$/.test(words[1]?.value ?? "") ? itself : transparent(/^-p$/)(words, context)

const wrappers = new Map<string, Wrapper>([
  [".", sourced],
  ["alias", rebinding(/=/)],
  ["bash", shell],
  ["builtin", transparent(none)],
  ["command", command],
  ["dash", shell],
  ["enable", rebinding(/^-/)],
  ["env", environment],
  ["eval", evaluate],
  ["exec", transparent(none)],
  ["find", find],
  ["git", readGit],
  ["hash", rebinding(/^-\w*p/)],
  ["let", rebinding(/^/)],
  ["bind", rebinding(/^/)],
  ["cd", mover],
  ["compgen", rebinding(/^-\w*[CFWP]/)],
  ["complete", rebinding(/^/)],
  ["fc", rebinding(/^/)],
  ["jobs", rebinding(/^-x/)],
  ["mapfile", naming(/^-\w*[nsuOcd]$/, /^-\w*C/)],
  ["pushd", mover],
  ["set", rebinding(/^[-+][a-zA-Z]*[akTH]|^(?:allexport|keyword|functrace|histexpand|history|posix)$/)],
  [
    "shopt",
    rebinding(
      /^(?:expand_aliases|lastpipe|restricted_shell|autocd|cdable_vars|checkhash|.*compat\w*|allexport|keyword|functrace|histexpand|history|posix)$/,
    ),
  ],
  ["nice", transparent(/^(?:-n?-?\d+|--adjustment=-?\d+)$/, /^(?:-n|--adjustment)$/)],
  ["nohup", transparent(none)],
  ["printf", rebinding(/^-v/)],
  ["readarray", naming(/^-\w*[nsuOcd]$/, /^-\w*C/)],
  ["sh", shell],
  ["source", sourced],
  ["stdbuf", transparent(/^(?:-[ioe]\w+|--(?:input|output|error)=\w+)$/, /^-[ioe]$/)],
  ["[", rebinding(/^-[vR]$/)],
  ["test", rebinding(/^-[vR]$/)],
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
for (const name of ["declare", "export", "local", "readonly", "typeset"]) {
  // a reference, or a number: both compute what is in them
  wrappers.set(name, naming(undefined, /^[-+]\w*[in]/))
}
for (const name of ["getopts", "unset", "wait"]) wrappers.set(name, naming())
wrappers.set("read", naming(/^-\w*[dinNptu]$/))
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
  if (wrapper === undefined) return reach(baseName(name), words, context)
  const own = wrapper(words, context)
  // `./env` is whatever lies there
  return own ?? (name.includes("/") ? itself : undefined)
}

/** Whether a command changes the working folder of those after it. */
export function isMover(name: string): boolean {
  return name === "cd" || name === "pushd" || name === "popd"
}
