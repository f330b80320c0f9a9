import { ambient, isThenable, type Approval, cutText, type JsonObject, type ToolUseBlock } from "@agentscope-ts/message"
import { type Span, startSpan, tracingReady } from "@agentscope-ts/tracing"
import { digestOf } from "../approval/digest.ts"
import { fingerprintOf } from "../approval/fingerprint.ts"
import { judge, needsJudging, type Verdict } from "../approval/judge.ts"
import type { ApprovalPolicy } from "../approval/policy.ts"
import { type JudgedCall, suggestRules } from "../approval/rule.ts"
import type { ContextValues } from "../context.ts"
import type { Effects } from "../define/definition.ts"
import { CallContext, type CallingAgent } from "../execution/call-context.ts"
import { denied, type Ending, failed, refused, suspended, unapproved } from "../execution/ending.ts"
import { Execution } from "../execution/execution.ts"
import { repairedCall } from "../execution/repair-arguments.ts"
import { invalidInput } from "../execution/invalid-input.ts"
import { failureText } from "../execution/json-text.ts"
import type { Spill } from "../execution/spill.ts"
import type { ToolRun } from "../execution/tool-run.ts"
import { prepareInput, sentArguments, type ToolEntry } from "./tool-entry.ts"

/** A call whose tool is about to run: as the model sent it, or with the input of whoever approved it, before presets. */
export interface StartingCall {
  readonly toolUse: ToolUseBlock
  readonly effects: Effects
}

/** The terms of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Values for `ctx.get`: those of the call, then those of the agent. */
  readonly context?: ContextValues | undefined
  readonly approval?: ApprovalPolicy | undefined
  /** A person's answer to a call that waited for approval. */
  readonly approved?: Approval | undefined
  /** Told when the tool begins to run: the input is valid, and what had to be approved is. */
  readonly onStart?: (() => void) | undefined
  /**
   * Told when the tool of a call that was given up (it took too long, or was interrupted) ends after all: what it answers is
   * dropped, but what it did is done.
   */
  readonly onLate?: ((outcome: "returned" | "threw") => void) | undefined
  /**
   * Asked once the input is valid and nothing keeps the tool from running any more: it runs when this has resolved, and where it
   * rejects it does not, and the call ends with an error. `undefined` keeps nothing waiting.
   */
  readonly beforeStart?: ((call: StartingCall) => Promise<void> | undefined) | undefined
  /** Whose call it is. */
  readonly agent?: CallingAgent | undefined
  /** Names the conversation for {@link ToolContext.idempotencyKey}; the agent's id unless given. */
  readonly conversation?: string | undefined
  /** The span above the call's own; the active one unless given. */
  readonly parent?: Span | undefined
}

/** What the toolkit says of every call. */
export interface CallDefaults {
  readonly timeoutMs: number
  readonly limit: number
  readonly spill: Spill | undefined
  readonly maxRetries: number
  /** Whether a tape may answer calls in the place of the tools. */
  readonly taped: boolean
}

/** Executes a call of a tool, or ends it with why that cannot be; never throws. */
export function executeCall(
  asked: ToolUseBlock,
  found: ToolEntry | Ending,
  options: CallOptions,
  defaults: CallDefaults,
): ToolRun {
  const toolUse = asked.rawInput === undefined ? asked : repairedCall(asked)
  const span = tracingReady() ? startSpan("execute_tool", toolUse.name, options.parent) : undefined
  const { signal, agent, onLate } = options
  const { limit, spill } = defaults
  const isCall = !("state" in found)
  const timeoutMs = (isCall ? found.tool.timeoutMs : undefined) ?? defaults.timeoutMs
  const execution = new Execution(toolUse, { signal, timeoutMs, limit, spill, agent, onLate, span })
  if (isCall) new Call(execution, found, options, defaults).begin()
  else execution.close(found)
  return execution
}

/** The way of a call from the model's arguments to the running tool: parse, validate, approve, run. */
class Call {
  readonly #execution: Execution
  readonly #entry: ToolEntry
  readonly #options: CallOptions
  readonly #defaults: CallDefaults

  constructor(execution: Execution, entry: ToolEntry, options: CallOptions, defaults: CallDefaults) {
    this.#execution = execution
    this.#entry = entry
    this.#options = options
    this.#defaults = defaults
  }

  begin(): void {
    const { toolUse } = this.#execution
    try {
      if (toolUse.rawInput === undefined) this.#answer(toolUse)
      else this.#execution.close(refused("invalid_input", unparsable(toolUse.name, toolUse.rawInput)))
    } catch (error) {
      this.#execution.close(failed(toolUse.name, error, undefined, this.#defaults.limit))
    }
  }

