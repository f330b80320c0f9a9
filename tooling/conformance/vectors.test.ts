import { corpusFiles, hasCorpus, readCorpus } from "@agentscope-ts/fixtures"
import type { Formatter } from "@agentscope-ts/model"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { providers } from "./providers.ts"
import { camelOptions, comparableWire, historiesOf, type Vector } from "./vector-messages.ts"
import { unequalVectors, vectorReport } from "./vector-report.ts"

const page = resolve(import.meta.dirname, "../../apps/docs/formatters.md")
const files = corpusFiles("vectors/formatters").map((name) => name.replace(".json", ""))
const vectorsOf = (file: string): readonly Vector[] =>
  (readCorpus(`vectors/formatters/${file}.json`) as readonly Vector[]).map((vector) => ({ ...vector }))

const dir = mkdtempSync(join(tmpdir(), "vectors-"))
afterAll(() => rmSync(dir, { recursive: true }))

/** The vector with its files written, and their place filled in. */
function filled(vector: Vector): Vector {
  for (const [name, data] of Object.entries(vector.files ?? {}))
    writeFileSync(join(dir, name), Buffer.from(data, "base64"))
  return JSON.parse(JSON.stringify(vector).replaceAll("${DIR}", dir)) as Vector
}

function formatterFor(file: string, { formatter, options }: Vector): Formatter {
  const vectors = providers.find((provider) => provider.vectors?.file === file)?.vectors
  if (vectors === undefined) throw new TypeError(`no provider has the vectors of ${file}`)
  const saveMedia = ({ mediaType }: { mediaType: string }) =>
    Promise.resolve(mediaType.startsWith("audio") ? "${SAVED_AUDIO}" : "${SAVED_VIDEO}")
  return new vectors[formatter]({ ...camelOptions(options), saveMedia })
}

describe.skipIf(!hasCorpus)("the reference's formatter vectors", () => {
  const equal = new Map<string, { equal: number; all: number }>()

  describe.each(files)("%s", (file) => {
    const counts = { equal: 0, all: 0 }
    equal.set(file, counts)
    it.each(vectorsOf(file).map((vector) => [vector.name, vector] as const))("%s", async (name, raw) => {
      const vector = filled(raw)
      const gemini = file === "gemini"
      const expected = comparableWire(vector.expected, gemini)
      counts.all++
      const reason = unequalVectors[`${file} ${name}`]
      for (const history of historiesOf(vector)) {
        const wire = comparableWire(await formatterFor(file, vector).format(history), gemini)
        if (reason === undefined) expect(wire).toEqual(expected)
        else expect(isDeepStrictEqual(wire, expected), "listed as unequal, but it is equal").toBe(false)
      }
      if (reason === undefined) counts.equal++
    })
  })

  it("are equal but for a few with a reason, which the documentation tells", async () => {
    const known = new Set(files.flatMap((file) => vectorsOf(file).map(({ name }) => `${file} ${name}`)))
    for (const name of Object.keys(unequalVectors)) expect(known).toContain(name)
    expect(Object.keys(unequalVectors).length).toBeLessThanOrEqual(5)
    await expect(vectorReport(equal)).toMatchFileSnapshot(page)
  })
})
