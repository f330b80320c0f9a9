import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { Ability, Role } from "./abilities.ts"
import type { Clause } from "./clauses.ts"
import { type Filled, fill } from "./fill.ts"
import { bare } from "./paths.ts"
import type { Slots } from "./slots.ts"
import { unmask } from "./spans.ts"
import type { Verb } from "./verbs.ts"

/** What is known of a call before its parameters are looked at. */
export interface Wanted {
  readonly verb: Verb
  readonly clause: Clause
  readonly slots: Slots
  readonly path?: string
  readonly text?: string
  readonly expression?: string
  /** The line to insert at, from 1. */
  readonly line?: number
}

const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The shell command that does what another tool would. */
function commandFor({ verb, slots, path, text, expression, clause }: Wanted): string | undefined {
  const dir = slots.dir === undefined ? "." : shellWord(slots.dir)
  switch (verb) {
    case "run":
      return slots.command
    case "list":
      return slots.glob ? `find ${dir} -name ${shellWord(nameOf(slots.glob))}` : `ls -A ${dir}`
    case "find":
      return slots.glob && `find ${dir} -name ${shellWord(nameOf(slots.glob))}`
    case "search":
      return (
        slots.pattern &&
        `grep -rn${slots.ignoreCase ? "i" : ""}${slots.pattern.regex ? "E" : "F"} -- ${shellWord(slots.pattern.text)} ${dir}`
      )
    case "read":
      return path && `cat -- ${shellWord(path)}`
    case "edit":
      return (
        path &&
        slots.replace &&
        `sed -i ${shellWord(`s/${sedPattern(slots.replace.from)}/${sedText(slots.replace.to)}/g`)} ${shellWord(path)}`
      )
    case "append":
      return path && text !== undefined ? `printf '%s\\n' ${shellWord(text)} >> ${shellWord(path)}` : undefined
    case "compute":
      return expression && /^[\d\s.+*/()^-]+$/u.test(expression)
        ? `awk 'BEGIN { printf "%.15g\\n", ${expression} }'`
        : undefined
    case "time":
      return "date"
    case "manage":
      return managing(slots, clause)
    case "python":
      return slots.code && `python3 -c ${shellWord(slots.code)}`
    default:
      return undefined
  }
}

/** Deleting, moving, copying, making folders: with the files named, and nothing more. */
function managing({ paths }: Slots, clause: Clause): string | undefined {
  const verb = /^\p{L}+/u.exec(clause.text)?.[0].toLowerCase() ?? ""
  const names = paths.map(shellWord)
  if (/^(?:make|create|add|mkdir)$/u.test(verb)) {
    const called = /\b(?:called|named|folder|directory|mkdir)\s+(?:called\s+|named\s+)?([^\s,;.!?]+)/iu.exec(
      clause.text,
    )?.[1]
    const name = names[0] ?? (called && shellWord(unmask(called, clause.quotes)))
    return name && `mkdir -p -- ${name}`
  }
  if (names.length === 0) return undefined
  if (/^(?:delete|remove|rm)$/u.test(verb)) return `rm -- ${names.join(" ")}`
  const target = /\b(?:to|into|as)\s+(?:(?:the\s+)?(?:folder|directory)\s+)?([^\s,;!?]+)/iu.exec(clause.text)?.[1]
  const last = names[1] ?? (target && shellWord(unmask(bare(target), clause.quotes)))
  return last && `${/^(?:copy|cp)$/u.test(verb) ? "cp" : "mv"} -- ${names[0]} ${last}`
}

const sedPattern = (text: string): string => text.replaceAll(/[.*[\]^$/\\]/gu, "\\$&").replaceAll("\n", "\\n")
const sedText = (text: string): string => text.replaceAll(/[&/\\]/gu, "\\$&").replaceAll("\n", "\\n")

const nameOf = (glob: string): string => glob.split("/").at(-1) as string

