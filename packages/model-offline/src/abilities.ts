import type { JsonSchema } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import type { Verb } from "./verbs.ts"
import { contentStems, stem, wordsOf } from "./words.ts"

/** The part that a parameter plays, told from its name. */
export type Role =
  | "path"
  | "dir"
  | "content"
  | "pattern"
  | "command"
  | "code"
  | "expression"
  | "from"
  | "to"
  | "range"
  | "offset"
  | "limit"
  | "end"
  | "ignoreCase"
  | "other"

const roles: readonly (readonly [Role, RegExp])[] = [
  ["range", /^(?:ranges?|lines?_range|view_range)$/u],
  ["from", /^(?:old|old_(?:string|str|text)|search_(?:string|text)|find|original)$/u],
  ["to", /^(?:new|new_(?:string|str|text)|replacement|replace(?:_with)?)$/u],
  ["dir", /^(?:.*_)?(?:dir|directory|folder|cwd)(?:_?path|_?name)?$/u],
  ["path", /^(?:.*_)?(?:path|file|filename|filepath)$|^file_?name$/u],
  ["content", /^(?:contents?|text|body|data|note|string|new_content)$/u],
  ["expression", /^(?:expression|expr|formula|equation|calculation)$/u],
  ["pattern", /^(?:pattern|regexp?|query|q|keywords?|term|needle|glob|search|search_query)$/u],
  ["command", /^(?:command|cmd|shell_command|command_line)$/u],
  ["code", /^(?:code|source|snippet|script|python_code)$/u],
  [
    "offset",
    /^(?:offset|start|start_line|from_line|line_start|first_line|line|line_number|line_no|insert_line|at_line)$/u,
  ],
  ["end", /^(?:end|end_line|to_line|line_end|last_line)$/u],
  ["limit", /^(?:limit|max_lines|num_lines|line_count)$/u],
  ["ignoreCase", /^(?:-?i|ignore_case|case_insensitive)$/u],
]

const snake = (name: string): string => (name.startsWith("-") ? name.toLowerCase() : wordsOf(name).join("_"))

/** The role that a parameter's name tells. */
export function roleOf(name: string): Role {
  const plain = snake(name)
  return roles.find(([, names]) => names.test(plain))?.[0] ?? "other"
}

/** A tool as it is matched: its words, the roles of its parameters, and the verb it answers, if that is a known one. */
export interface Ability {
  readonly tool: ToolSchema
  readonly verb: Verb | undefined
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly roleNames: ReadonlyMap<Role, string>
  readonly nameStems: readonly string[]
  readonly textStems: ReadonlySet<string>
}

const has = (stems: ReadonlySet<string>, words: string): boolean => words.split(" ").some((word) => stems.has(word))

function verbOfTool(
  name: ReadonlySet<string>,
  text: ReadonlySet<string>,
  has_: (role: Role) => boolean,
  required: readonly string[],
): Verb | undefined {
  const aboutFiles = has(name, "file folder directory dir glob grep ls") || has(text, "file folder directory")
  if (has_("command") && has(name, "shell bash command run execute exec terminal sh")) return "run"
  if (has_("code") && (has(name, "python py ipython") || (has(text, "python") && has(name, "run execute code eval"))))
    return "python"
  if (has_("expression") || (has(name, "calculate calculator calc compute math arithmetic") && required.length === 1))
    return "compute"
  if (has_("path") && has_("from") && has_("to")) return "edit"
  if (has_("path") && has_("content") && required.length <= 2) {
    if (has(name, "append")) return "append"
    if (has(name, "write save create put note store") && !has(name, "insert")) return "write"
  }
  if (has_("path") && has_("content") && has_("offset") && has(name, "insert")) return "insert"
  if (has(name, "glob") || (has_("pattern") && aboutFiles && has(name, "find locate") && !has(text, "content")))
    return "find"
  if (
    has_("pattern") &&
    (has(name, "grep rg ripgrep") || (aboutFiles && has(name, "search find") && !has(name, "web")))
  )
    return "search"
  if (has_("path") && has(name, "read view cat open show") && required.length === 1) return "read"
  if (aboutFiles && has(name, "list ls dir tree") && required.every((param) => ["path", "dir"].includes(roleOf(param))))
    return "list"
  if (has(name, "time date clock now today datetime") && required.length === 0) return "time"
  return undefined
}

const cache = new WeakMap<ToolSchema, Ability>()

/** What a tool is for, as far as its name, description and parameters tell. */
export function abilityOf(tool: ToolSchema): Ability {
  const known = cache.get(tool)
  if (known) return known
  const properties = tool.parameters.properties ?? {}
  const required = tool.parameters.required ?? []
  const roleNames = new Map<Role, string>()
  for (const name of [...required, ...Object.keys(properties)]) {
    const role = roleOf(name)
    if (Object.hasOwn(properties, name) && !roleNames.has(role)) roleNames.set(role, name)
  }
  const nameStems = wordsOf(tool.name).map(stem)
  const textStems = new Set(contentStems(`${tool.description ?? ""} ${Object.keys(properties).join(" ")}`))
  const verb = verbOfTool(new Set(nameStems), textStems, (role) => roleNames.has(role), required)
  const ability = { tool, verb, properties, required, roleNames, nameStems, textStems }
  cache.set(tool, ability)
  return ability
}

/** What can stand in for a tool that is not there, best first: a shell lists files too. */
export const standIns: Readonly<Partial<Record<Verb, readonly Verb[]>>> = {
  list: ["find", "run"],
  read: ["run"],
  search: ["run"],
  find: ["search", "run"],
  append: ["run"],
  compute: ["python", "run"],
  time: ["run", "python"],
  python: ["run"],
  edit: ["run"],
  manage: ["run"],
}

/** How well a tool answers free words: its name counts most; 0 when only chance links them. */
export function affinity(ability: Ability, stems: readonly string[]): number {
  const unique = new Set(stems)
  const named = new Set(ability.nameStems)
  let score = 0
  let hits = 0
  for (const word of unique) {
    if (named.has(word)) {
      score += 3
      hits++
    } else if (ability.textStems.has(word)) {
      score += 1
      hits++
    }
  }
  if (hits > 0 && [...named].every((word) => unique.has(word))) score += 2
  return score >= 3 || (hits >= 2 && score >= 2) ? score : 0
}
