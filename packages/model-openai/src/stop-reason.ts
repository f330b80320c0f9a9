import type { StopReason } from "@agentscope-ts/message"
import type { ToldFailure } from "@agentscope-ts/model/wire"

/** Why the model stopped, from `finish_reason`. A word nobody knows means that it came to its end. */
export function stopReasonOf(word: string): StopReason {
  switch (word.toLowerCase()) {
    case "tool_calls":
    case "tool_use":
    case "function_call":
      return "tool_use"
    case "length":
    case "max_tokens":
    case "model_length":
      return "length"
    case "content_filter":
    case "safety":
    case "sensitive":
      return "content_filter"
    case "refusal":
      return "refusal"
    default:
      // Gemini's own word, behind whatever a gateway puts before it
      return /malformed_function_call/i.test(word) ? "malformed_tool_call" : "stop"
  }
}

/** The failure that some providers tell as a `finish_reason`; undefined for all that is none. */
export function failureAsFinish(word: string): ToldFailure | undefined {
  switch (word) {
    case "error":
      return { type: "server_error", message: "the provider ended the answer with an error" }
    case "insufficient_system_resource":
      return { type: "overloaded", message: "the provider was short of resources" }
    case "network_error":
    case "abort":
      return { type: "server_error", message: `the provider broke the answer off (${word})` }
    default:
      return undefined
  }
}
