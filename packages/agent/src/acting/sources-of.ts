import { AgentScopeError } from "@agentscope-ts/message"
import { type Run, Stopped } from "../base/agent-run.ts"

/**
 * Waits until the sources of tools are listed. One that fails is told of, and left out: the agent goes on with the tools that
 * it has. A run that is stopped waits no longer: whoever asks sees that it is. Anything else that is wrong with the tools is
 * the program's fault, and is thrown.
 */
export async function sourcesOf(run: Run, listing: Promise<void>): Promise<void> {
  try {
    await run.whileRunning(listing)
  } catch (error) {
    if (error instanceof Stopped) return
    if (!AgentScopeError.is(error, "source_failed")) throw error
    run.warn(error.code, error.message)
  }
}
