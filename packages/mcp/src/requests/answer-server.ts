import type { JsonObject } from "@agentscope-ts/message"
import type { McpOptions } from "../mcp-options.ts"
import { answerElicitation } from "./elicitation.ts"
import { rootOf } from "./roots.ts"
import { answerSampling } from "./sampling.ts"

/** What the client says it can do: just what its options make possible. */
export function clientCapabilities(options: McpOptions): JsonObject {
  const { roots, onElicitation, onUrlElicitation, sampling } = options
  const elicitation = { ...(onElicitation && { form: {} }), ...(onUrlElicitation && { url: {} }) }
  return {
    ...(roots && { roots: { listChanged: true } }),
    ...(sampling && { sampling: { tools: {} } }),
    ...((onElicitation ?? onUrlElicitation) && { elicitation }),
  }
}

/** Answers a request of the server; undefined for what the client does not offer. */
export function answerServer(
  method: string,
  params: JsonObject,
  options: McpOptions,
  signal: AbortSignal,
): Promise<JsonObject> | undefined {
  switch (method) {
    case "roots/list":
      return options.roots && Promise.resolve({ roots: options.roots.map(rootOf) })
    case "elicitation/create":
      return answerElicitation(params, options, signal)
    case "sampling/createMessage":
      return options.sampling && answerSampling(params, options.sampling, signal)
    default:
      return undefined
  }
}
