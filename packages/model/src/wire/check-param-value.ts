import { isCount, isNumber, isObject, type Rule, rules as common, shownValue } from "../check-settings.ts"
import { modelError } from "../errors/model-error.ts"

const { count, flag, number } = common
const efforts: readonly unknown[] = ["off", "low", "medium", "high"]

/** The params that have one meaning wherever they are known. Those that only one provider has are its own to check. */
const rules: Readonly<Record<string, Rule>> = {
  temperature: ["a number of 0 or more", (value) => isNumber(value) && value >= 0],
  topP: ["a number from 0 to 1", (value) => isNumber(value) && value >= 0 && value <= 1],
  maxTokens: count,
  stop: ["a list of texts that are not empty", isStopList],
  seed: ["an integer", Number.isSafeInteger],
  reasoning: ['"off", "low", "medium", "high" or { budgetTokens: an integer above 0 }', isReasoning],
  topK: common.countOrNone,
  minP: ["a number from 0 to 1", (value) => isNumber(value) && value >= 0 && value <= 1],
  presencePenalty: number,
  frequencyPenalty: number,
  repetitionPenalty: number,
  repeatPenalty: number,
  numCtx: count,
  parallelToolCalls: flag,
  extraBody: common.object,
}

/** The params whose values are checked. */
export const valuedParams: readonly string[] = Object.keys(rules)

/** Throws `invalid_request` for a value that the param cannot have; undefined is "not given". */
export function checkParamValue(name: string, value: unknown, className: string): void {
  const rule = value === undefined || !Object.hasOwn(rules, name) ? undefined : rules[name]
  if (rule === undefined || rule[1](value)) return
  const message = `${className}: params.${name} is ${shownValue(value)} and has to be ${rule[0]}. Leave it out, or give undefined, for the provider's default.`
  throw modelError({ code: "invalid_request", message, details: { param: name } })
}

function isStopList(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "")
}

function isReasoning(value: unknown): boolean {
  return isObject(value) ? "budgetTokens" in value && isCount(value["budgetTokens"]) : efforts.includes(value)
}
