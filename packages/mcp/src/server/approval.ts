import { type Approval, approve, cutText, deny, type PendingCall } from "@agentscope-ts/message"
import type { McpSession } from "./mcp-session.ts"

const mostInput = 2000

/**
 * Asks the person at the client whether a call may run; `undefined` when the client cannot ask. Only a ticked box lets it
 * run: an accepted form with the box empty is a no.
 */
export async function askApproval(pending: PendingCall, session: McpSession): Promise<Approval | undefined> {
  const { toolUse, reason } = pending
  const input = JSON.stringify(toolUse.input, null, 2)
  const shown = input.length > mostInput ? `${cutText(input, mostInput)}…` : input
  const message = `The tool "${toolUse.name}" asks to run${reason ? ` (${reason})` : ""} with:\n${shown}`
  const form = {
    type: "object",
    properties: {
      approve: { type: "boolean", title: "Let it run", description: "Whether this one call may run." },
      reason: { type: "string", title: "Why not", description: "Told to the caller when it may not run." },
    },
    required: ["approve"],
  } as const
  const able = session.capabilities["elicitation"]
  if (able === undefined) return undefined
  const answer = await session.elicit(message, form)
  if (answer.action !== "accept") return deny(pending, `the person asked chose "${answer.action}"`)
  const { approve: yes, reason: why } = answer.content
  return yes ? approve(pending) : deny(pending, why || "the person asked said no")
}
