import { describe, expect, it } from "vitest"
import { modelError } from "../errors/model-error.ts"
import { Refusals } from "./refusals.ts"

const optional = { top_k: { named: /\btop_k\b/, param: "topK" }, seed: { named: /\bseed\b/ } }
const schema = { type: "object", properties: { city: { type: "string" } } } as const

/** A call whose attempts are refused in these words, one after the other. */
async function callOf(refusals: Refusals, words: readonly string[], request: object = {}) {
  const warned: string[] = []
  const keys: string[] = []
  const sink = { warn: (code: string) => void warned.push(code) }
  const left = [...words]
  await refusals.retry({ request: { ...request }, sink, label: "acme/m" }, async (key) => {
    keys.push(key)
    const message = left.shift()
    if (message !== undefined) throw modelError({ code: "invalid_request", message })
  })
  return { warned, keys }
}

describe("what an endpoint refuses", () => {
  it("is left out from then on, and whoever asks for it is told", async () => {
    const refusals = new Refusals(undefined, optional)
    const params = { topK: 3 }
    const { warned, keys } = await callOf(refusals, ["top_k is not supported", "unknown field: seed"], { params })
    expect(warned).toEqual(["unsupported_param", "unsupported_param"])
    expect(new Set(keys).size).toBe(3)
    expect(refusals.without({ top_k: 3, seed: 1, user: "u" })).toEqual({ user: "u" })
    expect((await callOf(refusals, [], { params })).warned).toEqual(["unsupported_param"])
    expect((await callOf(refusals, [])).warned).toEqual([])
    await expect(callOf(refusals, ["top_k is not supported"])).rejects.toThrow("top_k")
  })

  it("of the ways to ask for JSON is asked for in the next way, where there is a schema", async () => {
    const refusals = new Refusals(undefined, optional)
    const words = ["response_format is not supported", "json_object is unknown", "tool_choice is not supported"]
    await expect(callOf(refusals, words)).rejects.toThrow("response_format")
    const { warned } = await callOf(refusals, words, { schema })
    expect(warned).toEqual(["schema_fallback", "schema_fallback", "forced_tool_choice"])
    expect(refusals.mode).toBe("tool_in_words")
  })
})

describe("what an endpoint refuses of a field", () => {
  const fields = {
    old: { named: /\bold\b/, instead: "new" },
    new: { named: /\bnew\b/, instead: "old" },
    effort: { named: /\beffort\b/, param: "reasoning", byValue: true },
  }

  it("may be its name: then it goes by the other, without a warning", async () => {
    for (const [words, left] of [
      ["old is not supported: use new", { new: 1 }],
      ["new is not supported: use old", { old: 1 }],
    ] as const) {
      const refusals = new Refusals(undefined, fields)
      expect((await callOf(refusals, [words])).warned).toEqual([])
      expect(refusals.without({ [words.slice(0, 3)]: 1, no: undefined })).toEqual(left)
    }
  })

  it("may be one value, of which only those are told who ask for it", async () => {
    const refusals = new Refusals(undefined, fields)
    const params = { reasoning: "off" }
    const words = ["'effort' does not support 'none' with this model. Supported values are: 'low'"]
    expect((await callOf(refusals, words, { params })).warned).toEqual(["unsupported_param"])
    const warned: string[] = []
    const warn = (code: string) => void warned.push(code)
    expect(refusals.without({ effort: "low" }, warn)).toEqual({ effort: "low" })
    expect(warned).toEqual([])
    expect(refusals.without({ effort: "none", a: 1 }, warn)).toEqual({ a: 1 })
    expect(warned).toEqual(["unsupported_param"])
    expect((await callOf(refusals, [], { params })).warned).toEqual([])
    await callOf(refusals, ["effort is not supported"])
    expect(refusals.without({ effort: "low" })).toEqual({})
  })

  it("may be to be made to call a tool, where it was asked to", async () => {
    const words = ["tool_choice is not supported in thinking mode"]
    const refusals = new Refusals(undefined, fields)
    await expect(callOf(refusals, words, { toolChoice: "auto" })).rejects.toThrow("tool_choice")
    expect(refusals.unforced).toBeUndefined()
    const { keys } = await callOf(refusals, words, { toolChoice: "required" })
    expect(new Set(keys).size).toBe(2)
    expect(refusals.unforced).toContain("thinking mode")
    await expect(callOf(refusals, words, { toolChoice: { name: "a" } })).rejects.toThrow("tool_choice")
  })
})
