import type { JsonValue, MediaBlock, TextBlock, ToolResultBlock } from "@agentscope-ts/message"

/** A piece of a running call: progress that the tool reported, or output that it yielded. */
export type ToolChunk =
  | { readonly type: "progress"; readonly data: JsonValue }
  | { readonly type: "output"; readonly data: TextBlock | MediaBlock }

/**
 * One execution of a tool. `result` always resolves, once. Iterating gives progress and output as they come; a tool that
 * does not yield gives its output in one go at the end. Leaving the iteration early cancels the call.
 */
export interface ToolRun extends AsyncIterable<ToolChunk> {
  readonly result: Promise<ToolResultBlock>
  /**
   * Calls `listener` with each chunk as it comes, synchronously; call it before anything is awaited. Output that comes in
   * one piece with the result is not a chunk of its own here.
   */
  listen(listener: (chunk: ToolChunk) => void): void
  /** Ends the call: state `interrupted`, with what the tool yielded so far. Nothing happens when it has ended. */
  cancel(): void
}
