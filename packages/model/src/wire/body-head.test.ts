import { expect, it } from "vitest"
import { bodyHead } from "./body-head.ts"
import { filledFields } from "./filled-fields.ts"

it("has the fields, what is JSON already, and the opening of the messages", () => {
  expect(bodyHead({ a: 1, b: undefined }, { tools: "[{}]", system: "" }, "contents")).toBe(
    '{"a":1,"tools":[{}],"contents":[',
  )
  expect(bodyHead({}, {}, "messages")).toBe('{"messages":[')
})

it("tells an object with nothing in it from one with something", () => {
  expect(filledFields({ a: undefined, b: 0 })).toEqual({ b: 0 })
  expect(filledFields({ a: undefined })).toBeUndefined()
})
