import type { StopReason } from "@agentscope-ts/message"
import type { Expectation } from "./expectation.ts"

const words: Readonly<Record<Exclude<StopReason, "stop" | "error" | "interrupted">, RegExp>> = {
  tool_use: /^(tool_use|tool_calls|function_call)$/,
  length: /^(length|max_tokens|model_length|model_context_window_exceeded|2)$|^incomplete:(?!content_filter)/,
  content_filter:
    /^(content_filter|incomplete:content_filter|safety|recitation|language|blocklist|prohibited_content|spii|image_\w+|no_image|other|jailbreak|sensitive|[3-8]|model_armor)$/,
  refusal: /^refusal$/,
  malformed_tool_call: /^(malformed_function_call|unexpected_tool_call|too_many_tool_calls|9)$/,
}

/** Our word for the provider's; undefined where the cassette says nothing of the end. */
export function expectedStop({ stopReason, refusal, blockReason, toolCalls }: Expectation): StopReason | undefined {
  if (refusal !== undefined) return "refusal"
  if (blockReason !== undefined) return "content_filter"
  if (stopReason === null) return undefined
  // some gateways give the number of the word
  const word = String(stopReason).toLowerCase()
  const known = (Object.keys(words) as (keyof typeof words)[]).find((reason) => words[reason].test(word))
  return known ?? (toolCalls.length > 0 ? "tool_use" : "stop")
}

/** Whether the provider says that what the model made could not be read: without a word of it, that is an error. */
export const isGarbled = ({ stopReason, text, toolCalls }: Expectation): boolean =>
  /^(malformed_response|missing_thought_signature)$/i.test(String(stopReason)) && text === "" && toolCalls.length === 0