function codeFor({ verb, slots, expression }: Wanted): string | undefined {
  if (verb === "python") return slots.code
  if (verb === "time") return "from datetime import datetime\nprint(datetime.now())"
  return verb === "compute" && expression
    ? `print(${expression.replaceAll("^", "**").replaceAll(/\b(sqrt|pi|e|log|exp|sin|cos|tan|floor|ceil|factorial)\b/gu, "__import__('math').$1")})`
    : undefined
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")

function patternFor(ability: Ability, { verb, slots, clause }: Wanted): string | undefined {
  if (ability.verb === "find") {
    if (verb === "search") return slots.pattern && `**/*${slots.pattern.text}*`
    return (
      slots.glob ??
      (verb === "list"
        ? /\b(?:recursive\w*|everything|subfolders|tree|below)\b/iu.test(clause.text)
          ? "**/*"
          : "*"
        : undefined)
    )
  }
  if (verb === "find") return slots.glob
  if (!slots.pattern) return undefined
  const regex = ability.textStems.has("regular") || ability.textStems.has("regex") || ability.textStems.has("regexp")
  return slots.pattern.regex || !regex ? slots.pattern.text : escaped(slots.pattern.text)
}

/** The lines asked for, in the way that the tool takes them; lines from the end are left to the reader. */
function putLines(input: Record<string, JsonValue>, { roleNames, properties }: Ability, { lines }: Slots): void {
  if (!lines || lines.last !== undefined) return
  const range = roleNames.get("range")
  const limit = roleNames.get("limit")
  const end = roleNames.get("end")
  const offset = roleNames.get("offset")
  if (range !== undefined) {
    if (properties[range]?.type !== "string") input[range] = [lines.from, lines.to]
    return
  }
  if (limit === undefined && end === undefined) return
  if (offset !== undefined) input[offset] = lines.from
  else if (lines.from > 1) return
  if (limit !== undefined) input[limit] = lines.to - lines.from + 1
  else if (end !== undefined) input[end] = lines.to
}

/** The arguments of a tool whose verb is known, from what the clause says; other parameters only where it names them. */
export function inputFor(ability: Ability, wanted: Wanted): Filled {
  const { slots, path, text, expression, clause } = wanted
  const given: Record<string, JsonValue> = {}
  const put = (role: Role, value: JsonValue | undefined): void => {
    const name = ability.roleNames.get(role)
    if (name !== undefined && value !== undefined) given[name] = value
  }
  const dirRole: Role = ability.roleNames.has("dir") ? "dir" : "path"
  switch (ability.verb) {
    case "list":
      put(dirRole, slots.dir ?? (ability.required.length > 0 ? "." : undefined))
      put("pattern", slots.glob)
      break
    case "find":
    case "search": {
      put("pattern", patternFor(ability, wanted))
      put(dirRole, slots.dir ?? (ability.required.includes(ability.roleNames.get(dirRole) ?? "") ? "." : undefined))
      if (ability.verb === "find") break
      const include = ["glob", "include", "file_pattern", "filePattern"].find((name) => name in ability.properties)
      if (include && slots.glob && include !== ability.roleNames.get("pattern")) given[include] = slots.glob
      // whole lines say more than the names of the files
      if (
        ability.properties["output_mode"]?.enum?.includes("content") &&
        !/\b(?:which|what) files?\b/iu.test(clause.text)
      )
        given["output_mode"] = "content"
      if (slots.ignoreCase) put("ignoreCase", true)
      break
    }
    case "read":
      put("path", path)
      putLines(given, ability, slots)
      break
    case "write":
    case "append":
    case "insert":
      put("path", path)
      put("content", text)
      if (ability.verb === "insert") put("offset", wanted.line)
      break
    case "edit":
      put("path", path)
      put("from", slots.replace?.from)
      put("to", slots.replace?.to)
      if ("replace_all" in ability.properties && /\b(?:all|every|everywhere)\b/iu.test(clause.text))
        given["replace_all"] = true
      break
    case "run":
      put("command", commandFor(wanted))
      break
    case "python":
      put("code", codeFor(wanted))
      break
    case "compute": {
      const name = ability.roleNames.get("expression") ?? ability.required[0]
      if (name !== undefined && expression !== undefined) given[name] = expression
      break
    }
    default:
  }
  const names = ["run", "python", "write", "append", "insert", "compute"].includes(ability.verb ?? "")
    ? ""
    : clause.text
  const filled = fill(ability.tool.parameters, names, clause.quotes, {
    given,
    toolWords: ability.tool.name,
    nearby: false,
  })
  // what only the words around could give is no path, command or text
  const own = new Set([...ability.roleNames].filter(([role]) => essential.has(role)).map(([, name]) => name))
  const kept = Object.entries(filled.input).filter(([name]) => name in given || !own.has(name))
  const input: JsonObject = Object.fromEntries(kept)
  return { input, missing: ability.required.filter((name) => !(name in input)) }
}

const essential: ReadonlySet<Role> = new Set([
  "path",
  "dir",
  "content",
  "pattern",
  "command",
  "code",
  "expression",
  "from",
  "to",
])
