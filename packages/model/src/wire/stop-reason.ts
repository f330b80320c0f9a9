import type { StopReason } from "@agentscope-ts/message"

/** Why a model stopped, from the words that most providers have for it. A word nobody knows means that it came to its end. */
export function stopReasonOf(word: string): StopReason {
  switch (word.toLowerCase()) {
    case "tool_calls":
    case "tool_use":
    case "function_call":
      return "tool_use"
    case "length":
    case "max_tokens":
    case "model_length":
    case "model_context_window_exceeded":
      return "length"
    case "content_filter":
    case "data_inspection_failed":
    case "safety":
    case "sensitive":
      return "content_filter"
    case "refusal":
      return "refusal"
    default:
      return geminiReason(word)
  }
}

/**
 * Gemini's own words, behind whatever a gateway puts before them. OTHER is what it says of answers that it holds back for
 * reasons it does not tell, and so is NO_IMAGE of a picture: no answer that came to its end.
 */
function geminiReason(word: string): StopReason {
  if (/(?:malformed|unexpected|too_many|invalid)_(?:function|tool)_call/i.test(word)) return "malformed_tool_call"
  return /safety|recitation|^language$|blocklist|prohibited|spii|armor|jailbreak|^(?:no_)?image(?:_|$)|^other$/i.test(
    word,
  )
    ? "content_filter"
    : "stop"
}
