import {
  blocksOf,
  type JsonObject,
  type JsonValue,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { cleanText, revealLine, revealText } from "./clean-text.ts"
import type { Pane } from "./pane.ts"
import { clip, wrap } from "./width.ts"

const mostResultLines = 10
const mostContentLines = 24

const inOneLine = (value: JsonValue): string =>
  revealText(typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll(/\s+/gu, " ")
    .trim()

/** A call in one line: the tool, and its arguments as far as they fit. */
export function callLine(
  pane: Pane,
  { name, input, rawInput }: Pick<ToolUseBlock, "name" | "input" | "rawInput">,
): string {
  const entries = Object.entries(input)
  const single = entries.length === 1 && typeof entries[0]?.[1] === "string"
  const shown = single
    ? inOneLine(entries[0]?.[1] ?? "")
    : entries.map(([key, value]) => `${inOneLine(key)}: ${inOneLine(value)}`).join("  ")
  const tool = inOneLine(name)
  const rest = clip(rawInput === undefined ? shown : inOneLine(rawInput), pane.columns - tool.length - 5)
  return `${pane.style("cyan", "●")} ${pane.style("bold", tool)}${rest === "" ? "" : `  ${pane.style("dim", rest)}`}`
}

interface Ran {
  readonly returncode: number
  readonly stdout: string
  readonly stderr: string
}

const isRan = (value: unknown): value is Ran =>
  typeof value === "object" && value !== null && "returncode" in value && "stdout" in value && "stderr" in value

/** What a result says, as lines for a person: what a command printed without the tags that the model sees. */
function resultText(result: ToolResultBlock): string {
  if (isRan(result.structured)) {
    const { returncode, stdout, stderr } = result.structured
    const parts = [stdout, stderr].map((part) => part.replace(/\n+$/u, "")).filter((part) => part !== "")
    if (returncode !== 0) parts.push(`exit code ${returncode}`)
    return parts.join("\n") || "(no output)"
  }
  const media = blocksOf({ content: result.output }).filter(({ type }) => type !== "text")
  return (
    [textOf(result), ...media.map(({ type }) => `[${type}]`)].filter((part) => part !== "").join("\n") || "(nothing)"
  )
}

const marks = {
  success: ["dim", ""],
  error: ["red", "failed: "],
  denied: ["yellow", "not run: "],
  interrupted: ["yellow", "interrupted: "],
  suspended: ["dim", ""],
} as const

/** The reason that a toolkit gives with a refusal, without what it says to the model around it. */
const refusal = /^The call of "[^"\n]*" was not allowed: ([\s\S]*)\. Do not repeat it as it is\.$/u

/** A result, set in under its call; a long one is shortened, and says by how much. */
export function resultLines(pane: Pane, result: ToolResultBlock): string[] {
  const { state } = result
  const [colour, mark] = marks[state]
  const width = pane.columns - 5
  // marks that tell a model who speaks; a person sees that
  // a refusal names what was refused, and nothing of that may go unseen
  const text = (state === "denied" ? revealText : cleanText)(resultText(result))
    .replaceAll(/<\/?system-(?:info|reminder)>/gu, "")
    .replace(/\n+$/u, "")
    .replaceAll("\t", "    ")
  // the call is named in the line above
  const plain = text.replace(/^Error in the tool "[^"\n]*": /u, "")
  const said = mark + (state === "denied" ? text.replace(refusal, "$1") : plain)
  // output is cut at the edge; a reason is read to its end
  const lines = said.split("\n").flatMap((line) => (state === "success" ? [clip(line, width)] : wrap(line, width)))
  const shown = lines.length > mostResultLines ? lines.slice(0, mostResultLines - 1) : lines
  const out = shown.map((line) => `  ${pane.style("dim", "│")} ${pane.style(colour, line)}`)
  const more = lines.length - shown.length
  if (more > 0) out.push(`  ${pane.style("dim", `│ … ${more} more lines`)}`)
  return out
}

function valueLines(pane: Pane, key: string, value: JsonValue): string[] {
  const label = pane.style("dim", `${revealLine(key)}:`)
  if (typeof value !== "string") return [`    ${label} ${revealLine(JSON.stringify(value))}`]
  const lines = revealText(value).split("\n")
  // what runs is shown whole; what is only written may be long
  const runs = key === "command" || key === "code"
  if (lines.length === 1 && !runs) return [`    ${label} ${lines[0]}`]
  const shown = runs || lines.length <= mostContentLines ? lines : lines.slice(0, mostContentLines)
  const more = lines.length - shown.length
  return [
    ...(runs ? [] : [`    ${label}`]),
    ...shown.map((line, i) => `    ${key === "command" ? pane.style("dim", i === 0 ? "$ " : "  ") : ""}${line}`),
    ...(more > 0 ? [`    ${pane.style("dim", `… ${more} more lines`)}`] : []),
  ]
}

/** All that a call would do, for a person who is asked: commands and code whole, nothing unseen left unseen. */
export function askedLines(pane: Pane, input: JsonObject): string[] {
  return Object.entries(input).flatMap(([key, value]) => valueLines(pane, key, value))
}
