import { wireJson } from "./json.ts"

/**
 * The head of a request's body: its fields, then those in `ready` whose values are JSON already (an empty text is none), then
 * the opening bracket of the list `messages`, in which the messages stand.
 */
export function bodyHead(fields: object, ready: Readonly<Record<string, string>>, messages: string): string {
  const members = Object.entries(ready).map(([name, json]) => (json === "" ? "" : `"${name}":${json}`))
  const all = [wireJson(fields).slice(1, -1), ...members, `"${messages}":[`]
  return `{${all.filter((member) => member !== "").join(",")}`
}
