import { AgentScopeError } from "@agentscope-ts/message"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { Cassette } from "../cassette.ts"
import { credulous } from "../fixtures/request-faults.ts"
import { tinyCassettes } from "../fixtures/tiny-cassettes.ts"
import { type Fault, TinyModel } from "../fixtures/tiny-model.ts"
import { modelConformanceChecks, runModelConformance } from "./run-model-conformance.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

const suiteOf = (fault?: Fault): ModelConformanceSuite => ({
  name: "TinyModel",
  create: ({ url, fetch, live }) => {
    const model = new TinyModel({ url, fetch: live ? undefined : fetch, apiKey: "k", ...(fault && { fault }) })
    return fault === "takes any answer for its schema" ? credulous(model) : model
  },
  cassettes: tinyCassettes,
  damages: 200,
  missingKey: { variable: "TINY_API_KEY", create: () => new TinyModel({ url: "http://127.0.0.1:9" }) },
})

// without globals, at the top of the file, as a provider's test has it
runModelConformance(suiteOf())

/** The model, which now warns with each call. */
function warning(model: TinyModel, message: string): TinyModel {
  const send = model["send"].bind(model)
  return Object.assign(model, {
    send: (...[request, sink]: Parameters<typeof send>) => {
      sink.warn("unsupported_param", message)
      return send(request, sink)
    },
  })
}

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
  "takes any answer for its schema": "never has an answer as `structured` that does not fit its `schema`",
  "leaves out what tools are for": "has its tools, with descriptions and all their properties",
  "leaves out all tools but one": "has its tools, with descriptions and all their properties",
  "leaves out what is nested in parameters": "has its tools, with descriptions and all their properties",
  "leaves out toolChoice": "changes with `toolChoice`, or a warning names it",
  "forgets which tool was chosen": "changes with `toolChoice`, or a warning names it",
  "leaves out temperature": "has its `temperature`, or a warning names it",
  "leaves out topP": "has its `topP`, or a warning names it",
  "leaves out maxTokens": "has its `maxTokens`, or a warning names it",
  "leaves out stop": "has its `stop`, or a warning names it",
  "leaves out seed": "has its `seed`, or a warning names it",
  "leaves out reasoning": "has its `reasoning`, or a warning names it",
  "leaves out a budget for reasoning": "has its `reasoning`, or a warning names it",
  "leaves out topP beside reasoning": "has all settings together, or warnings name those that are not sent",
  "leaves out schemas": "is held to its `schema`",
  "leaves out schemas beside tools": "is held to its `schema`",
  "leaves out system messages": "has the texts of its system message and its user",
  "leaves out texts of users": "has the texts of its system message and its user",
  "leaves out pictures of the web": "has a picture's address, or fetches it",
  "leaves out pictures in results": "shows a picture of a tool's result, or says where it is",
  "leaves out texts of results": "has the name and the arguments of a call, and the text of its result",
  "leaves out arguments of calls": "has the name and the arguments of a call, and the text of its result",
  "leaves out names of calls": "has the name and the arguments of a call, and the text of its result",
}

describe("the conformance kit", () => {
  it.each(Object.entries(caughtBy) as [Fault, string][])("finds a model that %s", async (fault, check) => {
    expect(await verdict(check)).toBeUndefined()
    expect(await verdict(check, fault)).toMatchObject({ code: "not_conformant" })
  })

  it("lets a model leave out what it warns of, and not what it is silent about", async () => {
    const warned = { ...suiteOf("leaves out seed") }
    const checks = (told: string) =>
      modelConformanceChecks({ ...warned, create: (target) => warning(warned.create(target) as TinyModel, told) })
    const seed = (told: string) =>
      checks(told)
        .find(({ name }) => name.startsWith("has its `seed`"))
        ?.run()
    await seed("tiny has no seed: it was left out.")
    await expect(seed("tiny has no voice: it was left out.")).rejects.toThrow(/^`generate`: seed is neither sent nor/)
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
