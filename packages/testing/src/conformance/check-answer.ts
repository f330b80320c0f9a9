import { blocksOf, textOf, toolUsesOf } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import type { Outcome } from "./call.ts"
import { type Expectation, expectationOf, must, mustEqual, told } from "./expectation.ts"
import { checkError } from "./expected-error.ts"
import { expectedStop, isGarbled } from "./expected-stop.ts"
import { checkUsage } from "./expected-usage.ts"
import { isStream } from "./find-cassettes.ts"
import { checkOpaque } from "./opaque-data.ts"

/** Compares what a call came to with what a right reading of the cassette gives. */
export function checkAnswer({ response, error, requests = 1 }: Outcome, cassette: Cassette): void {
  const expected = expectationOf(cassette)
  // why a call failed says more than what it lacks
  if (expected.error) checkError(error, expected.error, cassette)
  else if (error !== undefined) checkRefused(error, expected)
  checkContent(response, expected)
  const stop = expectedStop(expected)
  // a model that asks again for a call that could not be read has used all that it was answered
  const answers = stop === "malformed_tool_call" ? requests : 1
  // figures that were told before an error are no less true, but an answer that was read whole and then refused is not there to hold them
  if (error !== undefined) {
    if (expected.error || response.usage !== undefined || isStream(cassette))
      checkUsage(response.usage, cassette, answers)
    return
  }
  if (expected.refusal !== undefined) mustEqual(response.refusal, expected.refusal, "refusal")
  if (stop) mustEqual(response.stopReason, stop, `stopReason for "${expected.stopReason}"`)
  checkUsage(response.usage, cassette, answers)
  checkOpaque(response, cassette)
  const heard = blocksOf(response, "audio").length
  const shown = heard + blocksOf(response, "image").length
  must(heard >= countOf(expected.audio), `the answer has ${heard} audio blocks, fewer than the provider sent`)
  must(shown >= countOf(expected.media), `the answer has ${shown} media blocks, fewer than the provider sent`)
}

/** A number, the length of a list, or one for anything else that is there. */
function countOf(value: unknown): number {
  if (typeof value === "number") return value
  return Array.isArray(value) ? value.length : Number(Boolean(value))
}

/** An answer that the provider held back, or that makes no sense, may also be an error that says so. */
function checkRefused(error: unknown, expected: Expectation): void {
  const stop = expectedStop(expected)
  const code = (error as { readonly code?: unknown }).code
  if (stop === "content_filter" && code === "content_filtered") return
  if ((stop === "malformed_tool_call" || isGarbled(expected)) && code === "malformed_response") return
  must(false, `the call failed: ${told(error)}`)
}

function checkContent(response: ChatResponse, { text, thinking, toolCalls }: Expectation): void {
  mustEqual(textOf(response, ""), text, "text")
  const thought = blocksOf(response, "thinking").map((block) => block.thinking)
  mustEqual(thought.join(""), thinking, "thinking")
  const calls = toolUsesOf(response)
  const names = calls.map((call) => call.name)
  mustEqual(
    names,
    toolCalls.map((call) => call.name),
    "tool calls",
  )
  for (const [i, call] of toolCalls.entries()) {
    const made = calls[i]
    if (made === undefined) continue
    const what = `tool call ${i + 1} (${call.name})`
    if (call.id) mustEqual(made.id, call.id, `id of ${what}`)
    must(made.id !== "", `${what} has no id`)
    // free text, or text that is no JSON
    if (typeof call.input === "string" && made.rawInput === undefined)
      mustEqual(made.input, { input: call.input }, `input of ${what}`)
    else mustEqual(made.rawInput ?? made.input, call.input, `input of ${what}`)
  }
  must(new Set(calls.map((call) => call.id)).size === calls.length, "two tool calls have the same id")
}
