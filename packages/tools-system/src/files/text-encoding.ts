import { systemError } from "../error.ts"

/** How a text file is stored. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be"

/** A text file's encoding, or that it is none. */
export interface Sniffed {
  readonly encoding: TextEncoding | "binary"
  /** Bytes of the byte order mark at the start. */
  readonly bom: number
  /** Stores text as the file was, where that is no Unicode. */
  readonly recode?: (text: string) => Buffer
}

/** Looks at the first bytes of a file: the byte order mark, else UTF-8 unless there is a NUL (git's test for binary). */
export function sniff(head: Uint8Array): Sniffed {
  const [a, b, c, d] = head
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", bom: 3 }
  if (a === 0xff && b === 0xfe)
    return c === 0 && d === 0 ? { encoding: "binary", bom: 0 } : { encoding: "utf-16le", bom: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", bom: 2 }
  return { encoding: head.subarray(0, 8000).includes(0) ? "binary" : "utf-8", bom: 0 }
}

/** Bytes as text, the byte order mark left out. Throws `bad_encoding` where writing the text back would lose bytes. */
export function decodeExactly(bytes: Uint8Array, { encoding, bom }: Sniffed, shown: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(bom))
  } catch {
    throw systemError(
      "bad_encoding",
      `"${shown}" is not valid ${encoding.toUpperCase()}; changing it as text would damage it. Use a program that knows its encoding.`,
    )
  }
}

/** Text in the encoding and with the byte order mark that its file had. */
export function encode(text: string, { encoding, bom, recode }: Sniffed): Buffer {
  if (recode !== undefined) return recode(text)
  const marked = bom > 0 ? `\ufeff${text}` : text
  if (encoding === "utf-8" || encoding === "binary") return Buffer.from(marked, "utf8")
  const bytes = Buffer.from(marked, "utf16le")
  return encoding === "utf-16be" ? bytes.swap16() : bytes
}
