import type { ChatDelta } from "@agentscope-ts/message"
import type { CallEnd, CallHead, CallSink } from "../stream/call-sink.ts"
import { UnwrappedText } from "./unwrapped-text.ts"

/**
 * A sink for an answer that was asked for as the property `value` of an object, where a provider holds answers to objects
 * only: its text becomes that of the value. An answer that is not wrapped after all is told as it is.
 */
export function unwrappedSink(sink: CallSink): CallSink {
  return new UnwrappedSink(sink)
}

class UnwrappedSink implements CallSink {
  readonly streaming: boolean
  readonly #sink: CallSink
  /** The open text, and its index. */
  #text: UnwrappedText | undefined
  #at = 0

  constructor(sink: CallSink) {
    this.streaming = sink.streaming
    this.#sink = sink
  }

  begin(head: CallHead): void {
    this.#sink.begin(head)
  }

  warn(code: string, message: string): void {
    this.#sink.warn(code, message)
  }

  emit(delta: ChatDelta): void {
    if (delta.type === "text_delta") return this.#push(delta.index, delta.text)
    this.#flush()
    const text = delta.type === "block_end" && delta.block.type === "text" ? delta.block : undefined
    if (text === undefined || delta.type !== "block_end") return this.#sink.emit(delta)
    const whole = new UnwrappedText(true)
    const said = whole.push(text.text) + whole.rest()
    this.#sink.emit({ ...delta, block: { ...text, text: said } })
  }

  finish(end: CallEnd): void {
    this.#flush()
    this.#sink.finish(end)
  }

  #push(index: number, piece: string): void {
    if (index !== this.#at) this.#flush()
    this.#at = index
    this.#text ??= new UnwrappedText(true)
    this.#tell(this.#text.push(piece))
  }

  #flush(): void {
    const rest = this.#text?.rest() ?? ""
    this.#text = undefined
    this.#tell(rest)
  }

  #tell(text: string): void {
    if (text !== "") this.#sink.emit({ type: "text_delta", index: this.#at, text })
  }
}
