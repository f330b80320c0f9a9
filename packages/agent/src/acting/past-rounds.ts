import { type Msg, type ToolResultBlock, type ToolUseBlock, toolResultsOf, toolUsesOf } from "@agentscope-ts/message"

/** Calls that were made together, each with its result. */
export interface PastRound {
  readonly calls: readonly ToolUseBlock[]
  readonly results: readonly ToolResultBlock[]
}

/** The rounds at the end of a history that the agent made since anybody else said something. */
export function pastRounds(history: readonly Msg[], agent: string): readonly PastRound[] {
  const own = ({ role, name }: Msg): boolean => role === "tool" || (role === "assistant" && name === agent)
  const since = history.slice(history.findLastIndex((msg) => !own(msg)) + 1)
  const results = new Map(since.flatMap((msg) => toolResultsOf(msg)).map((result) => [result.id, result]))
  const rounds: PastRound[] = []
  for (const msg of since) {
    const calls = toolUsesOf(msg)
    const found = calls.flatMap(({ id }) => results.get(id) ?? [])
    if (calls.length > 0 && found.length === calls.length) rounds.push({ calls, results: found })
  }
  return rounds
}
