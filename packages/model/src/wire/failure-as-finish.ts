import type { ToldFailure } from "./http-error.ts"

/** The failure that some providers tell as the reason why the model stopped; undefined for all that is none. */
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
