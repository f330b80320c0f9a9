import { agentError } from "./agent-error.ts"

/** The name out of `names` that somebody who wrote `name` most likely meant. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "")
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const distance = editDistance(plain(name), plain(candidate))
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** `"max_iterations". Did you mean "maxIterations"?`, or the list of names where none is near. */
export function unknownName(name: string, names: readonly string[]): string {
  const meant = nearest(name, names)
  return meant ? `"${name}". Did you mean "${meant}"?` : `"${name}". There are: ${names.join(", ")}.`
}

/** Refuses what is no object, and names that `names` does not have. `where` starts the message: `ReActAgent "Friday"`. */
export function checkNames(where: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw agentError("invalid_argument", `${where}: options must be an object, not ${describe(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw agentError("invalid_argument", `${where}: there is no option ${unknownName(name, names)}`)
    }
  }
}

/** Refuses a value that does not hold what it should; `undefined` always passes. */
export function checkOption(where: string, name: string, value: unknown, holds: boolean, expected: string): void {
  if (value === undefined || holds) return
  throw agentError("invalid_argument", `${where}: ${name} must be ${expected}, not ${describe(value)}.`)
}

/** A value in an error message: short, and without what it holds. */
export function describe(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return `a ${value.constructor?.name ?? "object"}`
  if (typeof value === "function") return "a function"
  return typeof value === "string" ? JSON.stringify(value.slice(0, 50)) : `${value as number | boolean | undefined}`
}
