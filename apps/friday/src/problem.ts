import { errorJson } from "@agentscope-ts/message"
import { cleanText } from "./terminal/clean-text.ts"

const advice: Readonly<Record<string, string>> = {
  authentication:
    "Check the key in OPENAI_API_KEY or DEEPSEEK_API_KEY: it may be mistyped, revoked, or for another endpoint.",
  permission_denied: "The key may not use this model: try another with --model NAME.",
  not_found: "The endpoint may not know this model: try another with --model NAME, and check the base URL.",
  missing_api_key: "Set the key, or start with --model offline.",
  network: "Check the connection and, if one is set, the base URL. --model offline works without a network.",
  timeout: "The endpoint did not answer in time: try again.",
  rate_limited: "Wait a little and ask again.",
  quota_exceeded: "The account has nothing left: look at its billing page.",
  overloaded: "The provider is overloaded: ask again in a while.",
  server_error: "The provider failed: ask again in a while.",
  context_overflow: "The conversation is too long for this model: /clear begins a new one.",
}

/** An error for a person: what happened, and what to do. */
export function problemText(error: unknown): string {
  const { code, message } = errorJson(error)
  // the model's own advice is for whoever writes a program: its options are none of Friday's
  const said = message.replace(/ \(check the (?:API key: the apiKey|name of the model and the path) [^()]*\)/u, "")
  return [cleanText(said), advice[code]].filter(Boolean).join("\n")
}
