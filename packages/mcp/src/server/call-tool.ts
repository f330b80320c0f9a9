import type { JsonObject, JsonValue, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { newId, textOf } from "@agentscope-ts/message"
import { type ApprovalPolicy, type ContextValues, pendingOf, type Toolkit, type ToolState } from "@agentscope-ts/tool"
import { mcpError } from "../error.ts"
import { askApproval } from "./approval.ts"
import type { CallSession } from "./call-session.ts"
import { contentOf } from "./content.ts"
import { announcedOutput, isServed } from "./listing.ts"

/** What a call of a tool runs with. */
export interface ToolCall {
  readonly toolkit: Toolkit
  readonly state: ToolState
  readonly session: CallSession
  readonly signal: AbortSignal
  readonly context: ContextValues
  readonly approval: ApprovalPolicy | undefined
  readonly hasSessions: boolean
}

/**
 * Runs a tool and answers with its result. A tool that the client does not see is the protocol's error (`unknown_tool`);
 * everything else that goes wrong, arguments that do not fit included, is a result with `isError`, for a model to read.
 */
export async function callTool(params: JsonObject, call: ToolCall): Promise<JsonObject> {
  const { toolkit, hasSessions } = call
  const toolUse = {
    type: "tool_use",
    id: newId(),
    name: params["name"] as string,
    input: (params["arguments"] ?? {}) as JsonObject,
  } as const
  if (!isServed(toolkit, toolUse.name, hasSessions)) {
    throw mcpError("unknown_tool", `The tool "${toolUse.name}" cannot be called here.`)
  }
  const result = await settled(toolUse, call)
  const { code } = (result.metadata?.["error"] ?? {}) as { code?: JsonValue }
  if (code === "unknown_tool" || code === "tool_inactive") throw mcpError("unknown_tool", textOf(result))
  return answerOf(result, announcedOutput(toolkit, toolUse.name) !== undefined)
}

/** The result of a call, after the person at the client was asked where that has to be. */
async function settled(toolUse: ToolUseBlock, call: ToolCall): Promise<ToolResultBlock> {
  const result = await run(toolUse, call)
  const pending = pendingOf(result)
  if (pending?.kind !== "approval") return result
  let approved: Awaited<ReturnType<typeof askApproval>>
  try {
    approved = await askApproval(pending, call.session)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(result, `The tool "${toolUse.name}" needs a person's approval, and asking failed: ${why}`)
  }
  if (approved) return run(toolUse, call, approved)
  const message = `The tool "${toolUse.name}" needs a person's approval, and this client cannot ask for it (elicitation).`
  return failed(result, `${message} It did not run.`)
}

function run(
  toolUse: ToolUseBlock,
  { toolkit, state, session, signal, context, approval }: ToolCall,
  approved?: Awaited<ReturnType<typeof askApproval>>,
): Promise<ToolResultBlock> {
  const execution = toolkit.execute(toolUse, { state, signal, context: [session, ...context], approval, approved })
  execution.listen((chunk) => {
    if (chunk.type === "progress") session.reporter.emit(chunk.data)
  })
  return execution.result
}

function failed(result: ToolResultBlock, text: string): ToolResultBlock {
  return { ...result, state: "error", output: [{ type: "text", text }] }
}

function answerOf(result: ToolResultBlock, announced: boolean): JsonObject {
  if (result.state === "suspended") {
    const reason = textOf(result)
    const message = `The tool "${result.name}" waits for a result from outside, which a call over MCP cannot: ${reason}`
    return { content: [{ type: "text", text: message }], isError: true }
  }
  const content = result.output.map(contentOf)
  if (result.state !== "success") return { content, isError: true }
  const { structured } = result
  const isObject = typeof structured === "object" && structured !== null && !Array.isArray(structured)
  if (isObject) return { content, structuredContent: structured as JsonObject }
  if (!announced) return { content }
  // a client refuses a result without the value that was announced
  const text = `The tool "${result.name}" promises a structured value, and this result has none${result.metadata?.["structuredOmitted"] ? ": it was too long" : ""}.`
  return { content: [...content, { type: "text", text }], isError: true }
}
