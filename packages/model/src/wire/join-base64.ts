/** One base64 text of pieces: of one text that was cut anywhere, or of bytes that were encoded piece by piece. */
export function joinBase64(pieces: readonly string[]): string {
  const text = pieces.join("")
  if (!/=[^=]/.test(text)) return text
  // padding in the middle ends the bytes of a piece
  return btoa((text.match(/[^=]+=*/g) ?? []).map((piece) => atob(piece)).join(""))
}
