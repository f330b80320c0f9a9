import { modelError } from "../errors/model-error.ts"
import { normalMediaType } from "./sniff.ts"

/**
 * Saves media to a file in the system's folder for temporary files and gives its path. The name comes from the bytes, so
 * that the same media is one file however often it is saved.
 */
export async function saveMediaFile(source: { mediaType: string; data: string }): Promise<string> {
  const node = globalThis.process?.getBuiltinModule?.bind(process)
  if (!node) {
    const message =
      "Media in a tool result cannot be saved, as this runtime has no files: give the formatter saveMedia."
    throw modelError({ code: "unsupported", message })
  }
  const fs = node("node:fs/promises")
  const path = node("node:path")
  const bytes = Buffer.from(source.data, "base64")
  const name = node("node:crypto").createHash("sha256").update(bytes).digest("hex").slice(0, 32)
  const dir = path.join(node("node:os").tmpdir(), `agentscope-media-${process.getuid?.() ?? "user"}`)
  await fs.mkdir(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, `${name}.${suffixOf(source.mediaType)}`)
  const size = await fs.stat(file).then(
    (found) => found.size,
    () => -1,
  )
  if (size !== bytes.length) await fs.writeFile(file, bytes, { mode: 0o600 })
  return file
}

/** `image/svg+xml` → `svg`. */
function suffixOf(mediaType: string): string {
  const subtype = normalMediaType(mediaType).split("/")[1] ?? "bin"
  return subtype.replace(/^x-|\+.*$/g, "").replace(/[^a-z0-9.-]/g, "") || "bin"
}
