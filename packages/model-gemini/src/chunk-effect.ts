import { type ChunkEffect, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import type { AnswerBlocks, WirePart } from "./answer-blocks.ts"
import type { WireCandidate, WireChunk } from "./chunk-reader.ts"

interface Single {
  readonly key: string
  readonly text: string
  say(text: string): void
}

/** What a chunk did, when that was one thing in one string; undefined when it was nothing or more. */
export function effectOf(chunk: WireChunk, blocks: AnswerBlocks): ChunkEffect | undefined {
  const single = singleOf(chunk, blocks)
  if (single === undefined || single.text === "") return undefined
  const { key } = single
  const read = (probed: unknown): string | undefined => {
    const other = singleOf(probed as WireChunk, blocks)
    return other?.key === key ? other.text : undefined
  }
  return { key, say: (text) => single.say(text), read }
}

function singleOf(chunk: WireChunk, blocks: AnswerBlocks): Single | undefined {
  const candidates = objectsIn<WireCandidate>(chunk.candidates)
  const [candidate] = candidates
  if (!candidate || candidates.length > 1 || chunk.error || chunk.promptFeedback) return undefined
  if (candidate.index || candidate.finishReason) return undefined
  const parts = objectsIn<WirePart>(objectIn<{ readonly parts?: unknown }>(candidate.content)?.parts)
  const [part] = parts
  if (!part || parts.length > 1) return undefined
  const { text, thought, ...more } = part
  if (typeof text === "string" && Object.keys(more).length === 0) {
    const type = thought === true ? "thinking" : "text"
    // the text may be empty in a later chunk of the same frame
    return { key: '"text":', text, say: (said) => said !== "" && blocks.say(type, said) }
  }
  const { functionCall, ...beside } = part
  const call = objectIn<{ readonly partialArgs?: unknown; readonly willContinue?: unknown }>(functionCall)
  const pieces = objectsIn<Record<string, unknown>>(call?.partialArgs)
  const [piece] = pieces
  if (!piece || pieces.length > 1 || Object.keys(beside).length > 0) return undefined
  if (Object.keys(call ?? {}).length > 2 || call?.willContinue !== true || piece["willContinue"] !== true)
    return undefined
  const stringValue = textIn(piece["stringValue"])
  return {
    key: '"stringValue":',
    text: stringValue,
    say: (said) => blocks.call({ partialArgs: [{ ...piece, stringValue: said }], willContinue: true }),
  }
}
