import { cutText } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"

/** What a value has to be, and the words for it. */
type Rule = readonly [words: string, fits: (value: unknown) => boolean]

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const efforts: readonly unknown[] = ["off", "low", "medium", "high"]

const number: Rule = ["a finite number", isNumber]
const count: Rule = ["an integer above 0", isCount]
const flag: Rule = ["true or false", (value) => typeof value === "boolean"]

/** The params that have one meaning wherever they are known. Those that only one provider has are its own to check. */
const rules: Readonly<Record<string, Rule>> = {
  temperature: ["a number of 0 or more", (value) => isNumber(value) && value >= 0],
  topP: ["a number from 0 to 1", (value) => isNumber(value) && value >= 0 && value <= 1],
  maxTokens: count,
  stop: ["a list of texts that are not empty", isStopList],
  seed: ["an integer", Number.isSafeInteger],
  reasoning: ['"off", "low", "medium", "high" or { budgetTokens: an integer above 0 }', isReasoning],
  topK: ["an integer of 0 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  minP: ["a number from 0 to 1", (value) => isNumber(value) && value >= 0 && value <= 1],
  presencePenalty: number,
  frequencyPenalty: number,
  repetitionPenalty: number,
  repeatPenalty: number,
  numCtx: count,
  parallelToolCalls: flag,
  extraBody: ["an object", isObject],
}

/** Throws `invalid_request` for a value that the param cannot have; undefined is "not given". */
export function checkParamValue(name: string, value: unknown, className: string): void {
  const rule = value === undefined || !Object.hasOwn(rules, name) ? undefined : rules[name]
  if (rule === undefined || rule[1](value)) return
  const message = `${className}: params.${name} is ${shown(value)} and has to be ${rule[0]}. Leave it out, or give undefined, for the provider's default.`
  throw modelError({ code: "invalid_request", message, details: { param: name } })
}

function isStopList(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "")
}

function isReasoning(value: unknown): boolean {
  return isObject(value) ? "budgetTokens" in value && isCount(value.budgetTokens) : efforts.includes(value)
}

/** The value as a program has it; JSON has no NaN. */
function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint" || value === null) return String(value)
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  try {
    return cutText(JSON.stringify(value), 100)
  } catch {
    return "an object that is no JSON"
  }
}
