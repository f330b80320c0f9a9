import { cutText, didYouMean } from "@agentscope-ts/message"
import { modelError } from "./errors/model-error.ts"

/** What a value has to be: the words for it, and whether one is. */
export type Rule = readonly [words: string, fits: (value: unknown) => boolean]

/** An object that is no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0

/** Rules that several settings have. */
export const rules = {
  number: ["a finite number", isNumber],
  count: ["an integer above 0", isCount],
  countOrNone: ["an integer of 0 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  aboveZero: ["a number above 0", (value) => typeof value === "number" && value > 0],
  price: ["a number of 0 or more", (value) => isNumber(value) && value >= 0],
  milliseconds: ["a number of milliseconds above 0", (value) => isNumber(value) && value > 0],
  millisecondsOrNone: ["a number of milliseconds, 0 or more", (value) => isNumber(value) && value >= 0],
  flag: ["true or false", (value) => typeof value === "boolean"],
  text: ["a text", (value) => typeof value === "string"],
  call: ["a function", (value) => typeof value === "function"],
  object: ["an object", isObject],
} as const satisfies Record<string, Rule>

/**
 * Throws `invalid_request` for a setting that does not exist or cannot have its value: a misspelt one would be ignored
 * without a word. `subject` is whose they are, for the message; undefined is "not given".
 */
export function checkSettings(subject: string, settings: unknown, known: Readonly<Record<string, Rule>>): void {
  const names = Object.keys(known)
  if (!isObject(settings)) {
    throw invalid(`${subject} takes an object with ${names.join(", ")}, and it got ${shownValue(settings)}.`)
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(known, name)) {
      throw invalid(`${subject} has no "${name}": there are ${names.join(", ")}.${didYouMean(name, names)}`)
    }
    const [words, fits] = known[name] as Rule
    if (value === undefined || fits(value)) continue
    throw invalid(`${subject}: ${name} is ${shownValue(value)} and has to be ${words}. Leave it out for the default.`)
  }
}

/** The value as a program has it; JSON has no NaN. */
export function shownValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint" || value === null) return String(value)
  if (value === undefined) return "nothing"
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  try {
    return cutText(JSON.stringify(value), 100)
  } catch {
    return "an object that is no JSON"
  }
}

const invalid = (message: string): Error => modelError({ code: "invalid_request", message })
