import { escapeOf } from "./escapes.ts"
import { gives, isOpen } from "./option-words.ts"
import { isPlainSed } from "./sed-script.ts"
import { type Argument, literal } from "./words.ts"

/** Subcommands that have others. */
const family = /^(?:compose|container|workspace|tool)$/
const versions = /^(?:-[vVh]+|--version|--help)$/
const sedFlags = /^(?:-[nrEsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug))$/

/** Whether `sed` only edits text on its way; `undefined` where that is only known when it runs. */
function readSed(args: readonly Argument[]): string | undefined {
  const scripts: Argument[] = []
  let first: Argument | undefined
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as Argument
    const { value } = word
    if (value !== undefined && sedFlags.test(value)) continue
    const given = /^(?:-[nrEsuz]*e|--expression(?:=|$))([\s\S]*)$/.exec(value ?? "")
    if (given !== null) {
      const attached = given[1] as string
      scripts.push(attached === "" ? (args[++i] ?? word) : { text: attached, value: attached })
    } else if (value?.startsWith("-") === true && value !== "-" && value !== "--")
      return "it gives sed an option that may write or run something"
    else if (isOpen(word)) return "what sed does is only known when it runs"
    else first ??= word
  }
  if (scripts.length === 0 && first !== undefined) scripts.push(first)
  return scripts.every(({ value }) => value !== undefined && isPlainSed(value))
    ? undefined
    : "its script of sed may run commands or write files"
}

/** Whether a program of `awk` only computes and prints. */
function readAwk(args: readonly Argument[]): string | undefined {
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as Argument
    const { value } = word
    if (value === "-F" || value === "-v") i++
    else if (value !== undefined && /^-[Fv]./s.test(value)) continue
    else if (value === undefined || (value.startsWith("-") && !versions.test(value) && value !== "--"))
      return "what awk does is only known when it runs"
    else if (value !== "--") {
      const runs = /\bsystem\b|getline|@|\||\\\n/.test(value.replaceAll("||", ""))
      const writes = value.indexOf(">", Math.max(0, value.indexOf("print"))) >= 0 && value.includes("print")
      return runs || writes ? "its program of awk may run commands or write files" : undefined
    }
  }
  return undefined
}

/** What a program's arguments add to its name. */
export interface Reach {
  /** Why its name says nothing of what it does. */
  readonly obscure?: string
  /** A rule must name so many of its words to cover it. */
  readonly prefixWords?: number
}

/**
 * Whether a command does more than its name says: writes by an option (`sort -o`), runs other programs (`tar
 * --to-command`), takes code as an argument (`python -c`) or from its input. A rule that names only the program then does not
 * cover it; one that names the words up to the option does.
 */
export function reachOf(name: string, words: readonly Argument[]): Reach {
  const args = words.slice(1)
  if (name === "sed" || name === "gsed") return obscured(readSed(args))
  if (/^[gmn]?awk$/.test(name)) return obscured(readAwk(args))
  const escape = escapeOf(name)
  if (escape === undefined) return {}
  let needed = 1
  let operands = 0
  let informs = args.length > 0
  let wasOption = false
  let inSubcommands = escape.subcommands !== undefined
  for (const [i, word] of args.entries()) {
    const { value } = word
    const isOption = value !== undefined && /^-./s.test(value)
    // what comes behind is for what is run
    if (value === "--" && operands > 0 && escape.subcommands !== undefined) break
    if (gives(word, escape) || (i === 0 && isOldBundle(name, value) && gives(literal(`-${value}`), escape)))
      needed = i + 2
    if (isOption) {
      informs &&= versions.test(value)
      wasOption = !value.includes("=")
      continue
    }
    informs = false
    operands++
    if (inSubcommands) {
      if (value === undefined || escape.subcommands?.test(value) === true) needed = i + 2
      inSubcommands = wasOption || (value !== undefined && family.test(value))
    }
    const isBeyond = operands - 1 === escape.most
    if (isBeyond || (escape.operands !== undefined && (value === undefined || escape.operands.test(value))))
      needed = i + 2
    // what follows the file of a program is for that program; a word behind an option may be its value
    if (escape.reads === true && !wasOption && value !== "-") break
    wasOption = false
  }
  const fromInput =
    operands === 0 || args.find(({ value }) => value === "-" || value?.startsWith("-") !== true)?.value === "-"
  if (escape.reads === true && fromInput && !informs && needed === 1)
    return { obscure: "it runs code that is only known when it runs" }
  return needed > 1 ? { prefixWords: needed } : {}
}

/** `tar xf`: the first word of tar is options, also without a dash. */
function isOldBundle(name: string, value: string | undefined): boolean {
  return name.endsWith("tar") && value !== undefined && /^[A-Za-z]+$/.test(value)
}

function obscured(why: string | undefined): Reach {
  return why === undefined ? {} : { obscure: why }
}
