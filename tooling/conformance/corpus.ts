import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

/** Where recorded traffic, vectors and schemas lie: `AGENTSCOPE_CORPUS`, or `shared` beside the repository. */
export const corpus = process.env["AGENTSCOPE_CORPUS"] ?? resolve(import.meta.dirname, "../../../shared")

/** Whether they are there; what needs them is skipped otherwise. */
export const hasCorpus = existsSync(resolve(corpus, "cassettes/index.json"))
if (!hasCorpus) console.info(`conformance: no corpus at ${corpus} (AGENTSCOPE_CORPUS): its tests are skipped`)

/** A JSON file of the corpus. */
export const readCorpus = (path: string): unknown => JSON.parse(readFileSync(resolve(corpus, path), "utf8"))

/** The JSON files of a folder of the corpus; none where it is absent. */
export const corpusFiles = (folder: string): string[] =>
  hasCorpus
    ? readdirSync(resolve(corpus, folder))
        .filter((name) => name.endsWith(".json"))
        .toSorted()
    : []
