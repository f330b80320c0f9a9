import { cutText, didYouMean, type JsonObject, type StopReason } from "@agentscope-ts/message"
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

const known: Readonly<Record<keyof ScriptedAnswer, true>> = {
  text: true,
  thinking: true,
  toolUses: true,
  structured: true,
  stopReason: true,
  error: true,
  delayMs: true,
  usage: true,
}
const parts = Object.keys(known)
const whatIsAStep =
  "a step is a text, an object of text, thinking, toolUses, … or a function that returns one of these at once"

/**
 * The steps of a script, each of which can be one.
 * @throws AgentScopeError `invalid_step` for anything but a list, and for an answer of parts that nobody knows.
 */
export function stepsOf(given: unknown): readonly ScriptedStep[] {
  if (!Array.isArray(given)) {
    const wrapped = typeof given === "string" ? `[${quote(given)}]` : '["Hello!"]'
    throw testingError(
      "invalid_step",
      `ScriptedModel takes a list of steps and got ${kindOf(given)}: write new ScriptedModel(${wrapped}), with one step for each call.`,
    )
  }
  const steps = given as readonly unknown[]
  return steps.map((step, i) => (typeof step === "function" ? (step as ScriptedStep) : checked(step, i + 1)))
}

/** The answer behind a step: functions are called until none is left. `number` counts from 1, for the error. */
export function answerOf(step: ScriptedStep, request: ChatRequest, number: number): ScriptedAnswer {
  let current: unknown = step
  while (typeof current === "function") current = (current as (request: ChatRequest) => ScriptedStep)(request)
  const answer = checked(current, number)
  return typeof answer === "string" ? { text: answer } : answer
}

function checked(step: unknown, number: number): string | ScriptedAnswer {
  const name = `Step ${number} of a ScriptedModel`
  if (typeof step === "string") return step
  if (typeof step !== "object" || step === null || Array.isArray(step) || step instanceof Promise) {
    throw testingError("invalid_step", `${name} is ${kindOf(step)}: ${whatIsAStep}.`)
  }
  const unknown = Object.keys(step).find((key) => !parts.includes(key))
  if (unknown === undefined) {
    checkToolUses((step as { readonly toolUses?: unknown }).toolUses, name)
    return step
  }
  throw testingError(
    "invalid_step",
    `${name} has the unknown part "${unknown}": an answer is made of ${parts.join(", ")}.${didYouMean(unknown, parts)}`,
  )
}

function checkToolUses(uses: unknown, step: string): void {
  if (uses === undefined) return
  const written = 'write toolUses: [{ name: "get_weather", input: { city: "Paris" } }]'
  if (!Array.isArray(uses)) throw testingError("invalid_step", `${step} has toolUses that are no list: ${written}.`)
  for (const [i, use] of (uses as unknown[]).entries()) {
    const { name, input } = (use ?? {}) as { readonly name?: unknown; readonly input?: unknown }
    const isInput = typeof input === "string" || (typeof input === "object" && input !== null && !Array.isArray(input))
    const fault =
      typeof name !== "string" || name === ""
        ? `without a name`
        : isInput
          ? undefined
          : `without an input, an object or the text of one`
    if (fault !== undefined) throw testingError("invalid_step", `${step} has toolUses[${i}] ${fault}: ${written}.`)
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "nothing"
  if (value instanceof Promise) return "a promise"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "an object"
  return typeof value === "string" ? "a text" : `the ${typeof value} ${JSON.stringify(value)}`
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
