import type { ToldFailure } from "@agentscope-ts/model/wire"

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
