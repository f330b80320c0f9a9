import { type CallPiece, callPieceOf, objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"

/** A call as it stands on the wire, of a function or of a custom tool. */
interface WireCall {
  readonly function?: unknown
  readonly custom?: unknown
}

/** The calls of a list, or a single one in its place. */
export const callsIn = (value: unknown): readonly WireCall[] =>
  Array.isArray(value) ? objectsIn<WireCall>(value) : [objectIn<WireCall>(value) ?? []].flat()

/** Calls of custom tools, whose input is a free text: it becomes the argument `input`. */
export class CustomCalls {
  /** Those that are open, by the pieces they began with. */
  readonly #open: CallPiece[] = []

  /** The piece of a call, that of a custom one as if it were a function's. */
  piece(call: WireCall, position: number | undefined, whole: boolean): CallPiece {
    const custom = objectIn<{ name?: unknown; input?: unknown }>(call.custom)
    if (custom === undefined) return callPieceOf(call, position)
    const { name, input } = custom
    const piece = callPieceOf({ ...call, function: { name } }, position)
    if (whole) return { ...piece, json: JSON.stringify({ input: textIn(input) }) }
    const isNew = !this.#open.some(({ id, index }) => (piece.id === "" ? index === piece.index : id === piece.id))
    if (isNew) this.#open.push(piece)
    return { ...piece, json: `${isNew ? '{"input":"' : ""}${JSON.stringify(textIn(input)).slice(1, -1)}` }
  }

  /** The last pieces of those that are open. */
  ends(): readonly CallPiece[] {
    return this.#open.splice(0).map(({ index, id }) => ({ index, id, name: "", json: '"}' }))
  }
}
