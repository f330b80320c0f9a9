import { AgentScopeError, blocksOf, type Reply, textOf } from "@agentscope-ts/message"
import { type ToolResponse, toolResponse } from "@agentscope-ts/tool"
import type { AgentBase } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import type { Run } from "../base/agent-run.ts"
import { type WaitingAgent, waitingAgentKey } from "./waiting-child.ts"

/** A failure of the agent, with its name and code. */
export function failure(error: unknown, agent: AgentBase, parent: Run | undefined): unknown {
  if (AgentScopeError.is(error, "too_deep")) {
    // each of the agents that led there would try again
    if (parent?.parent) parent.stop({ kind: "failure", reason: error })
    return error
  }
  const known = AgentScopeError.is(error) && error.code !== "tool_suspended"
  const { code, retryable } = known ? error : { code: "unexpected", retryable: false }
  const why = error instanceof Error ? error.message : String(error)
  const message = `The agent "${agent.name}" failed (${code}): ${why}`
  return new AgentScopeError({ code, message, retryable, cause: error })
}

/** What lets the call wait, with all that it takes to go on. */
export function suspension(tool: string, waiting: WaitingAgent | undefined): Error {
  if (waiting === undefined) return agentError("aborted", `The call of "${tool}" was given up.`)
  const names = waiting.pending.map(({ toolUse }) => toolUse.name).join(", ")
  const reason = `The agent "${waiting.agent}" waits for ${names}.`
  const details = { reason, metadata: { [waitingAgentKey]: waiting } } as never
  const message = `The tool "${tool}" cannot answer yet: ${reason}`
  return new AgentScopeError({ code: "tool_suspended", message, details })
}

/** What the model is told of a reply that is not a whole answer. */
const endings: Readonly<Partial<Record<Reply<unknown>["finishReason"], string>>> = {
  max_iterations: "stopped at its limit of iterations: this is what it has.",
  repetition: "stopped because it repeated itself.",
  budget_exceeded: "stopped because its budget is used up.",
  interrupted: "was interrupted.",
}

/** A reply as the result of the call that asked for it. */
export function responseOf(name: string, reply: Reply<unknown>): ToolResponse<string> | string {
  const structured = textOf(reply)
  const { finishReason, pending } = reply
  const media = reply.content.filter(({ type }) => ["image", "audio", "video", "file"].includes(type))
  if (finishReason === "completed" && media.length === 0) return structured
  const metadata = { finishReason }
  if (pending.length > 0) {
    const calls = pending.map(({ toolUse }) => toolUse.name).join(", ")
    const why = `The agent "${name}" cannot go on: it waits for ${calls}, and nobody can answer it here.`
    return toolResponse(structured === "" ? why : `${structured}\n${why}`, { structured, state: "error", metadata })
  }
  const ending = endings[finishReason]
  const note =
    ending === undefined
      ? []
      : [{ type: "text", text: `<system-info>The agent "${name}" ${ending}</system-info>` } as const]
  const content = [...blocksOf(reply, "text"), ...(media as ReturnType<typeof blocksOf<"image">>), ...note]
  const state = finishReason === "budget_exceeded" ? "error" : finishReason === "interrupted" ? finishReason : "success"
  return toolResponse(content, { structured, state, metadata })
}
