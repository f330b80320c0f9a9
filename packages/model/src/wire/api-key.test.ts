import { replaceAmbient } from "@agentscope-ts/message"
import { afterEach, describe, expect, it, vi } from "vitest"
import { apiKeyFrom, environment } from "./api-key.ts"

afterEach(() => vi.unstubAllEnvs())

describe("apiKeyFrom", () => {
  it("takes the option, else the variable, without blanks around it", () => {
    vi.stubEnv("SOME_API_KEY", " from-env\n")
    expect(apiKeyFrom(" given ", "SOME_API_KEY")).toBe("given")
    expect(apiKeyFrom(undefined, "SOME_API_KEY")).toBe("from-env")
    expect(apiKeyFrom("  ", "SOME_API_KEY")).toBe("from-env")
  })

  it("names the variable when there is no key", () => {
    vi.stubEnv("SOME_API_KEY", "")
    expect(() => apiKeyFrom(undefined, "SOME_API_KEY")).toThrow(
      expect.objectContaining({
        code: "missing_api_key",
        message: expect.stringContaining("SOME_API_KEY") as string,
      }) as Error,
    )
  })

  it("needs no key under a tape", () => {
    const restore = replaceAmbient({ transport: (fetch) => fetch })
    try {
      expect(apiKeyFrom(undefined, "SOME_API_KEY")).toBe("tape")
    } finally {
      restore()
    }
  })

  it("does without an environment where there is none", () => {
    vi.stubGlobal("process", undefined)
    try {
      expect(environment("HOME")).toBeUndefined()
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

it("takes a pair of quotation marks off that came along from a file", () => {
  expect(apiKeyFrom(' "sk-1" ', "TEST_API_KEY")).toBe("sk-1")
  vi.stubEnv("TEST_API_KEY", "'sk-2'")
  expect(apiKeyFrom(undefined, "TEST_API_KEY")).toBe("sk-2")
  vi.stubEnv("TEST_API_KEY", '""')
  expect(environment("TEST_API_KEY")).toBeUndefined()
  vi.stubEnv("TEST_API_KEY", `{"a":"b"}`)
  expect(environment("TEST_API_KEY")).toBe(`{"a":"b"}`)
  vi.unstubAllEnvs()
})
