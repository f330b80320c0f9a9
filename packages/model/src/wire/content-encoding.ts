import type { Transform } from "node:stream"
import { modelError } from "../errors/model-error.ts"

/** The body's encoding from Node's flat list of raw headers, without the cost of parsing all headers. */
export function encodingOf(rawHeaders: readonly string[]): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 16 || name.toLowerCase() !== "content-encoding") continue
    const value = (rawHeaders[i + 1] ?? "").trim().toLowerCase()
    return value === "" || value === "identity" ? undefined : value
  }
  return undefined
}

/** A stream that unpacks a body. We ask for none, but some servers and proxies compress all the same. */
export function unpacker(encoding: string): Transform {
  const zlib = process.getBuiltinModule("node:zlib")
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip()
    case "br":
      return zlib.createBrotliDecompress()
    case "deflate":
      return zlib.createInflate()
    case "zstd":
      return zlib.createZstdDecompress()
    default: {
      const message = `The answer is compressed in a way that cannot be read: content-encoding ${JSON.stringify(encoding)}.`
      throw modelError({ code: "unsupported", message })
    }
  }
}
