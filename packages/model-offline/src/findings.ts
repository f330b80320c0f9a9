import { cutText, type JsonObject, type ToolResultBlock } from "@agentscope-ts/message"
import type { Report } from "./report.ts"
import { namesIn, shownBy, spokenBy, totalIn } from "./results.ts"
import type { Lines } from "./slots.ts"

/** A call as the answer tells of it. */
export type Called = Extract<Report, { kind: "called" }>

/** "1 line", "2 lines". */
export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
/** The first line of a text, at most 300 characters of it. */
export const firstLine = (text: string): string => cutText(text.trim().split("\n")[0] ?? "", 300)

/** A text in a fence that it cannot close, some of its lines only. */
function fenced(text: string, maxLines: number, from = 0): string {
  const lines = text.replace(/\n+$/u, "").split("\n")
  const shown = lines
    .slice(from, from + maxLines)
    .map((line) => (line.length > 200 ? `${cutText(line, 200)}…` : line))
    .join("\n")
  const ticks = "`".repeat(Math.max(3, ...Array.from(shown.matchAll(/`+/gu), ([run]) => run.length + 1)))
  const rest = lines.length - from - maxLines
  return `${ticks}\n${shown}\n${ticks}${rest > 0 ? `\n… and ${plural(rest, "more line")}.` : ""}`
}

function nameList(names: readonly string[], total: number, max = 12): string {
  const shown = names.slice(0, max).join(", ")
  return total > max ? `${shown} and ${total - max} more` : shown
}

function readText(result: ToolResultBlock, name: string, lines: Lines | undefined): string {
  const { text, partial } = shownBy(result)
  if (text.trim() === "") return `${name} is empty.`
  const all = text.replace(/\n$/u, "").split("\n")
  if (lines?.last !== undefined) {
    const count = Math.min(lines.last, all.length)
    return `The last ${plural(count, "line")} of ${name}:\n${fenced(text, count, all.length - count)}`
  }
  if (lines) {
    // a tool that was asked for a range gave only that
    const size = lines.to - lines.from + 1
    const which = lines.from === lines.to ? `Line ${lines.from}` : `Lines ${lines.from} to ${lines.to}`
    return `${which} of ${name}:\n${fenced(text, size, all.length <= size ? 0 : lines.from - 1)}`
  }
  if (all.length <= 20) return `${name} (${plural(all.length, "line")}):\n${fenced(text, 20)}`
  return `${name} (${partial ? "its first " : ""}${plural(all.length, "line")}) begins:\n${fenced(text, 10)}`
}

function printed(result: ToolResultBlock, name: string): string {
  const { code, text } = spokenBy(result)
  const failed = code !== undefined && code !== 0 ? ` ended with exit code ${code}` : ""
  if (text === "") return `${name}${failed || " ran and printed nothing"}.`
  return `${name}${failed && `${failed} and`} printed:\n${fenced(text, 20)}`
}

function listedText({ verb, slots }: Called, result: ToolResultBlock): string {
  const names = namesIn(result)
  const { count, atLeast } = totalIn(result)
  const number = (one: string, many?: string): string => `${atLeast ? "at least " : ""}${plural(count, one, many)}`
  const where = slots.dir === undefined ? "" : ` in ${slots.dir}`
  if (verb === "search") {
    const what = `"${slots.pattern?.text ?? ""}"`
    return names.length === 0
      ? `Nothing${where} matches ${what}.`
      : `Found ${what}${where}:\n${fenced(spokenBy(result).text, 15)}`
  }
  if (verb === "list") {
    return names.length === 0
      ? `There is nothing${where || " here"}.`
      : `${capital(number("entry", "entries"))}${where}: ${nameList(names, count)}.`
  }
  if (names.length === 0) return `No file${where} fits ${slots.glob ?? "that"}.`
  return `${capital(number("file"))}${where}: ${nameList(names, count)}.`
}

const commandIn = (input: Readonly<Record<string, unknown>>): string | undefined => {
  const command = input["command"] ?? input["cmd"]
  return typeof command === "string" ? command : undefined
}

/** How the answer calls what was done: the command, the file, the tool. */
export function objectOf({ done, subject }: Called): string | undefined {
  // a person may have changed the call before it ran
  const changed = done.result?.metadata?.["input"]
  const command = commandIn(typeof changed === "object" && changed !== null ? (changed as JsonObject) : done.use.input)
  if (command === undefined) return subject
  return command.length > 80 || command.includes("\n") ? "the command" : `\`${command}\``
}

/** What a call that went well found, with the result's own words. */
export function findingOf(report: Called): string {
  const { verb, done, slots, subject } = report
  const result = done.result as ToolResultBlock
  const { code, text } = spokenBy(result)
  const object = objectOf(report)
  // a shell that stood in for another tool and failed speaks for itself
  if (code !== undefined && code !== 0) return printed(result, capital(object ?? done.use.name))
  switch (verb) {
    case "list":
    case "find":
    case "search":
      return listedText(report, result)
    case "read":
      return readText(result, subject ?? "The text", slots.lines)
    case "write":
      return `Wrote ${subject ?? "it"}.`
    case "append":
    case "insert":
      return `Added it to ${subject ?? "the file"}.`
    case "edit":
      return `Changed ${subject ?? "the file"}.`
    case "manage":
      return text === "" ? `Done: ${object ?? done.use.name}.` : printed(result, capital(object ?? done.use.name))
    case "compute": {
      const value = text.trim() || "no result"
      if (subject === undefined || value.includes("\n") || value.length > 300) return value
      return value.startsWith("≈") ? `${subject} ${value}` : `${subject} = ${value}`
    }
    case "time":
      return `It is ${firstLine(text)}.`
    case "python":
      return printed(result, "The Python code")
    case "run":
      return printed(result, capital(object ?? "The command"))
    default: {
      if (text.trim() === "") return `${done.use.name} is done; it said nothing.`
      const value = flat(text)
      const short = value.length <= 300 && !value.includes("\n")
      return short ? `${done.use.name} answered: ${value}` : `${done.use.name} answered:\n${fenced(text, 30)}`
    }
  }
}

/** `{"city":"Paris","celsius":14}` as `city: Paris, celsius: 14`; any other text as it is. */
function flat(text: string): string {
  if (!text.startsWith("{")) return text
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    const plain = entries.length > 0 && entries.every(([, value]) => value === null || typeof value !== "object")
    return plain ? entries.map(([name, value]) => `${name}: ${String(value)}`).join(", ") : text
  } catch {
    return text
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
