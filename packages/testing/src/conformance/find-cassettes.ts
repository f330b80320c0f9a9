import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Cassette, loadCassette } from "../cassette.ts"
import { testingError } from "../testing-error.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

type Wanted = Pick<ModelConformanceSuite, "cassettes" | "api" | "filter">

/** The suite's paths that do not exist. */
export function absentPaths({ cassettes }: Wanted): string[] {
  return [cassettes].flat().filter((source): source is string => typeof source === "string" && !existsSync(source))
}

/**
 * The cassettes of a suite, in the order of their paths.
 * @throws AgentScopeError `invalid_cassette` when a path cannot be read, or none is left.
 */
export function findCassettes({ cassettes, api, filter }: Wanted): Cassette[] {
  const apis = api === undefined ? undefined : [api].flat()
  const found = [cassettes]
    .flat()
    .flatMap((source): readonly (string | Cassette)[] => (typeof source === "string" ? filesOf(source) : [source]))
    .map((source) => loadCassette(source))
    .filter((cassette) => (apis?.includes(cassette.api) ?? true) && (filter?.(cassette) ?? true))
  if (found.length > 0) return found
  const where = [cassettes].flat().map((source) => (typeof source === "string" ? source : (source.file ?? source.api)))
  const which = apis ? ` of ${apis.join(", ")}` : ""
  throw testingError(
    "invalid_cassette",
    `No cassette${which} in ${where.join(", ")}: check the path, \`api\` and \`filter\`.`,
  )
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
  const { cassettes } = JSON.parse(readFileSync(index, "utf8")) as { cassettes?: readonly { file?: unknown }[] }
  if (!Array.isArray(cassettes)) {
    throw testingError("invalid_cassette", `The file ${index} is no index: it needs \`cassettes\`, a list of { file }.`)
  }
  return cassettes.map(({ file }) => join(dirname(index), String(file)))
}

/** What a test calls a cassette: folder and file, or its provider and wire format. */
export function nameOf({ file, provider, api }: Cassette): string {
  return file === undefined ? `${provider} ${api}` : `${basename(dirname(file))}/${basename(file, ".json")}`
}

/** Whether the recorded request asked for a stream. */
export const isStream = ({ categories }: Cassette): boolean => categories?.includes("stream") ?? false
