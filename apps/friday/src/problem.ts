import { AgentScopeError, errorJson } from "@agentscope-ts/message"
import { keysIn, providers } from "./providers.ts"
import { cleanText } from "./terminal/clean-text.ts"

const advice: Readonly<Record<string, string>> = {
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

function adviceOn(code: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (code !== "authentication") return advice[code]
  const found = keysIn(env)
  const keys = found.length > 0 ? found : providers.map(({ keys: [key] }) => key)
  return `Check the key in ${keys.join(" or ")}: it may be mistyped, revoked, or for another endpoint.`
}

/** An error for a person: what happened, and what to do. */
export function problemText(error: unknown, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const { code, message } = errorJson(error)
  // the model's own advice is for whoever writes a program: its options are none of Friday's
  const aside = AgentScopeError.is(error) ? error.details["advice"] : undefined
  const said = typeof aside === "string" ? message.replace(` (${aside})`, "") : message
  return [cleanText(said), adviceOn(code, env)].filter(Boolean).join("\n")
}
