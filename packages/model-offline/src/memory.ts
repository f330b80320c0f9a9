import { namesIn, shownBy, spokenBy } from "./results.ts"
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
  if (result?.state !== "success") return
  if (lists ?? listed(use.input)) {
    const dir = Object.entries(use.input).find(
      ([name, value]) => ["dir", "path"].includes(roleOf(name)) && typeof value === "string",
    )?.[1]
    context.names = namesIn(result).map((name) => (typeof dir === "string" ? joined(dir, name) : name))
    // what is written on of a list are its names; of a search, the lines
    const matches = "pattern" in use.input && spokenBy(result).text.includes(":")
    context.lastText = matches ? spokenBy(result).text : context.names.join("\n")
    context.partial = false
    delete context.textOf
    return
  }
  if (path !== undefined) context.lastPath = path
  const wrote = Object.keys(use.input).some((name) => ["content", "from", "to"].includes(roleOf(name)))
  if (wrote) return
  const shown = path === undefined ? { text: spokenBy(result).text, partial: false } : shownBy(result)
  context.lastText = shown.text
  context.partial =
    shown.partial || Object.keys(use.input).some((name) => ["range", "limit", "end"].includes(roleOf(name)))
  if (path === undefined) delete context.textOf
  else context.textOf = path
}

/** The file that a name in a listing stands for, if it is none of a folder. */
export const isFile = (name: string): boolean => !name.endsWith("/")
