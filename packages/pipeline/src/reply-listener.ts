import type { AgentBase } from "@agentscope-ts/agent"
import { type Msg, newId } from "@agentscope-ts/message"

/**
 * Hears each reply of an agent, in time: the reply is not told before the listener is done. Returns the function that takes
 * the listener away.
 */
export function onReply(agent: AgentBase, listener: (reply: Msg) => Promise<void>): () => void {
  const name = `MsgHub ${newId()}`
  // the last of the instance's hooks so far: it hears what those before it made of the reply
  agent.registerHook("postReply", name, ({ output }) => listener(output))
  return () => void agent.removeHook("postReply", name)
}
