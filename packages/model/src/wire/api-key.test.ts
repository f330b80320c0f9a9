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
