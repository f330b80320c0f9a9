import { callPieceOf, objectIn, objectsIn, type SaidString, textIn } from "@agentscope-ts/model/wire"
import type { AnswerBlocks } from "./answer-blocks.ts"
import { callsIn } from "./custom-calls.ts"
import type { WireChoice, WireChunk, WireDelta } from "./wire-chunk.ts"

/** All that a chunk says in strings; undefined for one that does something else besides. */
export function saidIn(chunk: WireChunk): readonly SaidString[] | undefined {
  if (chunk.usage || chunk.error || chunk.x_groq || !Array.isArray(chunk.choices) || chunk.choices.length !== 1) {
    return undefined
  }
  const choice = objectIn<WireChoice>(chunk.choices[0])
  const delta = objectIn<WireDelta>(choice?.delta)
  if (!choice || !delta || choice.index || choice.finish_reason || choice.usage || choice.error) return undefined
  if (delta.refusal || delta.audio || delta.reasoning_details || delta.function_call) return undefined
  if (Array.isArray(delta.content) || objectsIn(delta.images).length > 0) return undefined
  const calls = callsIn(delta.tool_calls)
  if (calls.some(({ custom }) => custom)) return undefined
  return [
    { key: '"content":', text: textIn(delta.content), as: "text" },
    { key: '"reasoning_content":', text: textIn(delta.reasoning_content), as: "thinking" },
    { key: '"reasoning":', text: textIn(delta.reasoning), as: "thinking" },
    ...calls.map((call) => {
      const piece = callPieceOf(call)
      return { key: '"arguments":', text: piece.json, as: piece }
    }),
  ]
}

/** What a whole message says beyond the deltas before it. */
export function beyondSaid(message: WireDelta, { said, calls }: AnswerBlocks, refusal: string): WireDelta {
  return {
    content: typeof message.content === "string" ? message.content.slice(said.text) : undefined,
    reasoning_content: (textIn(message.reasoning_content) || textIn(message.reasoning)).slice(said.thinking),
    refusal: refusal === "" ? message.refusal : undefined,
    tool_calls: calls.empty ? message.tool_calls : undefined,
    function_call: calls.empty ? message.function_call : undefined,
    images: message.images,
  }
}
