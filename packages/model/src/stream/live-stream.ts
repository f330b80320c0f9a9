import { type ChatDelta, EventQueue, onAbort } from "@agentscope-ts/message"
import type { ChatResponse, ChatSnapshot } from "../chat-response.ts"
import { modelError } from "../errors/model-error.ts"
import { BlockAssembler } from "./block-assembler.ts"
import type { ChatStream, ChatStreamSink } from "./chat-stream.ts"
import type { ResponseBuilder } from "./response-builder.ts"

/** Runs one call into the builder; rejects with the call's error. */
export type RunCall<T> = (builder: ResponseBuilder, signal: AbortSignal | undefined) => Promise<ChatResponse<T>>

/** All that came before is void. */
interface Void {
  readonly type: "void"
}

/** The one implementation of {@link ChatStream}. */
export class LiveStream<T> implements ChatStream<T> {
  readonly #builder: ResponseBuilder
  readonly #run: RunCall<T>
  readonly #signal: AbortSignal | undefined
  /** Every promise handed out is this one, so that a failure is rejected once and observed once. */
  #result: Promise<ChatResponse<T>> | undefined
  #leave: AbortController | undefined
  #consumed = false

  constructor(builder: ResponseBuilder, run: RunCall<T>, signal: AbortSignal | undefined) {
    this.#builder = builder
    this.#run = run
    this.#signal = signal
  }

  get response(): Promise<ChatResponse<T>> {
    return this.#result ?? this.#startLeavable()
  }

  drive(sink: ChatStreamSink): Promise<ChatResponse<T>> {
    this.#consume()
    this.#builder.attach(sink)
    // nobody can leave a driven stream: the caller's own signal is enough
    this.#result ??= this.#run(this.#builder, this.#signal)
    return this.#result
  }

  partial(): ChatResponse {
    return this.#builder.response()
  }

  [Symbol.asyncIterator](): AsyncIterator<ChatDelta> {
    const queue = new EventQueue<ChatDelta>(() => this.#leave?.abort())
    // it cannot be told that what it has seen is void, and so is never given what may become so
    return this.#fill(queue, { onDelta: (delta) => queue.push(delta) })
  }

  async *snapshots(): AsyncGenerator<ChatSnapshot, void, undefined> {
    let blocks = new BlockAssembler()
    const queue = new EventQueue<ChatDelta | Void>(() => this.#leave?.abort())
    this.#fill(queue, { onDelta: (delta) => queue.push(delta), onRetry: () => queue.push({ type: "void" }) })
    for await (const delta of queue) {
      if (delta.type === "void") blocks = new BlockAssembler()
      else {
        blocks.add(delta)
        const { id, model, createdAt } = this.#builder
        yield { id, model, createdAt, content: blocks.content(true) }
      }
    }
    const { stopReason: _, ...last } = this.#builder.response()
    if (last.usage) yield last
  }

  #fill<T extends { readonly type: string }>(queue: EventQueue<T>, sink: ChatStreamSink): EventQueue<T> {
    this.#consume()
    this.#builder.attach(sink)
    // the consumer is the failure's observer, even where `response` was handed out too
    const result = this.#result ?? this.#startLeavable()
    result.then(
      () => queue.end(),
      (error) => queue.fail(error),
    )
    return queue
  }

  #consume(): void {
    if (this.#consumed) {
      const message =
        "This stream has its consumer already: a stream is read once. Keep what you need of it, or ask for `response`."
      throw modelError({ code: "stream_consumed", message })
    }
    this.#consumed = true
  }

  /** Starts the call under a signal that also aborts when the consumer leaves. */
  #startLeavable(): Promise<ChatResponse<T>> {
    const leave = new AbortController()
    this.#leave = leave
    const off = onAbort(this.#signal, () => leave.abort(this.#signal?.reason))
    this.#result = this.#run(this.#builder, leave.signal).finally(off)
    return this.#result
  }
}
