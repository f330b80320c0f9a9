import type { MediaBlock, TextBlock, ToolResultBlock } from "./blocks.ts"
import type { JsonValue } from "./json.ts"

/** What a tool said while it ran: progress that it reported, or output that it yielded. */
export type TapedChunk =
  | { readonly type: "progress"; readonly data: JsonValue }
  | { readonly type: "output"; readonly data: TextBlock | MediaBlock }

/** Who hears what a tape has of a call. `tail`: the last blocks of the output, where those before came as chunks. */
export interface TapedListener {
  onChunk(chunk: TapedChunk): void
  onResult(result: ToolResultBlock, tail?: readonly (TextBlock | MediaBlock)[]): void
  /** The tool of a call that had been given up ended after all. */
  onLate(outcome: "returned" | "threw"): void
}

/** One tool call under a tape: recorded, or answered from it. See `Ambient.toolCall`. */
export interface TapedCall extends TapedListener {
  /** Gives what the tape has, at once or later, to the listener: the tool does not run. Absent where it does. */
  readonly answer?: ((listener: TapedListener) => void) | undefined
  /** What the tape has of a call that was given up, when this one is. */
  readonly givenUp?: (() => ToolResultBlock | undefined) | undefined
  /** Does a part of the tool's work: every part of it goes through here. */
  run<T>(work: () => T): T
}
