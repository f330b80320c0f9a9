/** The first `n` bytes at most, without a character that the end cuts in two. */
function wholeStart(bytes: Buffer): Buffer {
  let start = bytes.length
  while (start > 0 && bytes.length - start < 3 && ((bytes[start - 1] as number) & 0xc0) === 0x80) start--
  const lead = bytes[start - 1]
  if (lead === undefined || lead < 0xc0) return bytes
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  return bytes.length - (start - 1) < length ? bytes.subarray(0, start - 1) : bytes
}

/** The bytes without the rest of a character that began before them. */
function wholeEnd(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}

/**
 * What a program wrote, in bounded memory: all of it up to `limit` bytes, beyond that the first and the last half and a
 * note of how much is missing between them.
 */
export class BoundedOutput {
  readonly #half: number
  #head: Buffer[] = []
  #headBytes = 0
  #ring: Buffer | undefined
  #written = 0

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2)
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headBytes
    if (room > 0) {
      const kept = chunk.subarray(0, room)
      this.#head.push(Buffer.from(kept)) // a copy: the reader's buffer is larger than this part of it
      this.#headBytes += kept.length
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(0, room)))
  }

  #pushTail(chunk: Buffer): void {
    const ring = (this.#ring ??= Buffer.allocUnsafe(this.#half))
    const kept = chunk.subarray(Math.max(0, chunk.length - ring.length))
    const at = (this.#written + chunk.length - kept.length) % ring.length
    const first = kept.copy(ring, at)
    kept.copy(ring, 0, first)
    this.#written += chunk.length
  }

  /** Bytes that are neither in the first nor in the last half. */
  get cut(): number {
    return Math.max(0, this.#written - this.#half)
  }

  text(): string {
    const head = Buffer.concat(this.#head, this.#headBytes)
    const ring = this.#ring
    if (ring === undefined) return head.toString("utf8")
    if (this.cut === 0) return Buffer.concat([head, ring.subarray(0, this.#written)]).toString("utf8")
    const at = this.#written % ring.length
    const tail = wholeEnd(Buffer.concat([ring.subarray(at), ring.subarray(0, at)]))
    return `${wholeStart(head).toString("utf8")}\n[${this.cut} bytes cut here]\n${tail.toString("utf8")}`
  }
}
