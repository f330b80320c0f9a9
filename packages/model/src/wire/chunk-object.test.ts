import { describe, expect, it } from "vitest"
import { chunkObject } from "./chunk-object.ts"

const read = (text: string): unknown => {
  try {
    return chunkObject(text, "A chunk", "acme/m")
  } catch (error) {
    return error
  }
}

describe("a part of an answer", () => {
  it("is an object, whatever is in it", () => {
    const fine = { choices: [], base_resp: { status_code: 0, status_msg: "success" } }
    for (const value of [{}, { error: null }, { base_resp: null }, fine])
      expect(read(JSON.stringify(value))).toEqual(value)
  })

  it.each([
    [{ choices: null, base_resp: { status_code: 1008, status_msg: "no money" } }, "quota_exceeded", false],
    [{ base_resp: { status_code: 1027, status_msg: "held back" } }, "content_filtered", false],
    [{ base_resp: { status_code: 1000 } }, "server_error", true],
  ])("fails where its own status is a failure: %j", (value, code, retryable) => {
    expect(read(JSON.stringify(value))).toMatchObject({ code, retryable })
  })

  it("fails where it is none", () => {
    expect(read("{")).toMatchObject({ code: "malformed_response" })
    expect(read('"busy"')).toMatchObject({ code: "server_error", message: expect.stringContaining("busy") as string })
    expect(read("[]")).toMatchObject({ code: "server_error" })
  })
})
