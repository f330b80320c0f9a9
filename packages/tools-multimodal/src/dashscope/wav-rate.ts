/** The sample rate that a WAV says of itself (its `fmt ` chunk); undefined for what is none. */
export function wavRate(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < 12 || word(0) !== "RIFF" || word(8) !== "WAVE") return undefined
  for (
    let at = 12;
    at + 16 <= bytes.length;
    at += 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) & 1)
  ) {
    if (word(at) === "fmt ") return view.getUint32(at + 12, true) || undefined
  }
  return undefined
}
