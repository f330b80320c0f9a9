import { expect, it } from "vitest"
import { stopReasonOf } from "./stop-reason.ts"

it.each([
  ["tool_use", "tool_calls", "TOOL_USE", "function_call"],
  ["length", "max_tokens", "MAX_TOKENS", "length", "model_length", "model_context_window_exceeded"],
  [
    "content_filter",
    "content_filter",
    "SAFETY",
    "sensitive",
    "RECITATION",
    "LANGUAGE",
    "PROHIBITED_CONTENT",
    "MODEL_ARMOR",
  ],
  [
    "content_filter",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "OTHER",
  ],
  ["malformed_tool_call", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"],
  ["refusal", "refusal"],
  // what nobody knows is an end, and what only looks like a known word is unknown
  ["stop", "stop", "STOP", "end_turn", "eos", "completed", "another", "other_end", "images", ""],
] as const)("the end is %s for the words of all providers for it", (reason, ...words) => {
  for (const word of words) expect(stopReasonOf(word), word).toBe(reason)
})
