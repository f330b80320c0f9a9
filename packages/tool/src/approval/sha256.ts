// Synchronous and the same everywhere: `crypto.subtle` answers by promise, `node:crypto` is not on every runtime.

const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
/** The first 32 bits of the fractional part, as the standard derives its constants. */
const fraction = (x: number): number => ((x - Math.floor(x)) * 0x1_0000_0000) | 0
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function compress(state: Int32Array, block: DataView, offset: number, words: Int32Array): void {
  const at = (i: number): number => words[i] as number
  for (let i = 0; i < 16; i++) words[i] = block.getInt32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const early = at(i - 15)
    const late = at(i - 2)
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[i] = at(i - 16) + s0 + at(i - 7) + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + at(i)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

/** SHA-256 of the text's UTF-8 bytes, as 64 hexadecimal characters. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text)
  // the message, one bit set, zeros, and the length in bits as the last 8 bytes of a block
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  const state = initial.slice()
  const words = new Int32Array(64)
  for (let offset = 0; offset < padded.length; offset += 64) compress(state, view, offset, words)
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
