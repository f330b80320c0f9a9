import type { JsonObject } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { Toolkit } from "../toolkit/toolkit.ts"
import { remoteTool } from "./remote-tool.ts"
import { toolResponse } from "./response.ts"

// a schema that an author of tools would be told off for
const parameters = { type: "object", propertis: {}, properties: { n: { type: "integer" } }, required: ["n"] } as const
const answered: JsonObject[] = []
const double = remoteTool({
  name: "double",
  description: "Doubles",
  parameters,
  effects: "none",
  fingerprint: "f",
  execute: async (input) => {
    answered.push(input)
    return toolResponse(`${Number(input["n"]) * 2}`, { structured: { n: Number(input["n"]) * 2 } })
  },
})

describe("a remote tool", () => {
  test("tells the schema as it is, and its hints", () => {
    expect(double.schema.parameters).toBe(parameters)
    expect(double).toMatchObject({ external: false, effects: "none", fingerprint: "f" })
  })

  test("runs with a valid input, and gives the whole response", async () => {
    expect(await double.run({ n: 4 })).toMatchObject({ type: "tool_response", structured: { n: 8 } })
    await expect(double.run({ n: "four" })).rejects.toMatchObject({ code: "invalid_input" })
    expect(answered).toEqual([{ n: 4 }])
  })

  test("is validated by the toolkit too", async () => {
    const toolkit = new Toolkit({ tools: [double] })
    const call = { type: "tool_use", id: "1", name: "double" } as const
    expect(await toolkit.execute({ ...call, input: { n: 2 } }).result).toMatchObject({
      state: "success",
      structured: { n: 4 },
    })
    expect(await toolkit.execute({ ...call, input: {} }).result).toMatchObject({
      state: "error",
      metadata: { error: { code: "invalid_input" } },
    })
  })

  test("keeps a name that not every provider takes", () => {
    const odd = remoteTool({ ...double, name: "dotted.name/with-slash", parameters, execute: async () => "" })
    const toolkit = new Toolkit({ tools: [odd] })
    expect(toolkit.schemas().map(({ name }) => name)).toEqual(["dotted.name/with-slash"])
  })

  test("of somebody who is not trusted does not pass for read-only", async () => {
    const [theirs, ours] = [{ ...double, name: "theirs", untrusted: true }, double]
    const toolkit = new Toolkit({ tools: [theirs, ours] })
    const stateOf = async (name: string): Promise<string> => {
      const call = { type: "tool_use", id: "1", name, input: { n: 2 } } as const
      return (await toolkit.execute(call, { approval: { mode: "read_only" } }).result).state
    }
    expect([await stateOf("theirs"), await stateOf("double")]).toEqual(["denied", "success"])
  })
})
