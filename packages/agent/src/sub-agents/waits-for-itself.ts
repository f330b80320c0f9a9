import { type AgentBase, currentRun } from "../base/agent-base.ts"
import type { Run } from "../base/agent-run.ts"

/** Whether a run is this one or below it. */
function isWithin(run: Run, above: Run): boolean {
  for (let at: Run | undefined = run; at; at = at.parent) if (at === above) return true
  return false
}

/** The run that nobody's tool asked for. */
export function topOf(run: Run): Run {
  let top = run
  while (top.parent) top = top.parent
  return top
}

/**
 * Whether a run that waits until an agent is free would wait for itself: the agent is busy with that very run, or with one
 * that waits, over whatever other agents, for one that is.
 */
export function waitsForItself(asker: Run, agent: AgentBase): boolean {
  const seen = new Set<Run>()
  const leadsBack = (to: AgentBase): boolean => {
    const busy = currentRun(to)
    if (busy === undefined || seen.has(busy)) return false
    seen.add(busy)
    if (isWithin(asker, busy)) return true
    const waits = [...(topOf(busy).waits ?? [])]
    return waits.some((wait) => isWithin(wait.asker, busy) && leadsBack(wait.agent as AgentBase))
  }
  return leadsBack(agent)
}
