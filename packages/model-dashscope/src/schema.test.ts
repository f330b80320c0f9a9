import { expect, it } from "vitest"
import { dashscopeSchema } from "./index.ts"

it("a schema without a type is an object's", () => {
  expect(dashscopeSchema({})).toEqual({ type: "object" })
  const schema = { type: "object", properties: { a: { type: "string" } } } as const
  expect(dashscopeSchema(schema)).toBe(schema)
})
