import { isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { JsonObject } from "@agentscope-ts/message"

/** A folder as the protocol names it: `file:` URLs stay, paths become one. */
export function rootOf(root: string): JsonObject {
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(root)
  const uri = isUrl ? root : pathToFileURL(isAbsolute(root) ? root : resolve(root)).href
  const path = uri.startsWith("file:") ? safePath(uri) : uri
  const name = path
    .split(/[\\/]/)
    .filter((part) => part !== "")
    .at(-1)
  return { uri, ...(name !== undefined && { name }) }
}

function safePath(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch {
    // a URL of another system
    return uri
  }
}
