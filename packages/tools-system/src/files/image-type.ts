/** The media type of an image by its first bytes; `undefined` for anything that models take no images of. */
export function imageType(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 12)).toString("latin1")
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(text)) return "image/gif"
  return /^RIFF[\s\S]{4}WEBP/.test(text) ? "image/webp" : undefined
}
