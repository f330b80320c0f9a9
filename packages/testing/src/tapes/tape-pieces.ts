import type { TapePiece } from "./tape-event.ts"
import type { Secrets } from "./secrets.ts"

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Bytes as they stand on a tape. */
export function pieceOf(bytes: Uint8Array): TapePiece {
  try {
    return strict.decode(bytes)
  } catch {
    let binary = ""
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
    return { base64: btoa(binary) }
  }
}

/** The bytes of a piece. */
export function bytesOfPiece(piece: TapePiece): Uint8Array<ArrayBuffer> {
  if (typeof piece === "string") return new TextEncoder().encode(piece)
  return Uint8Array.from(atob(piece.base64), (char) => char.charCodeAt(0))
}

/** A body without secrets, also where one was cut by a border between pieces. */
export function withoutSecrets(pieces: readonly TapePiece[], secrets: Secrets, isError: boolean): TapePiece[] {
  const scrub = (text: string): string => (isError ? secrets.clean(text) : secrets.scrub(text))
  const clean = pieces.map((piece) => (typeof piece === "string" ? scrub(piece) : piece))
  if (!clean.every((piece) => typeof piece === "string")) {
    // a character that was cut: the border is not worth a secret
    const whole = pieceOf(joined(clean))
    return typeof whole === "string" && scrub(whole) !== whole ? [scrub(whole)] : clean
  }
  const whole = clean.join("")
  const safe = scrub(whole)
  return safe === whole ? clean : [safe]
}

function joined(pieces: readonly TapePiece[]): Uint8Array {
  const parts = pieces.map(bytesOfPiece)
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
