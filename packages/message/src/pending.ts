import type { MediaBlock, TextBlock, ToolResultBlock, ToolResultState, ToolUseBlock } from "./blocks.ts"
import { AgentScopeError, type MessageErrorCode } from "./error.ts"
import type { JsonObject, JsonValue } from "./json.ts"

/**
 * A tool call that waits: for a person's approval, or for a result from outside. `digest` binds an answer to exactly this
 * call and input; `suggestedRules` are what "always" could remember. `path` is there when a sub-agent waits: the agents from
 * the one that lists the call to the one whose call it is. The id is then one of the lister's: answer there, with this very
 * `toolUse`.
 */
export interface PendingCall {
  readonly toolUse: ToolUseBlock
  readonly kind: "approval" | "external"
  readonly reason?: string
  readonly digest: string
  readonly suggestedRules?: readonly string[]
  readonly path?: readonly string[]
}

/** A decision about one pending call, as plain data. `input` replaces the call's; `remember` are rules to allow from now on. */
export interface Approval {
  readonly toolUseId: string
  readonly digest: string
  readonly decision: "approve" | "deny"
  readonly input?: JsonObject
  readonly reason?: string
  readonly remember?: readonly string[]
}

/** Answers to pending calls, as plain data: give them to `agent.resume`. */
export interface Resume {
  readonly results?: readonly ToolResultBlock[]
  readonly approvals?: readonly Approval[]
}

/**
 * Lets a pending call run, with another input if given; `remember` adds rules that allow calls like it from now on.
 * @throws AgentScopeError `invalid_argument` when it is given no pending call.
 */
export function approve(
  pending: PendingCall,
  options: { input?: JsonObject | undefined; remember?: readonly string[] | undefined } = {},
): Approval {
  checkPending("approve", pending)
  return {
    toolUseId: pending.toolUse.id,
    digest: pending.digest,
    decision: "approve",
    ...(options.input && { input: options.input }),
    ...(options.remember && { remember: options.remember }),
  }
}

/**
 * Refuses a pending call; the reason is told to the model.
 * @throws AgentScopeError `invalid_argument` when it is given no pending call.
 */
export function deny(pending: PendingCall, reason?: string): Approval {
  checkPending("deny", pending)
  const { toolUse, digest } = pending
  return { toolUseId: toolUse.id, digest, decision: "deny", ...(reason !== undefined && { reason }) }
}

const invalid = (message: string) => new AgentScopeError<MessageErrorCode>({ code: "invalid_argument", message })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

function isToolUse(value: unknown): value is ToolUseBlock {
  const { id, name } = (isObject(value) ? value : {}) as Partial<Record<string, unknown>>
  return typeof id === "string" && typeof name === "string"
}

function checkPending(factory: string, pending: unknown): void {
  const { toolUse, digest } = (isObject(pending) ? pending : {}) as Partial<Record<string, unknown>>
  if (isToolUse(toolUse) && typeof digest === "string") return
  const what = pending === undefined ? "undefined" : "something else"
  throw invalid(
    `${factory} takes one of the pending calls of a reply or an agent, and was given ${what}: ${factory}(reply.pending[0]). Look at reply.pending.length first: it may be empty.`,
  )
}

const isBlock = (value: unknown): value is TextBlock | MediaBlock =>
  isObject(value) &&
  "type" in value &&
  ((value.type === "text" && "text" in value && typeof value.text === "string") ||
    (["image", "audio", "video", "file"].includes(value.type as string) && "source" in value))

/**
 * Answers a call from outside. A string or blocks are shown to the model as they are; any other JSON value is shown as
 * JSON and kept as `structured`. The state is `success` unless given.
 * @throws AgentScopeError `invalid_argument` when the value is no JSON, or the call is none.
 */
export function toolResult(
  toolUse: ToolUseBlock,
  output: string | readonly (TextBlock | MediaBlock)[] | JsonValue,
  options: { state?: ToolResultState | undefined } = {},
): ToolResultBlock {
  if (!isToolUse(toolUse)) {
    throw invalid(
      "toolResult takes the whole call that it answers, not its id or name alone: toolResult(pending.toolUse, output).",
    )
  }
  const head = { type: "tool_result", id: toolUse.id, name: toolUse.name, state: options.state ?? "success" } as const
  if (typeof output === "string") return { ...head, output: [{ type: "text", text: output }] }
  if (Array.isArray(output) && output.length > 0 && output.every(isBlock)) return { ...head, output }
  const text = jsonText(output)
  if (text === undefined) {
    throw invalid(
      `toolResult for "${toolUse.name}" (${toolUse.id}): the output is no JSON value. Give text, blocks or JSON; null for "nothing".`,
    )
  }
  return { ...head, output: [{ type: "text", text }], structured: output }
}

/** `undefined` for what has no JSON: functions, big integers, circles. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
