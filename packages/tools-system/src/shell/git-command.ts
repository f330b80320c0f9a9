import { gives, type Options } from "./option-words.ts"
import type { Argument } from "./words.ts"
import type { Own, WrapContext } from "./wrappers.ts"

const valuedGlobals = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--exec-path|--super-prefix)$/
const reconfigures =
  /^(?:-c|--config-env|--exec-path|--git-dir|--work-tree|--namespace|--bare|--attr-source)(?:=|$)|^-[cC]./

/** Options of any subcommand whose value is a program or a file that is written. */
const dangerous: Options = {
  long: "exec ext-diff upload-pack receive-pack extcmd open-files-in-pager output output-directory export-marks import-marks index-output object-dir unsafe-paths sendmail-cmd smtp-server to-cmd cc-cmd header-cmd separate-git-dir",
}
// options whose value is a program, or settings that can name one, by subcommand
const programs: Readonly<Record<string, Options>> = {
  archive: { short: "o" },
  "checkout-index": { long: "prefix" },
  clone: { short: "cu", long: "config template" },
  difftool: { short: "xt", long: "tool" },
  fetch: {},
  "filter-branch": { words: /^/ },
  "format-patch": { short: "o" },
  grep: { short: "O" },
  help: { short: "w", long: "web" },
  init: { long: "template" },
  "ls-remote": { short: "u" },
  mergetool: { short: "t", long: "tool" },
  pull: {},
  push: {},
  rebase: { short: "x" },
  "send-email": { words: /^--?to-cmd/ },
  worktree: {},
}

/** Subcommands that change what others do, talk to other programs, or are programs of their own. */
const special =
  /^(?:config|credential.*|remote-.*|daemon|instaweb|web--browse|citool|gui|shell|mergetool.*|difftool.*|for-each-repo|submodule--helper|svn|p4|cvs.*|hook|upload-.*|receive-pack|http-backend|fast-import|imap-send|maintenance|filter-branch|worktree|merge-(?:index|one-file)|bugreport|bundle|diagnose|mailinfo|mailsplit|quiltimport|gitk|sh-.*|send-email|(?:send|fetch)-pack|(?:index-|unpack-)(?:pack|file)|pack-objects)$/

/** Subcommands with none of the dangerous options, whatever a word of theirs turns out to be. */
const plain = /^(?:add|branch|checkout|cherry-pick|commit|merge|mv|reset|restore|revert|rm|status|switch|tag)$/

const looksLikeOption = /^[$'"\\]*-/

/** Subcommands that take the address of a repository, and addresses that name a program. */
const remote = /^(?:archive|clone|fetch|ls-remote|pull|push|remote|submodule)$/
const programAddress = /^(?:--[\w-]+=)?[a-z][\w+.-]*::|:\/\/-|ProxyCommand|^-o/i

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
    const folder = words[at + 1]?.value
    // the settings of another repository can name programs too
    if (value === "-C" && folder !== undefined && !isBelow(folder)) note("it goes to another folder for git")
    if (valuedGlobals.test(value)) at++
  }
  if (words.slice(0, at + 1).some((word) => word.value === undefined)) {
    note("the options of git are only known when it runs")
  }
  const name = words[at]?.value
  if (name === undefined) return {}
  const rest = words.slice(at + 1)
  const own = Object.hasOwn(programs, name) ? programs[name] : undefined
  // behind `--` words are paths, unless it is the value of an option
  const ended = rest.findIndex((word) => word.value === "--")
  const paths = ended < 0 || rest[ended - 1]?.text.startsWith("-") === true ? rest.length : ended
  const isDangerous = (word: Argument, i: number): boolean =>
    own === undefined
      ? gives(word, dangerous) &&
        (word.value !== undefined || !(plain.test(name) || (i > paths && !looksLikeOption.test(word.text))))
      : word.value === undefined || gives(word, dangerous) || gives(word, own)
  if (rest.some(isDangerous)) note("it lets git run a program or write a file, or may")
  if (remote.test(name) && rest.some((word) => programAddress.test(word.value ?? ""))) note("it lets git run a program")
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
  return special.test(name) ? { prefixWords: at + 1 } : {}
}

/** Whether a path leads down from the folder it is used in. */
export function isBelow(path: string): boolean {
  return path !== "" && !/^[/~-]/.test(path) && !path.split("/").includes("..")
}
