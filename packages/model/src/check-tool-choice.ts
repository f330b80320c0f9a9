import { didYouMean } from "@agentscope-ts/message"
import type { ToolChoice, ToolSchema } from "./chat-request.ts"
import { isObject, shownValue } from "./check-settings.ts"
import { modelError } from "./errors/model-error.ts"

const words = ["auto", "none", "required"]

/** Throws `invalid_request` for what is no tool choice: what a provider does not know it may take as another, or refuse. */
export function checkChoice(choice: ToolChoice | undefined): void {
  const given: unknown = choice
  if (given === undefined) return
  if (typeof given === "string") {
    if (words.includes(given)) return
    const meant = /^(?:any|force|must|tool)$/i.test(given) ? ' Did you mean "required"?' : didYouMean(given, words)
    throw invalid(`toolChoice is ${JSON.stringify(given)}.${meant}`)
  }
  if (isObject(given)) {
    if (typeof given["name"] === "string") return
    // OpenAI's form
    const { function: named } = given
    const meant = isObject(named) && typeof named["name"] === "string" ? ` Write { name: "${named["name"]}" }.` : ""
    throw invalid(`toolChoice is ${shownValue(given)}, an object without the name of a tool.${meant}`)
  }
  throw invalid(`toolChoice is ${shownValue(given)}.`)
}

/** Throws `invalid_request` when a tool choice is none, or names a tool that the request does not have. */
export function checkToolChoice(choice: ToolChoice | undefined, tools: readonly Pick<ToolSchema, "name">[] = []): void {
  checkChoice(choice)
  if (typeof choice !== "object" || tools.some(({ name }) => name === choice.name)) return
  const names = tools.map(({ name }) => name)
  const known = names.length > 0 ? `the tools are ${names.toSorted().join(", ")}` : "the request has no tools"
  const message = `toolChoice names the tool "${choice.name}", but ${known}.${didYouMean(choice.name, names)}`
  throw modelError({ code: "invalid_request", message })
}

const invalid = (problem: string): Error =>
  modelError({
    code: "invalid_request",
    message: `${problem} It has to be ${words.map((word) => `"${word}"`).join(", ")} or { name: "…" }.`,
  })
