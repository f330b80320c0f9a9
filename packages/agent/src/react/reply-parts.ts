import { CompactionPart } from "../memory/compaction-part.ts"
import { longTermPart } from "../memory/long-term-part.ts"
import { OwnTools } from "../acting/own-tools.ts"
import type { ReActOptions } from "./react-agent.ts"
import type { ReActSettings } from "./react-settings.ts"
import type { ReplyPart } from "./reply-part.ts"
import { AgentSession } from "../session/session.ts"

/** What takes part in every reply of an agent with these options, and the tools that come with it. */
export function replyParts(options: ReActOptions): Pick<ReActSettings, "parts" | "own" | "session"> {
  const parts: ReplyPart[] = []
  const { plan, compaction, longTermMemory } = options
  if (compaction) parts.push(new CompactionPart(`ReActAgent "${options.name}"`, compaction, options.model))
  if (plan) parts.push({ tools: plan.tools(), hint: () => plan.hint() })
  if (longTermMemory) parts.push(longTermPart(longTermMemory, options.longTermMemoryMode ?? "both"))
  const session = options.session && new AgentSession(options.session)
  // the last: it saves what the others have done
  if (session) parts.push(session)
  const tools = parts.flatMap((part) => part.tools ?? [])
  return {
    parts: parts.length > 0 ? parts : undefined,
    session,
    own: tools.length > 0 ? new OwnTools(tools) : undefined,
  }
}
