import type { StopReason } from "@agentscope-ts/message"

/** Some of Vertex AI's answers have the numbers of its protocol for words. */
const numbered = ["", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"]

/** The word of a `finishReason`, empty where none was told. */
export function finishWord(value: unknown): string {
  if (typeof value === "number") return numbered[value] ?? (value === 9 ? "MALFORMED_FUNCTION_CALL" : "OTHER")
  return typeof value === "string" && !value.endsWith("UNSPECIFIED") ? value.toUpperCase() : ""
}

/** Why the model stopped; undefined for an end that is a failure, unless something was said before it. */
export function stopReasonOf(word: string): StopReason | undefined {
  if (word === "STOP") return "stop"
  if (word === "MAX_TOKENS") return "length"
  if (/FUNCTION_CALL|TOOL_CALL/.test(word)) return "malformed_tool_call"
  if (/SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED|SPII|ARMOR|JAILBREAK/.test(word)) return "content_filter"
  return undefined
}
