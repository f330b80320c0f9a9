import type { Argument } from "./words.ts"
import type { Own, WrapContext } from "./wrappers.ts"

const valuedGlobals = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--exec-path|--super-prefix)$/
const reconfigures = /^(?:-c|--config-env|--exec-path|--git-dir)(?:=|$)/

// options of subcommands whose value is a program, or settings that can name one
const programs: Readonly<Record<string, RegExp>> = {
  archive: /^--exec(?:=|$)/,
  clone: /^(?:-c|-u|--config|--upload-pack|--template)(?:=|$)/,
  difftool: /^(?:-x|--extcmd)/,
  fetch: /^--upload-pack(?:=|$)/,
  "filter-branch": /^/,
  grep: /^(?:-O|--open)/,
  init: /^--template(?:=|$)/,
  "ls-remote": /^(?:-u|--upload-pack|--exec)(?:=|$)/,
  mergetool: /^-t$/,
  pull: /^--upload-pack(?:=|$)/,
  push: /^(?:--receive-pack|--exec)(?:=|$)/,
  rebase: /^(?:-x|--exec)/,
}

/** Reads the commands inside a git command: `git bisect run`, `git submodule foreach`, and options that name programs. */
export function readGit(words: readonly Argument[], { reader, bash, hidden }: WrapContext): Own {
  const note = (why: string): void => {
    if (!hidden) reader.cannotTell(why)
  }
  let at = 1
  for (; at < words.length; at++) {
    const value = words[at]?.value
    if (value?.startsWith("-") !== true) break
    if (reconfigures.test(value)) note("it gives git settings that can run programs")
    if (valuedGlobals.test(value)) at++
  }
  if (words.slice(0, at + 1).some((word) => word.value === undefined)) {
    note("the options of git are only known when it runs")
  }
  const name = words[at]?.value
  if (name === undefined) return {}
  const rest = words.slice(at + 1)
  const option = Object.hasOwn(programs, name) ? programs[name] : undefined
  if (option && rest.some((word) => word.value === undefined || option.test(word.value))) {
    note("it lets git run a program, or may")
  }
  if (rest.some((word) => /^(?:ext|fd)::/.test(word.value ?? ""))) note("it lets git run a program")
  const [first, ...more] = rest
  if (name === "bisect" && first?.value === "run") reader.command(more, bash, hidden)
  if (name === "submodule" && rest.some((word) => word.value === "foreach")) {
    const script = rest
      .slice(rest.findIndex((word) => word.value === "foreach") + 1)
      .filter((word) => word.value !== "--recursive")
    if (script.every((word) => word.value !== undefined))
      reader.script(script.map((word) => word.value).join(" "), false, hidden)
    else note("it lets git run what is only known then")
  }
  // a setting can name programs that later commands start: `git:*` is too little for it
  return name === "config" ? { prefixWords: at + 1 } : {}
}
