import { didYouMean } from "@agentscope-ts/message"
import { checkSettings, isObject, type Rule, rules, shownValue } from "./check-settings.ts"
import { modelError } from "./errors/model-error.ts"
import type { InputKind, ModelFacts } from "./model-facts.ts"
import type { ModelPrice } from "./prices.ts"

const kinds: readonly unknown[] = ["text", "image", "audio", "video", "file"] satisfies InputKind[]

const priceRules: Record<keyof ModelPrice, Rule> = {
  inputPerMTok: rules.price,
  outputPerMTok: rules.price,
  cachedInputPerMTok: rules.price,
  cacheWritePerMTok: rules.price,
  cacheWriteLongPerMTok: rules.price,
}

const factRules: Record<keyof ModelFacts, Rule> = {
  contextWindow: rules.count,
  maxOutputTokens: rules.count,
  inputs: [
    `a list of ${kinds.join(", ")}`,
    (value) => Array.isArray(value) && value.every((kind) => kinds.includes(kind)),
  ],
  reasoning: rules.flag,
  structuredOutput: rules.flag,
  tools: rules.flag,
  price: rules.object,
}

/** Throws `invalid_request` for a price that is none. */
export function checkPrice(price: unknown, subject: string): void {
  checkSettings(subject, price, priceRules)
  const { inputPerMTok, outputPerMTok } = price as Partial<ModelPrice>
  if (inputPerMTok !== undefined && outputPerMTok !== undefined) return
  const message = `${subject} needs inputPerMTok and outputPerMTok, in US dollars per million tokens.`
  throw modelError({ code: "invalid_request", message })
}

/** Throws `invalid_request` for facts that are none: those of one model, or a table of them by the models' names. */
export function checkFacts(facts: unknown, subject: string): void {
  const names = Object.keys(factRules)
  if (isObject(facts) && !names.some((name) => name in facts)) {
    for (const [name, row] of Object.entries(facts)) {
      if (isObject(row)) continue
      const message = `${subject} has no "${name}": there are ${names.join(", ")}; in a table of models each name has an object, and this one has ${shownValue(row)}.${didYouMean(name, names)}`
      throw modelError({ code: "invalid_request", message })
    }
    return
  }
  checkSettings(subject, facts, factRules)
  const { price } = facts as ModelFacts
  if (price !== undefined) checkPrice(price, `${subject}.price`)
}
