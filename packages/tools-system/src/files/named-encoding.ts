import { systemError } from "../error.ts"

/** An encoding by any of its names (`GBK`, `latin1`), as the name that all programs know. */
export function encodingNamed(name: string): string {
  try {
    return new TextDecoder(name).encoding
  } catch (cause) {
    throw systemError("invalid_argument", `There is no encoding "${name}". Name one such as "gbk" or "latin1".`, {
      cause,
    })
  }
}

/** Text that was stored in a named encoding, and how to store another text so. */
export interface NamedText {
  readonly text: string
  /** Throws `bad_encoding` for text that the encoding has no bytes for. */
  readonly recode: (text: string) => Buffer
}

/** Bytes as text of a named encoding; `undefined` where they would not come back the same. Needs iconv-lite. */
export async function decodeNamed(bytes: Buffer, encoding: string, shown: string): Promise<NamedText | undefined> {
  const { default: iconv } = await import("iconv-lite").catch((cause: unknown) => {
    const message = `Changing files stored as ${encoding} needs the package iconv-lite. Install it: npm install iconv-lite`
    throw systemError("package_missing", message, { cause })
  })
  const text = iconv.decode(bytes, encoding, { stripBOM: false })
  if (!iconv.encode(text, encoding).equals(bytes)) return undefined
  return {
    text,
    recode: (changed) => {
      const encoded = iconv.encode(changed, encoding)
      if (iconv.decode(encoded, encoding, { stripBOM: false }) === changed) return encoded
      const message = `"${shown}" is stored as ${encoding}, which lacks a character of the new text. Write it without that.`
      throw systemError("bad_encoding", message)
    },
  }
}
