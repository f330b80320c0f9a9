import { nodeBuiltin } from "./node-builtin.ts"

const ending = ".json"
// 255 bytes is the limit of most file systems, less on some; this leaves room for whatever is put around it
const longest = 200
const kept = 100

// capitals too: on many file systems "a" and "A" are one name
const plain = /^[a-z0-9._-]$/
// names of devices on Windows, also with an ending
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/

const escaped = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

/** An id as a name: what is not `a-z 0-9 . _ -` by its UTF-8 bytes, `%41`. */
function encode(id: string): string {
  let name = ""
  for (const char of id) name += plain.test(char) ? char : escaped(char)
  return name.startsWith(".") || reserved.test(name) ? escaped(name.charAt(0)) + name.slice(1) : name
}

/**
 * The name of a session's file. The id can be read from it, but for a long one: of that the name holds the beginning and a
 * hash, `beginning=hash.json`, and the id stands in the file.
 */
export function fileNameOf(id: string): string {
  const name = encode(id)
  if (name.length <= longest) return name + ending
  const { createHash } = nodeBuiltin("node:crypto") as typeof import("node:crypto")
  return `${name.slice(0, kept).replace(/%.?$/, "")}=${createHash("sha256").update(id).digest("hex")}${ending}`
}

/** The id that a file's name stands for; `"long"` when it has to be looked up inside, `undefined` when it is no session's. */
export function idOf(fileName: string): { readonly id: string } | "long" | undefined {
  if (!fileName.endsWith(ending)) return undefined
  const name = fileName.slice(0, -ending.length)
  if (/=[0-9a-f]{64}$/.test(name)) return "long"
  try {
    const id = decodeURIComponent(name)
    // a file of somebody else's
    return id !== "" && encode(id) === name ? { id } : undefined
  } catch {
    return undefined
  }
}
