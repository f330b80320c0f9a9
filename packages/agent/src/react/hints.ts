import { type Msg, userMsg } from "@agentscope-ts/message"
import { finishToolName } from "./structured-reply.ts"

// What the agent tells the model beside the conversation: in one request only, never in memory.
const hint = (text: string): Msg => userMsg(`<system-hint>${text}</system-hint>`)

/** Asks for the closing summary when the iterations are used up. */
export const summariseHint = (iterations: number): Msg =>
  hint(
    `You have used all ${iterations} iterations without finishing. Do not call tools any more. Say what you have found and done so far, and what is still open.`,
  )

/** Tells the model that its answer could not be taken as the structured reply. */
export const structureHint = (problem: string): Msg =>
  hint(`${problem} Give the final answer by calling the tool ${finishToolName}.`)

/** Tells the model that its tool call could not be read. */
export const malformedCallHint = (): Msg =>
  hint(
    "Your last tool call could not be read, and nothing was run. Call the tool again with valid arguments, or answer in words.",
  )

/** Tells the model that it goes round in circles. */
export const repetitionHint = (tool: string, times: number, sameResult: boolean): Msg =>
  hint(
    `You have called "${tool}" ${times} times with the same arguments${sameResult ? ", and the result was the same each time. Calling it again will not change that." : " in a row."} Do something else, or answer with what you know; if you wait for something, say so.`,
  )

/** Tells the model that it said nothing. */
export const silenceHint = (): Msg =>
  hint("Your last answer was empty: the user saw nothing. Answer in words, or call a tool if you need one.")
