import {
  AgentScopeError,
  cutText,
  type JsonObject,
  type MediaBlock,
  type PendingCall,
  type TextBlock,
  type ToolResultBlock,
  type ToolResultState,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { digestOf } from "../approval/digest.ts"
import { fingerprintOf } from "../approval/fingerprint.ts"
import type { AnyTool } from "../define/definition.ts"
import type { Effects } from "../define/definition.ts"
import type { ToolErrorCode } from "../error.ts"
import { failureText } from "./json-text.ts"
import { bounded, type Cut } from "./cut-output.ts"

/** How a call ended. */
export interface Ending {
  readonly state: ToolResultState
  readonly output: readonly (TextBlock | MediaBlock)[]
  readonly structured?: unknown
  readonly metadata?: JsonObject
  /** The last blocks of the output, when what stands before them was streamed. */
  readonly tail?: readonly (TextBlock | MediaBlock)[]
  /** There when the output was cut. */
  readonly cut?: Cut
  /** What went wrong, for the trace and for whoever waits on the tool's signal. */
  readonly cause?: unknown
}

/** The result block of a call that ended so. `notes` is metadata of the call itself. */
export function resultOf(toolUse: ToolUseBlock, ending: Ending, notes: JsonObject | undefined): ToolResultBlock {
  const { state, output, structured, metadata } = ending
  const result = { type: "tool_result", id: toolUse.id, name: toolUse.name, output, state } as const
  if (structured === undefined && metadata === undefined && notes === undefined) return result
  return {
    ...result,
    ...(structured !== undefined && { structured }),
    ...((metadata ?? notes) && { metadata: { ...notes, ...metadata } }),
  }
}

type Partial = Pick<Ending, "output" | "metadata" | "cut"> | undefined

/** What was yielded so far, with a last word about the end. */
function withTail(partial: Partial, last: string, limit: number): Pick<Ending, "output" | "tail" | "metadata" | "cut"> {
  const shown = bounded([{ type: "text", text: last }], limit)
  const tail = shown.output
  const cut = partial?.cut
    ? { text: partial.cut.text, output: (where?: string) => [...(partial.cut?.output(where) ?? []), ...tail] }
    : shown.cut && {
        ...shown.cut,
        output: (where?: string) => [...(partial?.output ?? []), ...(shown.cut?.output(where) ?? [])],
      }
  return {
    output: [...(partial?.output ?? []), ...tail],
    tail,
    metadata: { ...partial?.metadata, ...shown.metadata },
    ...(cut && { cut }),
  }
}

const errorMetadata = (code: string, message: string, retryable: boolean): JsonObject => ({
  error: { code, message: cutText(message, 2000), retryable },
})

/** A call that the toolkit refuses or that cannot run; `message` speaks to the model. */
export function refused(code: ToolErrorCode, message: string): Ending {
  const cause = new AgentScopeError({ code, message })
  return {
    state: "error",
    output: [{ type: "text", text: message }],
    metadata: errorMetadata(code, message, false),
    cause,
  }
}

/** A tool that threw. */
export function failed(tool: string, cause: unknown, partial: Partial, limit: number): Ending {
  const message = failureText(cause)
  const shown = withTail(partial, `Error in the tool "${tool}": ${message}`, limit)
  const { code, retryable } = AgentScopeError.is(cause) ? cause : { code: "unexpected", retryable: false }
  return {
    state: "error",
    ...shown,
    metadata: { ...shown.metadata, ...errorMetadata(code, message, retryable) },
    cause,
  }
}

/** What a model is told of a call that was not waited for: whether to call again depends on what the tool may change. */
const unknownEffect: Readonly<Record<Effects, string>> = {
  none: "",
  idempotent: " Whether it had an effect is not known; to call it again does no harm.",
  once: " Whether it had an effect is not known: find out before you call it again.",
}

/** A tool that took too long: what it was about to change may be changed or not. */
export function timedOut(tool: string, ms: number, partial: Partial, effects: Effects): Ending {
  const message = `The tool "${tool}" did not finish within ${ms} ms and was told to stop.`
  const shown = withTail(partial, message + unknownEffect[effects], Number.POSITIVE_INFINITY)
  const cause = new AgentScopeError({ code: "timeout", message, retryable: true })
  const metadata = {
    ...shown.metadata,
    ...errorMetadata("timeout", message, true),
    ...(effects !== "none" && { indeterminate: true }),
  }
  return { state: "error", ...shown, metadata, cause }
}

/** A call that was given up from outside. */
export function interrupted(partial: Partial, started: boolean, effects: Effects, cause: unknown): Ending {
  const what = started ? "was interrupted before it finished" : "was interrupted before it began"
  const effect = unknownEffect[effects]
  const shown = withTail(
    partial,
    `<system-info>The tool call ${what}.${effect}</system-info>`,
    Number.POSITIVE_INFINITY,
  )
  return {
    state: "interrupted",
    ...shown,
    metadata: { ...shown.metadata, ...(effects !== "none" && { indeterminate: true }) },
    cause,
  }
}

/** A call that waits for a result from outside. */
export function suspended(toolUse: ToolUseBlock, reason: string | undefined, metadata?: JsonObject): Ending {
  const pending = { toolUse, kind: "external", digest: digestOf(toolUse), ...(reason !== undefined && { reason }) }
  return waiting(pending as PendingCall, reason ?? "[Awaiting external execution]", metadata)
}

/** A call that waits for a person's word. `tool` is what it would run. */
export function unapproved(
  toolUse: ToolUseBlock,
  tool: AnyTool,
  reason: string | undefined,
  suggestedRules: readonly string[] = [],
): Ending {
  const pending = {
    toolUse,
    kind: "approval",
    digest: digestOf(toolUse, fingerprintOf(tool)),
    ...(reason !== undefined && { reason }),
    ...(suggestedRules.length > 0 && { suggestedRules }),
  }
  return waiting(pending as PendingCall, reason ?? "[Awaiting approval]")
}

function waiting(pending: PendingCall, text: string, metadata?: JsonObject): Ending {
  return {
    state: "suspended",
    output: [{ type: "text", text }],
    metadata: { ...metadata, pending: pending as unknown as JsonObject },
  }
}

/** A call that the policy or a person refused. */
export function denied(tool: string, why: string): Ending {
  const text = `The call of "${tool}" was not allowed: ${why}. Do not repeat it as it is.`
  return { state: "denied", output: [{ type: "text", text }] }
}
