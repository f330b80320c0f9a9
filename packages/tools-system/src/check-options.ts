import { didYouMean } from "@agentscope-ts/message"
import { systemError } from "./error.ts"

/** Throws `invalid_argument` for options that are no object, and for names that `names` does not have. */
export function checkNames(where: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const given = options === null ? "null" : Array.isArray(options) ? "a list" : typeof options
    throw systemError("invalid_argument", `${where} takes options, an object with ${names.join(", ")}, not ${given}.`)
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    const hint = didYouMean(name, names) || ` There are: ${names.join(", ")}.`
    throw systemError("invalid_argument", `${where} has no option "${name}".${hint}`)
  }
}

/** Throws `invalid_argument` for a value that does not hold what it should; `undefined` passes. */
export function checkOption(where: string, name: string, value: unknown, holds: boolean, expected: string): void {
  if (value === undefined || holds) return
  const said = JSON.stringify(value) ?? typeof value
  throw systemError("invalid_argument", `${where}: ${name} is ${said.slice(0, 100)}: it has to be ${expected}.`)
}

/** Whether a value can be the path of a folder. */
export const isPath = (value: unknown): boolean => typeof value === "string" && value !== "" && !value.includes("\0")

/** Whether a value holds variables of an environment. */
export const isEnvironment = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)
