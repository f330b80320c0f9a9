import { existsSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { Cassette } from "../cassette.ts"
import { loadCassettes } from "../load-cassettes.ts"
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
  const found = loadCassettes(cassettes).filter(
    (cassette) => (apis?.includes(cassette.api) ?? true) && (filter?.(cassette) ?? true),
  )
  if (found.length > 0) return found
  const where = [cassettes].flat().map((source) => (typeof source === "string" ? source : (source.file ?? source.api)))
  const which = apis ? ` of ${apis.join(", ")}` : ""
  throw testingError(
    "invalid_cassette",
    `No cassette${which} in ${where.join(", ")}: check the path, \`api\` and \`filter\`.`,
  )
}

/** What a test calls a cassette: folder and file, or its provider and wire format. */
export function nameOf({ file, provider, api }: Cassette): string {
  return file === undefined ? `${provider} ${api}` : `${basename(dirname(file))}/${basename(file, ".json")}`
}

/** Whether the recorded request asked for a stream. */
export const isStream = ({ categories }: Cassette): boolean => categories?.includes("stream") ?? false
