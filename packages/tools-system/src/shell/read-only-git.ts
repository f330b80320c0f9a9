import type { IsInside } from "./read-only.ts"

// whole names only: git also takes the first letters of an option, which could be those of --output or --ext-diff
const shared =
  /^--(?:oneline|graph|all|stat|numstat|shortstat|name-only|name-status|cached|staged|decorate|no-decorate|abbrev-commit|no-merges|merges|follow|reverse|porcelain|branch|ignored|no-color|patch|no-patch|tags|branches|remotes|first-parent|summary|ignore-all-space|ignore-space-change|minimal|word-diff|merge-base|show-toplevel|show-prefix|show-cdup|git-dir|is-inside-work-tree|verify|quiet|others|modified|deleted|exclude-standard|error-unmatch|always|dirty|long|show-stash|ahead-behind|numbered|email|root|relative-date|no-ext-diff|no-textconv|exit-code|check|(?:pretty|format|since|until|after|before|author|committer|grep|max-count|skip|date|short|abbrev-ref|abbrev|untracked-files|unified|color|diff-filter|find-renames|sort|count|decorate|word-diff|contains|merged|no-merged|points-at|porcelain|stat)(?:=[^/~]*)?)$/
const short = /^-(?:[abcgilmnprstuvwzBDEGLMRSU]*\d*|\d+|uno|unormal|uall|sb|vv)$/

/** When a subcommand only reads; `operands` gives the check of those. */
type Operands = "refs" | "none"
const subcommands = new Map<
  string,
  { readonly operands: Operands; readonly needs?: RegExp; readonly options?: RegExp }
>([
  ["blame", { operands: "refs", options: /^-(?:[lstefnwMC]+|L\d+,[+\d]+)$/ }],
  // without a listing option an operand is a branch to make
  [
    "branch",
    { operands: "none", options: /^(?:-[arv]+|--(?:all|remotes|list|show-current|verbose|no-color|sort=[\w-]+))$/ },
  ],
  ["describe", { operands: "refs" }],
  ["diff", { operands: "refs" }],
  ["log", { operands: "refs" }],
  [
    "ls-files",
    {
      operands: "refs",
      options: /^(?:-[cdmostuz]+|--(?:cached|deleted|modified|others|exclude-standard|stage|full-name))$/,
    },
  ],
  ["remote", { operands: "none", options: /^(?:-v|--verbose)$/ }],
  ["rev-parse", { operands: "refs" }],
  ["shortlog", { operands: "refs", options: /^(?:-[nse]+|--(?:numbered|summary|email))$/ }],
  ["show", { operands: "refs" }],
  ["status", { operands: "refs" }],
  ["tag", { operands: "none", options: /^(?:-l|--list|-n\d*|--sort=[\w:-]+)$/ }],
])

/** Whether `git` with these arguments only reads, and reads only inside the working folder. */
export function isReadOnlyGit(args: readonly string[], isInside: IsInside): boolean {
  const [name = "", ...rest] = args[0] === "--no-pager" ? args.slice(1) : args
  if (name === "stash") return rest.length === 1 && rest[0] === "list"
  const subcommand = subcommands.get(name)
  if (subcommand === undefined) return false
  const ended = rest.indexOf("--")
  const isOption = (arg: string, i: number): boolean => arg.startsWith("-") && (ended < 0 || i < ended)
  const options = rest.filter(isOption)
  const operands = rest.filter((arg, i) => !isOption(arg, i) && i !== ended)
  const fits = (arg: string): boolean =>
    subcommand.options === undefined ? shared.test(arg) || short.test(arg) : subcommand.options.test(arg)
  if (!options.every(fits)) return false
  if (subcommand.operands === "none") return operands.length === 0
  // a path outside would make `git diff` compare files that are in no repository
  return operands.every(isInside)
}
