import { describe, expect, it } from "vitest"
import { extraFields } from "./extra-fields.ts"
import { renamedFields, snakeNames, takenFields } from "./renamed-fields.ts"

describe("the fields of a body", () => {
  it("are params under other names, without empty lists", () => {
    const names = { topP: "top_p", stop: "stop", seed: "seed" }
    expect(renamedFields({ topP: 0.5, stop: [], other: 1 }, names)).toEqual({ top_p: 0.5 })
    expect(renamedFields({ stop: ["a"], seed: 0 }, names)).toEqual({ stop: ["a"], seed: 0 })
  })

  it("have names that follow from those of the params", () => {
    expect(snakeNames("seed topP serviceTier")).toEqual({ seed: "seed", topP: "top_p", serviceTier: "service_tier" })
  })

  it("leave out what there is a reason against, and say why", () => {
    const warnings: string[] = []
    const warn = (code: string, message: string): void => void warnings.push(`${code}: ${message}`)
    const names = { topP: "top_p", topK: "top_k", seed: "seed" }
    const against = { topP: "it knows none", topK: "it knows none", seed: undefined }
    expect(takenFields({ topP: 1, seed: 2 }, names, against, warn)).toEqual({ seed: 2 })
    expect(warnings).toEqual(["unsupported_param: topP was left out: it knows none."])
  })

  it("may be given as they are, but for those that are the request's own", () => {
    expect(extraFields({}, ["messages"])).toEqual({})
    expect(extraFields({ extraBody: { a: 1 } }, ["messages"])).toEqual({ a: 1 })
    expect(() => extraFields({ extraBody: { messages: [] } }, ["messages"])).toThrow("extraBody cannot hold messages")
  })
})
