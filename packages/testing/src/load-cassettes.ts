import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Cassette, loadCassette } from "./cassette.ts"
import { testingError } from "./testing-error.ts"

/**
 * Cassettes of files, of folders with all below them, of an `index.json` that lists files, or as they are; those of a folder
 * in the order of their paths.
 * @throws AgentScopeError `invalid_cassette` when a path cannot be read, or a file is no cassette.
 */
export function loadCassettes(sources: string | Cassette | readonly (string | Cassette)[]): Cassette[] {
  return [sources]
    .flat()
    .flatMap((source): readonly (string | Cassette)[] => (typeof source === "string" ? filesOf(source) : [source]))
    .map((source) => loadCassette(source))
}

function filesOf(source: string): string[] {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory()) {
    return readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json") && basename(name) !== "index.json")
      .toSorted()
      .map((name) => join(source, name))
  }
  return basename(source) === "index.json" ? listedIn(source) : [source]
}

/** The files that an index names: `{ cassettes: [{ file }] }`, relative to it. */
function listedIn(index: string): string[] {
  let cassettes: readonly { readonly file?: unknown }[] | undefined
  try {
    const parsed = JSON.parse(readFileSync(index, "utf8")) as { readonly cassettes?: typeof cassettes } | null
    cassettes = parsed?.cassettes
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw testingError("invalid_cassette", `The index ${index} cannot be read: ${why}`, { cause })
  }
  if (!Array.isArray(cassettes)) {
    throw testingError("invalid_cassette", `The file ${index} is no index: it needs \`cassettes\`, a list of { file }.`)
  }
  return cassettes.map(({ file }: { readonly file?: unknown }) => join(dirname(index), String(file)))
}
