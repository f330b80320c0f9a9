import { type Ability, affinity, standIns } from "./abilities.ts"
import { inputFor, type Wanted } from "./call-input.ts"
import { type Filled, fill } from "./fill.ts"
import { jsonArguments } from "./json-arguments.ts"
import { unmask } from "./spans.ts"
import type { Verb } from "./verbs.ts"
import { contentStems } from "./words.ts"

/** A tool for a clause, with its arguments as far as the clause gives them. */
export interface Choice extends Filled {
  readonly ability: Ability
}

/** Verbs that a tool's own words may answer better than a stand-in. */
const open: ReadonlySet<Verb> = new Set([
  "other",
  "explain",
  "manage",
  "time",
  "greet",
  "thanks",
  "about",
  "help",
  "repeat",
  "stop",
])

/** The tool that a clause names: by a name no prose has in it, or after "use" or "call". */
export function namedTool(text: string, abilities: readonly Ability[]): Ability | undefined {
  return abilities.find(({ tool: { name } }) => {
    const plain = name.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")
    const peculiar = /[_\d-]|\p{Ll}\p{Lu}/u.test(name)
    const before = peculiar ? "(?<![\\p{L}\\p{N}_/.-])" : "(?:use|call|using|invoke|with) (?:the )?(?:tool )?[`'\"]?"
    return new RegExp(`${before}${plain}(?![\\p{L}\\p{N}_-]|[./]\\p{L})`, peculiar ? "u" : "iu").test(text)
  })
}

function freely(ability: Ability, wanted: Wanted): Choice {
  const { clause } = wanted
  const json = jsonArguments(ability, clause)
  if (json) return { ability, input: json, missing: ability.required.filter((required) => !(required in json)) }
  const name = ability.tool.name
  const words = clause.text.replaceAll(name, " ")
  return { ability, ...fill(ability.tool.parameters, words, clause.quotes, { toolWords: name }) }
}

const rank = (choice: Choice): number => (choice.missing.length === 0 ? 1 : 0)

/** The tool that fits a clause best; undefined when none does. */
export function choose(wanted: Wanted, abilities: readonly Ability[]): Choice | undefined {
  const { clause, verb } = wanted
  const named = namedTool(unmask(clause.text, clause.quotes), abilities)
  if (named) {
    const known = named.verb && !jsonArguments(named, clause) ? [{ ability: named, ...inputFor(named, wanted) }] : []
    return [...known, freely(named, wanted)].toSorted((a, b) => rank(b) - rank(a))[0]
  }
  const stems = contentStems(clause.text)
  const scored = abilities.flatMap((ability) => {
    const fits = affinity(ability, stems)
    if (ability.verb === verb) return [{ score: 5 + fits, choice: { ability, ...inputFor(ability, wanted) } }]
    // a tool for a known verb is reached by that verb only; "list" is no word for a tool that lists orders
    if (ability.verb !== undefined || fits < (open.has(verb) ? 1 : 5)) return []
    return [{ score: fits, choice: freely(ability, wanted) }]
  })
  const best = scored.toSorted((a, b) => rank(b.choice) - rank(a.choice) || b.score - a.score)[0]?.choice
  if (best && rank(best) === 1) return best
  const substitute = (standIns[verb] ?? [])
    .flatMap((other) => abilities.filter((ability) => ability.verb === other))
    .map((ability) => ({ ability, ...inputFor(ability, wanted) }))
    .find((choice) => rank(choice) === 1)
  // a tool of one's own that lacks a word is asked about rather than replaced
  return scored.some(({ choice }) => choice.ability.verb === verb) ? best : (substitute ?? best)
}
