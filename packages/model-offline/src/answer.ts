import { cutText, textOf } from "@agentscope-ts/message"
import type { Ability } from "./abilities.ts"
import { about, example, helpFor, identity } from "./about.ts"
import { type Called, findingOf, firstLine, objectOf, plural } from "./findings.ts"
import type { Report } from "./report.ts"
import type { Verb } from "./verbs.ts"

const doing: Readonly<Partial<Record<Verb, string>>> = {
  list: "list",
  read: "read",
  search: "search",
  find: "look for",
  write: "write",
  append: "add to",
  insert: "add to",
  edit: "change",
  run: "run",
  manage: "run",
  time: "run",
  python: "run",
  compute: "compute",
}

const objects: Readonly<Partial<Record<Verb, string>>> = {
  list: "the files",
  search: "the files",
  find: "files",
  python: "the Python code",
}

/** The reason in a refusal that speaks to a model. */
const reasonIn = (said: string): string =>
  said.replace(/^The call of .{1,100}? was not allowed: /u, "").replace(/\.? Do not repeat it as it is\.$/u, "")

function calledText(report: Called): string {
  const { done, verb } = report
  const { result, use } = done
  const act = doing[verb]
  const what = act ? `${act} ${objectOf(report) ?? objects[verb] ?? "it"}` : `call ${use.name}`
  if (!result) return `I have no result of ${use.name}.`
  const said = firstLine(textOf(result).replace(/^Error in the tool "[^"\n]*": /u, ""))
  switch (result.state) {
    case "success":
      return findingOf(report)
    case "denied":
      return `I did not ${what}: it was not allowed.${said ? ` (${reasonIn(said)})` : ""}`
    case "interrupted":
      return `The call of ${use.name} was interrupted before it ended.`
    default:
      return `I could not ${what}. ${use.name} says: ${said || "nothing"}`
  }
}

function countText({ what, of, count, partial, atLeast }: Extract<Report, { kind: "counted" }>): string {
  if (partial)
    return `I read only a part of ${of || "it"}; that part has ${typeof what === "object" ? `"${what.occurrencesOf}" ${plural(count, "time")}` : plural(count, what.slice(0, -1))}.`
  if (typeof what === "object")
    return `"${what.occurrencesOf}" occurs ${plural(count, "time")}${of ? ` in ${of}` : ""}.`
  if (what === "files")
    return `That is ${atLeast ? "at least " : ""}${plural(count, "entry", "entries")}${of ? ` in ${of}` : ""}.`
  return `${of || "That text"} has ${plural(count, what.slice(0, -1))}.`
}

/** The final answer: what was done and found, in the order of the request, and plainly what was not. */
export function answerFor(reports: readonly Report[], abilities: readonly Ability[], setup: string): string {
  const parts: string[] = []
  const unable: string[] = []
  let explains = false
  for (const report of reports) {
    switch (report.kind) {
      case "called":
        if (!report.quiet || report.done.result?.state !== "success") parts.push(calledText(report))
        break
      case "counted":
        parts.push(countText(report))
        break
      case "missing":
        parts.push(missingText(report))
        break
      case "cannot":
        unable.push(report.clause)
        explains ||= report.why !== "partial" && report.why !== "failed"
        parts.push(cannotText(report, abilities))
        break
      case "skipped":
        parts.push(
          `Not done${report.why === "limit" ? ", for it is more than I do in one request" : ""}: "${cutText(report.clause, 100)}".`,
        )
        break
      case "talk":
        if (report.verb === "about") parts.push(about(abilities, setup))
        else if (report.verb === "help") parts.push(helpFor(abilities, setup))
        else if (report.verb === "greet")
          parts.push(`Hello! ${identity} Ask "what can you do?" to see what I can do here.`)
        else if (report.verb === "thanks") parts.push("You are welcome.")
        else parts.push("All right, I stop here.")
    }
  }
  if (parts.length === 0) return `${identity} Ask "what can you do?" to see what I can do here.`
  if (explains) parts.push(`${identity} Ask "what can you do?" to see what I can do here. ${setupLine(setup)}`)
  return parts.join(parts.some((part) => part.includes("\n")) ? "\n\n" : "\n")
}

const setupLine = (setup: string): string => `For a language model, set a key and start again:\n\n${setup}`

function cannotText(report: Extract<Report, { kind: "cannot" }>, abilities: readonly Ability[]): string {
  const quoted = `"${cutText(report.clause.replaceAll(/\s+/gu, " "), 120)}"`
  if (report.why === "needs_model") return `I cannot do ${quoted}: that takes a language model.`
  if (report.why === "partial") return `I did not do ${quoted}: I have read only a part of that text.`
  if (report.why === "failed") return `I could not do ${quoted}: what it speaks of could not be read.`
  if (report.why === "no_tool")
    return abilities.length === 0
      ? `I cannot do ${quoted}: I was given no tools.`
      : `I cannot do ${quoted}: I was given no tool for it.`
  if (!/[A-Za-z]/u.test(report.clause)) return `I cannot read ${quoted}: I know only English requests.`
  return `I do not know what to do with ${quoted}.`
}

function missingText({ tool, names, clause, verb }: Extract<Report, { kind: "missing" }>): string {
  const quoted = `"${cutText(clause.replaceAll(/\s+/gu, " "), 120)}"`
  if (tool === "") return `Which file do you mean with ${quoted}?`
  const what = names.map((name) => `\`${name}\``).join(" and ")
  const how = (verb && example(verb)) ?? `use ${tool} with ${names.map((name) => `${name}="…"`).join(" and ")}`
  return `For ${quoted} I would call ${tool}, but I do not see the ${what} it needs. Say it like this: ${how}`
}
