import type { JsonObject } from "@agentscope-ts/message"
import type { Ability } from "./abilities.ts"
import type { Clause } from "./clauses.ts"
import { quotesIn, restore } from "./spans.ts"

/** The arguments that a clause has as a JSON object, bare or in quotation marks: `call wipe_disk with {"disk":"sda"}`. */
export function jsonArguments({ properties }: Ability, { text, quotes }: Clause): JsonObject | undefined {
  const names = Object.keys(properties)
  const isFor = (value: JsonObject): boolean => Object.keys(value).some((name) => names.includes(name))
  const bare = objectOf(restore(/\{.*\}/su.exec(text)?.[0] ?? "", quotes))
  if (bare === undefined) {
    return quotesIn(text, quotes)
      .map(objectOf)
      .find((value) => value !== undefined && isFor(value))
  }
  // an object that the tool takes as one of its parameters
  const whole = names.filter((name) => properties[name]?.type === "object")
  return whole.length === 1 && !isFor(bare) ? { [whole[0] as string]: bare } : bare
}

function objectOf(text: string): JsonObject | undefined {
  if (!text.startsWith("{")) return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}