  /** Goes by a person's answer, if there is one. */
  #answer(toolUse: ToolUseBlock): void {
    const { approved } = this.#options
    if (approved === undefined) return this.#validate(toolUse, toolUse, undefined)
    const { tool } = this.#entry
    const isMeant = approved.toolUseId === toolUse.id
    // a no needs no proof: what it was said of may have changed since
    if (isMeant && approved.decision !== "approve") {
      return this.#execution.close(denied(toolUse.name, approved.reason ?? "the person asked said no"))
    }
    if (!isMeant || approved.digest !== digestOf(toolUse, fingerprintOf(tool))) {
      const reason =
        "The answer given is for another call or another input, or the tool has changed since; it does not count."
      return this.#execution.close(unapproved(toolUse, tool, reason))
    }
    const { input } = approved
    this.#validate(toolUse, input ? { ...toolUse, input } : toolUse, approved)
  }

  /** `call` is what runs: with the input that a person changed, if one did. */
  #validate(toolUse: ToolUseBlock, call: ToolUseBlock, approved: Approval | undefined): void {
    const entry = this.#entry
    const { input, raw, checked } = prepareInput(entry, call.input)
    if (!checked.ok) {
      const preset = checked.issues.find(({ path }) =>
        Object.hasOwn(entry.presets ?? {}, path.split(/[.[]/, 1)[0] ?? ""),
      )
      const message = preset
        ? `The tool "${entry.name}" is set up wrongly and cannot run: its preset argument ${preset.path} does not fit. Do without it, and say so.`
        : invalidInput(entry.name, checked.issues)
      return this.#execution.close(refused("invalid_input", message))
    }
    const { context: values, agent, conversation } = this.#options
    const context = new CallContext(this.#execution, values, agent, conversation)
    const notes = call === toolUse ? undefined : { input: call.input }
    const run = (): void => this.#run(call, { ...call, input }, checked.value, context, notes)
    if (!needsJudging(entry.tool, this.#options.approval)) return run()
    this.#judge(
      toolUse,
      {
        name: entry.name,
        tool: entry.tool,
        sent: sentArguments(entry, input),
        raw,
        value: checked.value,
        context,
      },
      approved,
      run,
    )
  }

  #judge(toolUse: ToolUseBlock, call: JudgedCall, approved: Approval | undefined, run: () => void): void {
    const onVerdict = (verdict: Verdict): void => {
      if (verdict.type === "run") return run()
      if (verdict.type === "deny") return this.#execution.close(denied(toolUse.name, verdict.reason))
      this.#execution.close(unapproved(toolUse, call.tool, verdict.reason, suggestRules(call)))
    }
    const onFailure = (cause: unknown): void => {
      const message = `Whether "${toolUse.name}" may run could not be judged, so it did not: ${failureText(cause)}`
      this.#execution.close(refused("approval_failed", message))
    }
    try {
      const verdict = judge(call, this.#options.approval, approved !== undefined)
      if (!isThenable(verdict)) return onVerdict(verdict)
      this.#execution.wait()
      verdict.then(onVerdict).then(undefined, onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  #run(
    call: ToolUseBlock,
    toolUse: ToolUseBlock,
    input: unknown,
    context: CallContext,
    notes: JsonObject | undefined,
  ): void {
    const { definition, tool, postprocess, isOwn } = this.#entry
    const { execute, validateOutput } = definition
    if (execute === undefined) return this.#execution.close(suspended(toolUse, undefined))
    const effects = tool.effects ?? "once"
    const maxRetries = effects === "once" ? 0 : (tool.maxRetries ?? this.#defaults.maxRetries)
    const { toolCall } = ambient()
    const work = {
      toolUse,
      taped: toolCall && !isOwn && this.#defaults.taped ? toolCall(toolUse) : undefined,
      execute: () => execute(input, context),
      onStart: this.#options.onStart,
      validateOutput,
      maxRetries,
      effects,
      postprocess,
    }
    const ready = this.#options.beforeStart?.({ toolUse: call, effects })
    if (ready === undefined) return this.#execution.start(work, notes)
    this.#execution.wait()
    ready.then(
      () => this.#execution.start(work, notes),
      (cause: unknown) =>
        this.#execution.close(refused("not_started", `"${toolUse.name}" did not run: ${failureText(cause)}`)),
    )
  }
}

function unparsable(tool: string, text: string): string {
  const shown = JSON.stringify(text.length > 200 ? `${cutText(text, 200)}…` : text)
  return `The arguments of the tool "${tool}" are not one valid JSON object, so it did not run${whyNot(text)}: ${shown}. Send them again as JSON.`
}

/** What the reader of JSON says of it, for a model to find the place. */
function whyNot(text: string): string {
  try {
    JSON.parse(text)
    return ""
  } catch (error) {
    // in some runtimes the message repeats all of the text
    const why = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : ""
    return why === "" || why.length > 120 ? "" : ` (${why})`
  }
}
