import { userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { FakeModel, saying } from "../fixtures/fake-model.ts"

const object = z.object({ city: z.string() })
/** As ArkType's are. */
const callable = Object.assign((value: unknown) => object.parse(value), { "~standard": object["~standard"] })
const messages = [userMsg("Where?")]

describe("the schema of a request", () => {
  it.each<[string, unknown, string]>([
    ["a bare zod shape", { city: z.string() }, "is a bare shape of schemas, no schema: wrap it in z.object({ … })"],
    ["properties alone", { city: { type: "string" } }, 'wrap them in { type: "object", properties: { … } }'],
    ["a type that does not exist", { type: "objct" }, 'Did you mean "object"?'],
    [
      "one further down",
      { type: "object", properties: { a: { type: "sting" } } },
      '"a" in the schema of a request to fake/fake-1',
    ],
    ["a misspelt keyword", { type: "object", propertys: {} }, 'Did you mean "properties"?'],
    ["a function", () => z.object({}), "is a function, no schema"],
    ["a class", String, "is a function, no schema"],
    ["a text", "city", "is no schema"],
    ["null", null, "is no schema"],
  ])("that is %s is refused before anything is sent", async (_, schema, message) => {
    const model = new FakeModel(saying("{}"))
    const about = { code: "invalid_schema", message: expect.stringContaining(message) as string }
    await expect(model.generate({ messages, schema: schema as never })).rejects.toMatchObject(about)
    await expect(model.stream({ messages, schema: schema as never }).response).rejects.toMatchObject(about)
    expect(model.requests).toEqual([])
  })

  it.each([[object], [callable], [{ type: "object" }], [{}]])("may be any that is one", async (schema) => {
    const model = new FakeModel(saying('{"city":"Bonn"}'))
    expect((await model.generate({ messages, schema })).structured).toEqual({ city: "Bonn" })
  })
})
