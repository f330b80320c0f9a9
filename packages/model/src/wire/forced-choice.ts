import type { ToolChoice } from "../chat-request.ts"

/** A choice that leaves a model nothing but to call a tool. */
export type ForcedChoice = "required" | { readonly name: string }

export const isForced = (choice: ToolChoice | undefined): choice is ForcedChoice =>
  choice === "required" || typeof choice === "object"

/** What a model is told that cannot be made to call a tool; `why` it cannot, the caller is warned of. */
export function forcedInWords(
  choice: ForcedChoice,
  why: string,
  warn: (code: string, message: string) => void,
): string {
  warn("forced_tool_choice", `${why}: it is only told to, so look at what it did.`)
  const called = typeof choice === "object" ? `the tool "${choice.name}"` : "one of the tools"
  return `Answer by calling ${called}, with nothing else before or after the call.`
}
