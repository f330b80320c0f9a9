import type { ChatDelta, StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "../stream/call-sink.ts"
import { type CallPiece, ToolCalls } from "./tool-calls.ts"

type Kind = "text" | "thinking" | "call" | "media"

/** Turns what an answer says into deltas of blocks: a new kind of content opens the next block. */
export class BlockWriter {
  readonly calls: ToolCalls
  protected readonly sink: CallSink
  /** How many blocks there are. */
  protected count = 0
  protected open: Kind | undefined

  constructor(sink: CallSink) {
    this.sink = sink
    this.calls = new ToolCalls({ next: () => this.next("call"), emit: (delta) => sink.emit(delta) })
  }

  /** Whether nothing has come yet. */
  get empty(): boolean {
    return this.count === 0
  }

  /** More visible text. */
  text(text: string): void {
    if (text === "") return
    if (this.open !== "text") this.next("text")
    this.sink.emit({ type: "text_delta", index: this.count - 1, text })
  }

  /** More reasoning. */
  thinking(text: string): void {
    if (text === "") return
    if (this.open !== "thinking") this.next("thinking")
    this.sink.emit({ type: "thinking_delta", index: this.count - 1, text })
  }

  /** A piece of a tool call, or a `whole` one. */
  call(piece: CallPiece, whole = false): void {
    this.calls.add(piece, whole)
  }

  /** A block that came whole, as media do. */
  wholeBlock(block: Extract<ChatDelta, { readonly type: "block_end" }>["block"]): void {
    this.sink.emit({ type: "block_end", index: this.next("media"), block })
  }

  /** Tells what was held back. Returns false when a tool call has no name: it cannot be told. */
  end(): boolean {
    return this.calls.end()
  }

  /** The answer is over: see {@link end}. What of its end is not as told: a call without a name, or none at all. */
  ended(stop: StopReason): Partial<CallEnd> | undefined {
    if (!this.end()) return { stopReason: "malformed_tool_call" }
    return stop === "tool_use" && this.calls.empty ? { stopReason: "stop" } : undefined
  }

  /** Opens the next block and gives its index. */
  protected next(type: Kind): number {
    this.open = type
    return this.count++
  }
}
