import { type CallPiece, callPieceOf, type ChunkEffect, objectIn, textIn } from "@agentscope-ts/model/wire"
import type { WireChoice, WireChunk, WireDelta } from "./wire-chunk.ts"

/** What says the text of a chunk: the reader's own methods, the same that a parsed chunk goes through. */
export interface Sayings {
  text(text: string): void
  thinking(text: string): void
  call(piece: CallPiece): void
}

interface Single {
  readonly key: string
  readonly text: string
  readonly piece?: CallPiece
}

/** What a chunk did, when that was one thing in one string; undefined when it was nothing or more. */
export function effectOf(chunk: WireChunk, sayings: Sayings): ChunkEffect | undefined {
  const single = singleOf(chunk)
  if (single === undefined || single.text === "") return undefined
  const { key, piece } = single
  const say = piece
    ? (json: string) => sayings.call({ ...piece, json })
    : key === '"content":'
      ? (text: string) => sayings.text(text)
      : (text: string) => sayings.thinking(text)
  return {
    key,
    say,
    read: (probed) => {
      const other = singleOf(probed as WireChunk)
      return other?.key === key ? other.text : undefined
    },
  }
}

function singleOf(chunk: WireChunk): Single | undefined {
  if (chunk.usage || chunk.error || chunk.x_groq || !Array.isArray(chunk.choices) || chunk.choices.length !== 1) {
    return undefined
  }
  const choice = objectIn<WireChoice>(chunk.choices[0])
  const delta = objectIn<WireDelta>(choice?.delta)
  if (!choice || !delta || choice.index || choice.finish_reason || choice.usage || choice.error) return undefined
  if (delta.refusal || delta.audio || delta.reasoning_details || delta.function_call) return undefined
  const found: Single[] = []
  if (delta.content) found.push({ key: '"content":', text: textIn(delta.content) })
  if (delta.reasoning_content) found.push({ key: '"reasoning_content":', text: textIn(delta.reasoning_content) })
  if (delta.reasoning) found.push({ key: '"reasoning":', text: textIn(delta.reasoning) })
  if (delta.tool_calls) found.push(...callsOf(delta.tool_calls))
  return found.length === 1 ? found[0] : undefined
}

function callsOf(value: unknown): readonly Single[] {
  if (!Array.isArray(value)) return []
  return value.map((item) => {
    const piece = pieceOf(item)
    return { key: '"arguments":', text: piece?.json ?? "", ...(piece && { piece }) }
  })
}

/** A tool call's piece. */
export function pieceOf(value: unknown): CallPiece | undefined {
  const call = objectIn(value)
  return call && callPieceOf(call)
}
