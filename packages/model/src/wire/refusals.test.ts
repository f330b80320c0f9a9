import { describe, expect, it } from "vitest"
import { modelError } from "../errors/model-error.ts"
import { Refusals } from "./refusals.ts"
import { schemaRequest } from "./schema-request.ts"

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
    const refusals = new Refusals(optional)
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
    const refusals = new Refusals(optional)
    const words = ["response_format is not supported", "json_object is unknown", "tool_choice is not supported"]
    await expect(callOf(refusals, words)).rejects.toThrow("response_format")
    const { warned } = await callOf(refusals, words, { schema })
    expect(warned).toEqual(["schema_fallback", "schema_fallback", "forced_tool_choice"])
    expect(refusals.mode).toBe("tool_in_words")
  })
})

describe("a request for JSON of a shape", () => {
  const tools = [{ name: "look", parameters: { type: "object" } }] as const

  it("is what it says without a schema", () => {
    expect(schemaRequest({ tools, toolChoice: "auto" }, "tool")).toEqual({ tools, toolChoice: "auto" })
  })

  it("says the schema, or describes it, or has a tool that takes the answer", () => {
    const titled = { ...schema, title: "My city" }
    expect(schemaRequest({ schema: titled }, "json_schema").format).toMatchObject({ name: "My_city" })
    expect(schemaRequest({ schema }, "json_object")).toMatchObject({ format: { type: "json_object" }, tools: [] })
    expect(schemaRequest({ schema }, "json_object").instruction).toContain(JSON.stringify(schema))
    const { answerTool, toolChoice } = schemaRequest({ schema }, "tool")
    expect(toolChoice).toEqual({ name: answerTool })
    expect(schemaRequest({ schema, tools }, "tool")).toMatchObject({ toolChoice: "required", answerTool })
    expect(schemaRequest({ schema, tools }, "tool_in_words").tools).toHaveLength(2)
  })
})
