import { type ChatDelta, newId } from "@agentscope-ts/message"
import { objectIn, textIn } from "./read-value.ts"

/** A piece of a tool call as it stands on the wire; what is empty there says nothing. */
export interface CallPiece {
  /** The wire's own index; some endpoints send none, or 0 for every call. */
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly json: string
}

/**
 * A piece from the object that most wires have for it, `{ index, id, function: { name, arguments } }`. Arguments that are an
 * object already become text. `position` stands for an index that is missing.
 */
export function callPieceOf(value: object, position?: number): CallPiece {
  const call = value as { readonly index?: unknown; readonly id?: unknown; readonly function?: unknown }
  const { name, arguments: json } = objectIn<{ name?: unknown; arguments?: unknown }>(call.function) ?? {}
  return {
    index: typeof call.index === "number" ? call.index : position,
    id: textIn(call.id),
    name: textIn(name),
    json: typeof json === "object" && json !== null ? JSON.stringify(json) : textIn(json),
  }
}

interface Call {
  /** The place among the blocks; -1 until the call was told. */
  block: number
  id: string
  /** Whether the id is ours, because none came in time. */
  minted: boolean
  name: string
  json: string
}

/** What {@link ToolCalls} needs of the reader it belongs to. */
export interface CallBlocks {
  /** Opens the next block. */
  next(): number
  emit(delta: ChatDelta): void
}

/**
 * Puts tool calls together from their pieces. Endpoints differ: ids and names come late, empty, or again with each piece;
 * the index is missing, or 0 for all calls. So only an id or a name that is not empty starts a call; a new id on the same
 * index, or a new object after one that is complete, starts another; and a piece that says neither goes on with the call
 * before it, as does one of a new id that has no name while the arguments before it are not complete.
 */
export class ToolCalls {
  readonly #blocks: CallBlocks
  readonly #byIndex = new Map<number, Call>()
  readonly #calls: Call[] = []

  constructor(blocks: CallBlocks) {
    this.#blocks = blocks
  }

  get empty(): boolean {
    return this.#calls.length === 0
  }

  /** Takes a piece; `whole` says that it is a whole call and no piece. */
  add(piece: CallPiece, whole = false): void {
    const { index, id, name, json } = piece
    const before = whole ? undefined : this.#before(piece)
    if (before === undefined) {
      if (id !== "" || name !== "") this.#append(this.#open(index, id, name), json)
      return
    }
    if (!this.#starts(before, piece)) {
      if (before.id === "") before.id = this.#unused(id)
      if (before.name === "") before.name = name
      if (!repeats(before, piece)) this.#append(before, json)
    } else this.#append(this.#open(index, id, name === "" ? before.name : name), json)
  }

  /** Tells what was held back. Returns false when a call has no name: it cannot be told. */
  end(): boolean {
    this.#startAll()
    return this.#calls.every((call) => call.block >= 0)
  }

  /** The call that a piece may belong to. */
  #before({ index, id, name }: CallPiece): Call | undefined {
    const last = this.#calls.at(-1)
    if (index === undefined) return id === "" ? last : (this.#calls.find((call) => call.id === id) ?? last)
    return this.#byIndex.get(index) ?? (id === "" && name === "" ? last : undefined)
  }

  /** Whether a piece on a call's index is the start of another call. */
  #starts(call: Call, { id, name, json }: CallPiece): boolean {
    if (id !== "" && call.id !== "" && id !== call.id && !call.minted) return !goesOn(call, name, json)
    // a call without arguments yet that gets another name and no id: the endpoint numbers and identifies nothing
    const renamed = name !== "" && call.name !== "" && name !== call.name
    if (renamed && id === "" && call.json === "") return true
    if (!opensObject(json) && !renamed) return false
    return isComplete(call.json) && !repeats(call, { id, json })
  }

  #open(index: number | undefined, id: string, name: string): Call {
    // no more will come that could change those before it, and calls keep their order
    this.#startAll()
    const call: Call = { block: -1, id: this.#unused(id), minted: false, name, json: "" }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }

  #startAll(): void {
    for (const call of this.#calls) if (call.block < 0 && call.name !== "") this.#start(call)
  }

  /** The id, or none when another call has it: each needs its own. */
  #unused(id: string): string {
    return id !== "" && this.#calls.some((call) => call.id === id) ? "" : id
  }

  #append(call: Call, piece: string): void {
    // some endpoints write null for no arguments
    const json = call.json === "" && piece.trim() === "null" ? "" : piece
    call.json += json
    if (call.block < 0) {
      // without an id the start waits for the first arguments: the id may still come
      if (call.name !== "" && (call.id !== "" || call.json !== "")) this.#start(call)
    } else if (json !== "") this.#blocks.emit({ type: "tool_use_delta", index: call.block, id: call.id, json })
  }

  #start(call: Call): void {
    call.minted = call.id === ""
    if (call.minted) call.id = `call_${newId()}`
    call.block = this.#blocks.next()
    const { block: index, id, name, json } = call
    this.#blocks.emit({ type: "tool_use_start", index, id, name })
    if (json !== "") this.#blocks.emit({ type: "tool_use_delta", index, id, json })
  }
}

/** Some endpoints say at the end once more the whole call. */
function repeats(call: Call, { id, json }: Pick<CallPiece, "id" | "json">): boolean {
  return id !== "" && id === call.id && json.length > 1 && json === call.json && isComplete(json)
}

/** Some endpoints make up an id for every piece: one without a name goes on with arguments that are not complete. */
function goesOn(call: Call, name: string, json: string): boolean {
  return name === "" && json !== "" && !isComplete(call.json)
}

function opensObject(json: string): boolean {
  return json.charCodeAt(0) === 123 || (json.charCodeAt(0) <= 32 && json.trimStart().startsWith("{"))
}

function isComplete(json: string): boolean {
  if (!json.trimEnd().endsWith("}")) return false
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}
