/** How often a stream that says nothing shows that it is alive, so that nobody on the way ends it. */
const keepAliveMs = 15_000
/** What may wait for a slow reader, in bytes, before the stream is ended. */
const mostWaiting = 1024 * 1024

/** One stream of server-sent events. */
export class SseStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #encoder = new TextEncoder()
  readonly #onGone: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #queue: Uint8Array[] = []
  #waiting = 0
  /** Whether somebody waits for the next bytes. */
  #wanted = false
  #ending = false
  #over = false
  #keepAlive: ReturnType<typeof setInterval> | undefined

  /** `onGone`: the client has gone, or read too slowly. */
  constructor(onGone: () => void) {
    this.#onGone = onGone
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#flush(),
        cancel: () => this.#gone(),
      },
      // nothing is taken out of the queue before somebody reads
      { highWaterMark: 0 },
    )
    // housekeeping of the socket, which is no part of a recorded run: the real clock, and never a reason to stay alive
    this.#keepAlive = setInterval(() => {
      if (this.#queue.length === 0) this.#push(": alive\n\n")
    }, keepAliveMs)
    ;(this.#keepAlive as { unref?: () => void }).unref?.()
  }

  get isOpen(): boolean {
    return !this.#over && !this.#ending
  }

  /** Whether the reader is so far behind that what can be left out should be. */
  get isBehind(): boolean {
    return this.#waiting > mostWaiting / 4
  }

  /** Writes; a reader that is too far behind loses the stream, and false says that it did. */
  write(frame: string): boolean {
    if (!this.isOpen) return false
    if (this.#waiting > mostWaiting) {
      this.#queue = []
      this.#waiting = 0
      this.#controller?.error(new DOMException("The client reads too slowly.", "AbortError"))
      this.#gone()
      return false
    }
    this.#push(frame)
    return true
  }

  /** Ends the stream after what was written. */
  end(): void {
    if (!this.isOpen) return
    this.#ending = true
    clearInterval(this.#keepAlive)
    if (this.#queue.length === 0) this.#finish()
  }

  #push(text: string): void {
    const bytes = this.#encoder.encode(text)
    this.#queue.push(bytes)
    this.#waiting += bytes.byteLength
    if (this.#wanted) this.#flush()
  }

  #flush(): void {
    const bytes = this.#queue.shift()
    this.#wanted = bytes === undefined
    if (bytes === undefined) return
    this.#waiting -= bytes.byteLength
    this.#controller?.enqueue(bytes)
    if (this.#ending && this.#queue.length === 0) this.#finish()
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#controller?.close()
  }

  #gone(): void {
    if (this.#over) return
    this.#over = true
    clearInterval(this.#keepAlive)
    this.#queue = []
    this.#onGone()
  }
}
