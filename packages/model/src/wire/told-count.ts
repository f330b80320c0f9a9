import { AgentScopeError } from "@agentscope-ts/message"
import { figureIn, objectIn } from "./read-value.ts"

/** A count of tokens that the provider is asked for and tells in the field `key`; the estimate where it does not say it. */
export async function toldCount(
  ask: () => Promise<unknown>,
  key: string,
  estimate: () => Promise<number>,
): Promise<number> {
  try {
    const count = figureIn(objectIn<Record<string, unknown>>(await ask())?.[key])
    if (count !== undefined) return count
  } catch (error) {
    if (AgentScopeError.is(error, "aborted")) throw error
  }
  return estimate()
}
