import { AgentScopeError } from "@agentscope-ts/message"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { Cassette } from "../cassette.ts"
import { tinyCassettes } from "../fixtures/tiny-cassettes.ts"
import { type Fault, TinyModel } from "../fixtures/tiny-model.ts"
import { modelConformanceChecks, runModelConformance } from "./run-model-conformance.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

const suiteOf = (fault?: Fault): ModelConformanceSuite => ({
  name: "TinyModel",
  create: ({ url, fetch, live }) =>
    new TinyModel({ url, fetch: live ? undefined : fetch, apiKey: "k", ...(fault && { fault }) }),
  cassettes: tinyCassettes,
  damages: 200,
  missingKey: { variable: "TINY_API_KEY", create: () => new TinyModel({ url: "http://127.0.0.1:9" }) },
})

// without globals, at the top of the file, as a provider's test has it
runModelConformance(suiteOf())

/** What a check says of a model; undefined where it finds nothing. */
async function verdict(check: string, fault?: Fault): Promise<unknown> {
  const found = modelConformanceChecks(suiteOf(fault)).find(({ name }) => name === check)
  if (found === undefined) throw new AgentScopeError({ code: "no_check", message: `There is no check "${check}".` })
  return await found.run().catch((error: unknown) => error)
}

const caughtBy: Readonly<Record<Fault, string>> = {
  "always streams": "`generate` makes a request that does not stream, `stream` one that does",
  "counts absent usage as 0": "usage that the provider does not send stays absent",
  "takes a silent end for the end": "a body that ends in the middle is a retryable error that keeps what had come",
  "passes on what JSON.parse throws": "with an event whose JSON breaks off",
  "leaves out events that are no JSON": "with an event whose JSON breaks off",
  "goes on after an abort": "an abort in the middle rejects promptly and closes the connection",
  "keeps a listener": "no listener stays on a signal that many calls share",
  "forgets an error in the stream": "tiny/stream-error-mid-stream",
  "sends foreign data": "is sent without the other's opaque data",
  "leaves images out": "is sent with its images",
  "loses calls": "tiny/stream-tool-parallel",
  "mixes up stop reasons": "tiny/non-stream-max-tokens",
  "forgets signatures": "tiny/stream-tool-parallel",
  "gives up what had come": "a connection that breaks in the middle is a retryable error that keeps what had come",
}

describe("the conformance kit", () => {
  it.each(Object.entries(caughtBy) as [Fault, string][])("finds a model that %s", async (fault, check) => {
    expect(await verdict(check)).toBeUndefined()
    expect(await verdict(check, fault)).toMatchObject({ code: "not_conformant" })
  })
})

describe("a cassette that is not what it is taken for", () => {
  it("is checked like any other, and never ends in an error of JSON.parse", async () => {
    const [whole] = tinyCassettes.filter(
      ({ categories, response }) => !categories.includes("stream") && response.status === 200,
    )
    const bodies = ['{"t":"Hi"}\n{"end":"stop"}\n', "data: {}\n\n", "{", "", "<html>", '{"usage":{"in":1}}\n{"usage":']
    for (const body of bodies) {
      const cassettes = [{ ...(whole as Cassette), response: { status: 200, body } }]
      const checks = modelConformanceChecks({ ...suiteOf(), cassettes, damages: 5 })
      for (const check of checks) {
        const error: unknown = await check.run().catch((caught: unknown) => caught)
        expect(error === undefined || AgentScopeError.is(error), `${check.name}: ${String(error)}`).toBe(true)
      }
    }
  })
})

describe("the cassettes of a suite", () => {
  const folder = mkdtempSync(join(tmpdir(), "cassettes-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  for (const [i, cassette] of tinyCassettes.entries())
    writeFileSync(join(folder, `${i}.json`), JSON.stringify(cassette))
  writeFileSync(join(folder, "index.json"), JSON.stringify({ cassettes: [{ file: "1.json" }, { file: "3.json" }] }))
  const recorded = (suite: Partial<ModelConformanceSuite>) =>
    modelConformanceChecks({ ...suiteOf(), ...suite }).flatMap(({ name, cassette }) => (cassette ? [name] : [])).length

  it("come from a folder, an index, a file, or are given", () => {
    expect(recorded({ cassettes: folder })).toBe(tinyCassettes.length)
    expect(recorded({ cassettes: join(folder, "index.json") })).toBe(2)
    expect(recorded({ cassettes: [join(folder, "0.json"), ...tinyCassettes.slice(2, 4)] })).toBe(3)
    expect(recorded({ cassettes: folder, filter: ({ response }) => response.status === 401 })).toBe(1)
    expect(recorded({ cassettes: folder, api: ["tiny-chat", "other"] })).toBe(tinyCassettes.length)
  })

  it("must be there", () => {
    const registered: string[] = []
    const runner = {
      describe: (name: string, body: () => void) => {
        registered.push(name)
        body()
      },
      it: (name: string) => void registered.push(name),
    }
    const absent = { ...suiteOf(), runner, cassettes: join(folder, "nowhere") }
    expect(() => runModelConformance(absent)).toThrow(/nowhere/)
    expect(() => runModelConformance({ ...suiteOf(), runner, api: "other" })).toThrow(/No cassette of other/)
    expect(registered).toEqual([])
    runModelConformance({ ...absent, whenAbsent: "skip" })
    expect(registered).toEqual(["TinyModel", expect.stringMatching(/^skipped: .*nowhere is not there$/)])
  })
})
