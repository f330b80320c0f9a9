import type { JsonValue, MediaBlock, TapedChunk, TextBlock, ToolResultBlock } from "@agentscope-ts/message"

/** A piece of a body as it came: text, or base64 where it is no UTF-8 by itself. */
export type TapePiece = string | { readonly base64: string }

/** A body that was sent: JSON where it parses, else text, base64 where it is no UTF-8, or the fields of a form. */
export type TapeBody =
  | { readonly json: JsonValue }
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly form: readonly (readonly [string, TapePiece])[] }

/** What was asked: the URL without secrets. */
export interface TapeRequest {
  readonly method: string
  readonly url: string
  readonly body: TapeBody | null
}

/** A failure below HTTP. */
export interface TapeFailure {
  readonly name: string
  readonly message: string
  /** The system's code, such as `ECONNRESET`. */
  readonly code?: string
}

/**
 * The places of deliveries in the order of all that came from outside, as runs of neighbours: `[[3, 2], [7, 1]]` is 3, 4, 7.
 */
export type TapeOrder = readonly (readonly [from: number, count: number])[]

/** What all lines of a tape after the first have: their number, and whose they are (a path of agents and tool calls). */
interface Line {
  readonly at: number
  readonly lane: string
}

/** A request went out. `call` joins it with its response. */
export interface TapeRequestEvent extends Line, TapeRequest {
  readonly type: "request"
  readonly call: number
}

/**
 * Its answer, at the place where it ended: `error` where the request or the body broke, `aborted` where the program's signal
 * ended it `afterMs` after it was sent, `left` where nobody read on. Absent `status`: it broke before an answer came.
 */
export interface TapeResponseEvent extends Line {
  readonly type: "response"
  readonly call: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: readonly TapePiece[]
  readonly end: "done" | "aborted" | "left" | "error"
  readonly error?: TapeFailure
  readonly afterMs: number
  readonly order: TapeOrder
}

/** A tool was called. `runs`: it asked models or agents itself, so that a replay runs it again, on what they said. */
export interface TapeToolCallEvent extends Line {
  readonly type: "tool_call"
  readonly call: number
  readonly name: string
  readonly input: JsonValue
  readonly runs?: true
}

/** What came of it. `sync`: how many of the chunks, and the result after them, came before the call returned. */
export interface TapeToolResultEvent extends Line {
  readonly type: "tool_result"
  readonly call: number
  readonly result: ToolResultBlock
  readonly tail?: readonly (TextBlock | MediaBlock)[]
  readonly chunks?: readonly TapedChunk[]
  readonly sync?: number
  /** The tool ended after it had been given up: how, and at which place, or so many steps of promises later. */
  readonly late?: { readonly outcome: "returned" | "threw"; readonly place?: number; readonly steps?: number }
  readonly afterMs: number
  readonly order: TapeOrder
}

/** Somebody slept. Without `order`: who slept never woke by himself. */
export interface TapeSleepEvent extends Line {
  readonly type: "sleep"
  readonly ms: number
  readonly order?: TapeOrder
}

/**
 * What was read between two deliveries to a lane: ids, times (`[milliseconds since 1970, how often]`), random numbers.
 * `after` is the place of the delivery before, 0 at the lane's beginning.
 */
export interface TapeValuesEvent extends Line {
  readonly type: "values"
  readonly after: number
  readonly ids?: readonly string[]
  readonly clock?: readonly (readonly [ms: number, times: number])[]
  readonly random?: readonly number[]
}

/** The run is over. */
export interface TapeEndEvent extends Line {
  readonly type: "end"
  readonly outcome: "returned" | "threw"
  readonly error?: TapeFailure
}

/** One line of a tape after the first. */
export type TapeEvent =
  | TapeRequestEvent
  | TapeResponseEvent
  | TapeToolCallEvent
  | TapeToolResultEvent
  | TapeSleepEvent
  | TapeValuesEvent
  | TapeEndEvent

/** A tape as it was read. */
export interface Tape {
  readonly file: string
  /** When it was recorded, in milliseconds since 1970. */
  readonly recordedAt: number
  readonly events: readonly TapeEvent[]
}
