import type { AgentBase } from "@agentscope-ts/agent"
import { copyOf, type Msg } from "@agentscope-ts/message"
import { isWaiting } from "./flow.ts"
import { toldOf } from "./told.ts"

/** Who hears an agent: one hub, as far as an agent's reply is concerned. */
export interface Circle {
  /** Those who hear what a member says; nobody while it is not passed on. */
  readonly audience: Iterable<AgentBase>
  /** Knows of what is being delivered. */
  delivering(work: Promise<void>): void
}

interface Ear {
  readonly circles: Set<Circle>
  readonly off: () => void
}

// one listener on each agent for all its hubs: who is in two of them with the same agent hears it once
const ears = new WeakMap<AgentBase, Ear>()

/** From now on what the agent replies is heard in this circle. */
export function join(agent: AgentBase, circle: Circle): void {
  const ear = ears.get(agent)
  if (ear) {
    ear.circles.add(circle)
    return
  }
  const circles = new Set([circle])
  ears.set(agent, { circles, off: agent.onReply((reply) => spread(agent, circles, reply)) })
}

/** From now on it is not. */
export function leave(agent: AgentBase, circle: Circle): void {
  const ear = ears.get(agent)
  if (!ear?.circles.delete(circle) || ear.circles.size > 0) return
  ear.off()
  ears.delete(agent)
}

async function spread(speaker: AgentBase, circles: ReadonlySet<Circle>, reply: Msg): Promise<void> {
  // it is not finished: what comes of it is told when its calls were answered
  if (isWaiting(reply)) return
  const told = toldOf(reply)
  // nothing was said: an empty line of a person, say
  if (told === undefined || told.content.every((block) => block.type === "text" && block.text.trim() === "")) return
  const audience = new Set([...circles].flatMap((circle) => [...circle.audience]))
  audience.delete(speaker)
  const work = tellAll(audience, [told])
  for (const circle of circles) circle.delivering(work)
  await work
}

/** Tells everybody, each by copies of its own; what fails for one is thrown when all have been told. */
export async function tellAll(audience: Iterable<AgentBase>, messages: readonly Msg[]): Promise<void> {
  const told = await Promise.allSettled([...audience].map(async (agent) => agent.observe(copyOf(messages))))
  const failed = told.find((result) => result.status === "rejected")
  if (failed) throw failed.reason
}
