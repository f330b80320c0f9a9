import { type BlockWriter, type CallPiece, callPieceOf, type ChunkEffect } from "@agentscope-ts/model/wire"
import { saidBy, type WireChunk } from "./wire-chunk.ts"

interface Single {
  readonly key: string
  readonly text: string
  readonly piece?: CallPiece
}

/** What an event of pieces did, when that was one thing in one string; undefined when it was nothing or more. */
export function effectOf(chunk: WireChunk, blocks: BlockWriter): ChunkEffect | undefined {
  const { key, piece } = singleOf(chunk) ?? {}
  if (key === undefined) return undefined
  const say = piece
    ? (json: string) => blocks.call({ ...piece, json })
    : key === '"reasoning_content":'
      ? (text: string) => blocks.thinking(text)
      : (text: string) => blocks.text(text)
  const read = (probed: unknown) => {
    const other = singleOf(probed as WireChunk)
    return other?.key === key ? other.text : undefined
  }
  return { key, say, read }
}

function singleOf(chunk: WireChunk): Single | undefined {
  const said = chunk.error ? undefined : saidBy(chunk)
  if (!said || said.finish !== "") return undefined
  const found: Single[] = said.calls.map((call, i) => {
    const piece = callPieceOf(call, i)
    return { key: '"arguments":', text: piece.json, piece }
  })
  if (said.text !== "") found.push({ key: said.textKey, text: said.text })
  if (said.thinking !== "") found.push({ key: '"reasoning_content":', text: said.thinking })
  return found.length === 1 && found[0]?.text !== "" ? found[0] : undefined
}
