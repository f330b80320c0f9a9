import type { Ability } from "./abilities.ts"
import { clausesOf } from "./clauses.ts"
import { type Context, remember } from "./memory.ts"
import type { Call, Report } from "./report.ts"
import { mask } from "./spans.ts"
import { Steps } from "./steps.ts"
import type { Done, Turn } from "./turn.ts"
import { wordsOf } from "./words.ts"

/** A plan gives calls one by one, takes the result of each, and ends with its reports. */
export type Plan = Generator<Call, readonly Report[], Done>

/** The plan for the last of the turns. It is the same each time it is made; what was done already is fed to it. */
export function* planFor(turns: readonly Turn[], tools: readonly Ability[]): Plan {
  const context: Context = {}
  for (const turn of turns.slice(0, -1)) {
    for (const done of turn.done) {
      const verb = tools.find(({ tool }) => tool.name === done.use.name)?.verb
      remember(context, done, verb === undefined ? undefined : ["list", "find", "search"].includes(verb))
    }
  }
  const steps = new Steps(tools, context)
  const toolVerbs = new Set(tools.flatMap(({ tool }) => wordsOf(tool.name).slice(0, 1)))
  const requests = turns.at(-1)?.requests ?? []
  const read = requests.map((request) => clausesOf(mask(request), toolVerbs))
  for (const clauses of read) {
    // a message that asks for nothing beside one that does is a note to a model: there is none here
    const idle = read.length > 1 && clauses.every(({ verb }) => verb === "other")
    if (idle && read.some((others) => others !== clauses && others.some(({ verb }) => verb !== "other"))) continue
    for (const clause of clauses) {
      if (clause.verb === "stop") return [...steps.reports, { kind: "talk", verb: "stop" }]
      yield* steps.clause(clause)
    }
  }
  return steps.reports
}
