import { cutText, type JsonObject, type StopReason } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { testingError } from "./testing-error.ts"

/**
 * A tool call in a script. `id` is made when absent: `call_1`, `call_2`, … over the model's life. `input` as a string is the
 * raw argument text as a model would write it, so it need not be valid JSON.
 */
export interface ScriptedToolUse {
  readonly id?: string | undefined
  readonly name: string
  readonly input: JsonObject | string
}

/** One answer of a {@link ScriptedModel}: its parts stand in the order thinking, text, tool calls. */
export interface ScriptedAnswer {
  readonly text?: string | undefined
  readonly thinking?: string | undefined
  readonly toolUses?: readonly ScriptedToolUse[] | undefined
  /** A structured result: a call of `generate_response` where the request has that tool, else its JSON text. */
  readonly structured?: unknown
  /** `tool_use` when the answer calls tools, else `stop`, unless given. */
  readonly stopReason?: StopReason | undefined
  /** Thrown after the parts above, which is how a stream that breaks off looks. */
  readonly error?: Error | undefined
  /** A wait before the first part, on the ambient clock, which the request's signal cuts short. */
  readonly delayMs?: number | undefined
  /** Absent figures stay absent, as from a provider that sends none. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined
}

/** One step of a script: a text, an answer, or a function of the request that gives a step. */
export type ScriptedStep = string | ScriptedAnswer | ((request: ChatRequest) => ScriptedStep)

/** The answer behind a step: functions are called until none is left. `number` counts from 1, for the error. */
export function answerOf(step: ScriptedStep, request: ChatRequest, number: number): ScriptedAnswer {
  let current: unknown = step
  while (typeof current === "function") current = (current as (request: ChatRequest) => ScriptedStep)(request)
  if (typeof current === "string") return { text: current }
  if (typeof current === "object" && current !== null && !(current instanceof Promise)) return current
  const got = current instanceof Promise ? "a promise" : String(current)
  throw testingError(
    "invalid_step",
    `Step ${number} of a ScriptedModel gave ${got}: a step is a text, an object of text, thinking, toolUses, … or a function that returns one of these at once.`,
  )
}

/** A step in a few words, for errors. */
export function describeStep(step: ScriptedStep): string {
  if (typeof step === "function") return "a function"
  if (typeof step === "string") return quote(step)
  if (step.toolUses?.length) return `a call of ${step.toolUses.map((use) => use.name).join(", ")}`
  if (step.error) return `the error ${quote(step.error.message)}`
  return step.text === undefined ? Object.keys(step).join(", ") || "an empty answer" : quote(step.text)
}

/** A text in quotes, cut where it is long. */
export function quote(text: string): string {
  const cut = cutText(text, 120)
  return JSON.stringify(cut === text ? text : `${cut}…`)
}
