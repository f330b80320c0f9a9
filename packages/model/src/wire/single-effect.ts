import type { BlockWriter } from "./block-writer.ts"
import type { ChunkEffect } from "./frames.ts"
import type { CallPiece } from "./tool-calls.ts"

/** A string that a chunk says: the name of its field as on the wire, with quotes and colon, and what it is. */
export interface SaidString {
  readonly key: string
  readonly text: string
  readonly as: "text" | "thinking" | CallPiece
}

/**
 * The effect of a chunk that says one thing in one string, for `Frames`; undefined when it says nothing or more. `saidIn`:
 * all that a chunk says, the empty strings too, or undefined for a chunk that does something else (it ends the answer).
 */
export function singleEffect<Chunk>(
  chunk: Chunk,
  blocks: Pick<BlockWriter, "text" | "thinking" | "call">,
  saidIn: (chunk: Chunk) => readonly SaidString[] | undefined,
): ChunkEffect | undefined {
  const single = singleOf(saidIn(chunk))
  if (single === undefined) return undefined
  const { key, as } = single
  return {
    key,
    say:
      as === "text"
        ? (text) => blocks.text(text)
        : as === "thinking"
          ? (text) => blocks.thinking(text)
          : (json) => blocks.call({ ...as, json }),
    read: (probed) => {
      const other = singleOf(saidIn(probed as Chunk))
      return other?.key === key ? other.text : undefined
    },
  }
}

/** A call's piece without arguments does something too. */
function singleOf(all: readonly SaidString[] = []): SaidString | undefined {
  const said = all.filter(({ text, as }) => text !== "" || typeof as === "object")
  return said.length === 1 && said[0]?.text !== "" ? said[0] : undefined
}
