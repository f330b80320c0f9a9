import { type Approval, approve, deny, type JsonObject, type PendingCall } from "@agentscope-ts/message"
import { askedLines } from "./terminal/call-view.ts"
import { revealLine } from "./terminal/clean-text.ts"
import type { LineInput } from "./terminal/line-input.ts"
import type { Pane } from "./terminal/pane.ts"
import { clip } from "./terminal/width.ts"

/** Decides about a call that waits. `undefined`: the person stopped the turn. */
export type Decide = (call: PendingCall) => Promise<Approval | undefined>

/** The part of the input that a person edits as it is: the one text without line breaks, such as a command. */
function editable(input: JsonObject): string | undefined {
  const texts = Object.entries(input).filter(([, value]) => typeof value === "string")
  const main = texts.find(([key]) => key === "command" || key === "code") ?? (texts.length === 1 ? texts[0] : undefined)
  return main && !(main[1] as string).includes("\n") ? main[0] : undefined
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** Asks the person at the terminal: yes, always, no (with a reason, if one follows), or edit. */
export class Asking {
  readonly #input: LineInput
  readonly #pane: Pane

  constructor(input: LineInput, pane: Pane) {
    this.#input = input
    this.#pane = pane
  }

  readonly decide: Decide = async (call) => {
    const { toolUse, suggestedRules = [], reason } = call
    const pane = this.#pane
    pane.begin("ask")
    pane.line(
      `${pane.style("yellow", "▲")} ${pane.style("bold", revealLine(toolUse.name))} wants to run:${reason ? pane.style("dim", ` ${revealLine(reason)}`) : ""}`,
    )
    for (const line of askedLines(pane, toolUse.input)) pane.line(line)
    const rules = suggestedRules.length > 0 ? suggestedRules : undefined
    const shownRules = rules?.map(revealLine).join(", ") ?? ""
    const isShort = clip(shownRules, pane.columns - 45) === shownRules
    if (!isShort) pane.line(`  ${pane.style("dim", `always: ${shownRules}`)}`)
    const always = rules ? `  [a]lways${isShort ? pane.style("dim", ` (${shownRules})`) : ""}` : ""
    const question = `  [y]es${always}  [n]o  [e]dit ${pane.style("yellow", "›")} `
    for (;;) {
      const typed = await this.#input.ask(question, { fresh: true })
      if (typed.type === "interrupt") return undefined
      if (typed.type === "end") return deny(call, "the person left without an answer")
      const [word = "", ...rest] = typed.text.trim().split(/\s+/u)
      switch (word.toLowerCase()) {
        case "y":
        case "yes":
          // what goes on after it was pasted, or is no plain yes
          if (rest.length === 0) return approve(call)
          pane.line(pane.style("dim", "  A yes stands alone."))
          break
        case "a":
        case "always":
          if (rules && rest.length === 0) return approve(call, { remember: rules })
          break
        case "n":
        case "no":
          return deny(call, rest.length > 0 ? `the person said no: ${rest.join(" ")}` : "the person said no")
        case "e":
        case "edit": {
          const input = await this.#edit(toolUse.input)
          if (input === "interrupt") return undefined
          if (input) return approve(call, { input })
          break
        }
        default:
          pane.line(pane.style("dim", `  Answer y, ${rules ? "a, " : ""}n or e; a reason may follow n.`))
      }
    }
  }

  /** The changed input; `undefined` when nothing was changed to. */
  async #edit(input: JsonObject): Promise<JsonObject | "interrupt" | undefined> {
    const pane = this.#pane
    const key = editable(input)
    const prefill = key === undefined ? JSON.stringify(input) : (input[key] as string)
    const typed = await this.#input.ask(`  ${pane.style("yellow", key ?? "input")} ${pane.style("yellow", "›")} `, {
      prefill,
      fresh: true,
    })
    if (typed.type === "interrupt") return "interrupt"
    if (typed.type === "end" || typed.text.trim() === "") return undefined
    const changed = key === undefined ? parseObject(typed.text) : { ...input, [key]: typed.text }
    if (!changed) pane.line(pane.style("dim", "  That is no JSON object; nothing was changed."))
    return changed
  }
}

/** What is said for a call that nobody can be asked about. */
export const denyUnasked: Decide = ({ suggestedRules = [], ...call }) => {
  // written out here already: whoever shows the reason may take out what is unseen
  const rules = suggestedRules.map((rule) => `--allow '${revealLine(rule).replaceAll("'", "'\\''")}'`)
  const flags = rules.length > 0 ? `${rules.join(" ")} or --yes` : "--yes"
  const reason = `it needs an approval, and there is no terminal to ask on. ${flags} would let it run`
  return Promise.resolve(deny(call, reason))
}
