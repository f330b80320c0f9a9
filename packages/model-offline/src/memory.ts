import { namesIn, shownBy, spokenBy, totalIn } from "./results.ts"
import type { Done } from "./turn.ts"
import { roleOf } from "./abilities.ts"

/** What later words can point back to: the file last spoken of, the text last given, the names last listed, the last call. */
export interface Context {
  lastPath?: string
  lastText?: string
  /** The file that `lastText` is the text of. */
  textOf?: string
  /** `lastText` is only the beginning of it. */
  partial?: boolean
  names?: readonly string[]
  /** How many names the list had, with those that were left out of it. */
  total?: ReturnType<typeof totalIn>
  /** The last call gave nothing: what points back to its text or names has nothing to point to. */
  failed?: boolean
  last?: Done
}

const pathOf = (input: Readonly<Record<string, unknown>>): string | undefined => {
  const entry = Object.entries(input).find(
    ([name, value]) => roleOf(name) === "path" && typeof value === "string" && value !== "",
  )
  return entry?.[1] as string | undefined
}

const joined = (dir: string, name: string): string =>
  dir === "." || name.startsWith("/") || name === dir || name.startsWith(`${dir.replace(/\/+$/u, "")}/`)
    ? name
    : `${dir.replace(/\/+$/u, "")}/${name}`

/** Whether a call gave names (a list, a search) rather than a text. Its own arguments tell. */
function listed(input: Readonly<Record<string, unknown>>): boolean {
  const roles = new Set(Object.keys(input).map(roleOf))
  if (roles.has("content") || roles.has("command") || roles.has("code") || roles.has("expression") || roles.has("from"))
    return false
  return roles.has("pattern") || !roles.has("path")
}

/** Takes one call and its result into the context. */
export function remember(context: Context, done: Done, lists: boolean | undefined): void {
  const { use, result } = done
  context.last = done
  const path = pathOf(use.input)
  const wrote = Object.keys(use.input).some((name) => ["content", "from", "to"].includes(roleOf(name)))
  if (result?.state !== "success") {
    // "it" is what was spoken of last, never what was read before that
    if (path !== undefined) context.lastPath = path
    if (wrote) return
    context.failed = true
    delete context.lastText
    delete context.textOf
    delete context.partial
    if (lists ?? listed(use.input)) {
      delete context.names
      delete context.total
    }
    return
  }
  if (lists ?? listed(use.input)) {
    const dir = Object.entries(use.input).find(
      ([name, value]) => ["dir", "path"].includes(roleOf(name)) && typeof value === "string",
    )?.[1]
    context.names = namesIn(result).map((name) => (typeof dir === "string" ? joined(dir, name) : name))
    // what is written on of a list are its names; of a search, the lines
    const matches = "pattern" in use.input && spokenBy(result).text.includes(":")
    context.lastText = matches ? spokenBy(result).text : context.names.join("\n")
    context.total = totalIn(result)
    context.partial = context.total.atLeast || context.total.count > context.names.length
    delete context.textOf
    // a look for another name of what could not be read
    if (context.names.length > 0) delete context.failed
    return
  }
  if (path !== undefined) context.lastPath = path
  if (wrote) return
  delete context.failed
  const shown = path === undefined ? { text: spokenBy(result).text, partial: false } : shownBy(result)
  context.lastText = shown.text
  context.partial =
    shown.partial || Object.keys(use.input).some((name) => ["range", "limit", "end"].includes(roleOf(name)))
  if (path === undefined) delete context.textOf
  else context.textOf = path
}

/** The file that a name in a listing stands for, if it is none of a folder. */
export const isFile = (name: string): boolean => !name.endsWith("/")
