import type { Countable } from "./slots.ts"

/** How often a text holds what is counted. */
export function countIn(text: string, what: Countable): number {
  if (typeof what === "object") return what.occurrencesOf === "" ? 0 : text.split(what.occurrencesOf).length - 1
  if (what === "words") return text.match(/\S+/gu)?.length ?? 0
  if (what === "characters") return Array.from(text).length
  return text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length
}
