import type { Msg } from "@agentscope-ts/message"

/** The wire messages of one message as JSON, joined by commas; empty where there are none. A promise where it needs I/O. */
export type EncodeMessage = (msg: Msg) => string | Promise<string>

const encoder = new TextEncoder()
const comma = 44
/** What ends a body whose messages are its last field. */
const usualTail = "]}"
const usualTailBytes = encoder.encode(usualTail)

/**
 * The body of a conversation's requests, `head` + messages + `]}`, in one buffer that grows: each message is encoded once.
 * What was there before is recognised by reference; a history that changed is encoded anew.
 */
export class ConversationBody {
  /** Taken by a request that has not ended: nobody else may write into the buffer. */
  busy = false
  /** Belongs to a conversation and stays for its next request; otherwise it is for one request only. */
  kept = false
  #buffer: Uint8Array = new Uint8Array(0)
  #length = 0
  #head: string | undefined
  #known: Msg[] = []
  #headLength = 0
  #tail: Uint8Array = usualTailBytes
  #tailText = usualTail
  #formatter: object | undefined

  /** How much memory it holds, in bytes. */
  get size(): number {
    return this.#buffer.length
  }

  /**
   * The whole body; its bytes are good until the next call. `head` ends with the opening bracket of the messages; `tail` is
   * what follows the last of them, with a comma before a further one.
   */
  render(
    head: string,
    messages: readonly Msg[],
    encode: EncodeMessage,
    tail = usualTail,
  ): Uint8Array | Promise<Uint8Array> {
    if (tail !== this.#tailText) {
      this.#tailText = tail
      this.#tail = encoder.encode(tail)
    }
    if (!this.#continues(head, messages)) this.#reset(head)
    for (let i = this.#known.length; i < messages.length; i++) {
      const msg = messages[i] as Msg
      const json = encode(msg)
      if (typeof json !== "string") return this.#renderLater(json, msg, messages, encode)
      this.#append(msg, json)
    }
    return this.#close()
  }

  /** Forgets what another formatter encoded. */
  belongTo(formatter: object): void {
    if (this.#formatter !== undefined && this.#formatter !== formatter) this.drop()
    this.#formatter = formatter
  }

  /** Gives the memory back. */
  drop(): void {
    this.#head = undefined
    this.#known = []
    this.#length = 0
    this.#buffer = new Uint8Array(0)
  }

  async #renderLater(
    json: Promise<string>,
    msg: Msg,
    messages: readonly Msg[],
    encode: EncodeMessage,
  ): Promise<Uint8Array> {
    this.#append(msg, await json)
    for (let i = this.#known.length; i < messages.length; i++) {
      const next = messages[i] as Msg
      this.#append(next, await encode(next))
    }
    return this.#close()
  }

  #continues(head: string, messages: readonly Msg[]): boolean {
    const known = this.#known
    if (head !== this.#head || known.length > messages.length) return false
    for (let i = 0; i < known.length; i++) if (known[i] !== messages[i]) return false
    return true
  }

  #reset(head: string): void {
    this.drop()
    this.#head = head
    this.#write(head)
    this.#headLength = this.#length
  }

  #append(msg: Msg, json: string): void {
    if (json !== "") {
      if (this.#length > this.#headLength) {
        this.#room(1)
        this.#buffer[this.#length++] = comma
      }
      this.#write(json)
    }
    this.#known.push(msg)
  }

  #write(text: string): void {
    // three bytes a unit are always enough; the exact count is worth its time only for long texts
    if (text.length < 4096) this.#room(text.length * 3)
    else {
      const bytes = encoder.encode(text)
      this.#room(bytes.length)
      this.#buffer.set(bytes, this.#length)
      this.#length += bytes.length
      return
    }
    this.#length += encoder.encodeInto(text, this.#buffer.subarray(this.#length)).written
  }

  #close(): Uint8Array {
    const first = this.#length === this.#headLength && this.#tail[0] === comma
    const tail = first ? this.#tail.subarray(1) : this.#tail
    this.#room(0)
    this.#buffer.set(tail, this.#length)
    return this.#buffer.subarray(0, this.#length + tail.length)
  }

  #room(bytes: number): void {
    // there is always room for the end
    const needed = this.#length + bytes + this.#tail.length
    if (needed <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2, 2048))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}
