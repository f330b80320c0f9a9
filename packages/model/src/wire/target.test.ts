import { describe, expect, it } from "vitest"
import { withoutSecrets } from "./secrets.ts"
import { joinUrl, targetOf } from "./target.ts"

const invalid = expect.objectContaining({ code: "invalid_request" }) as Error

describe("targetOf", () => {
  it("takes a URL apart once", () => {
    expect(targetOf("https://api.example.com:8443/v1/chat?key=s#x")).toMatchObject({
      secure: true,
      hostname: "api.example.com",
      port: "8443",
      path: "/v1/chat?key=s",
      label: "https://api.example.com:8443/v1/chat",
    })
    expect(targetOf("http://[::1]:80/a")).toMatchObject({ hostname: "::1", port: "", secure: false })
  })

  it("puts headers into a flat list in lower case, the last of a name winning", () => {
    const { headers } = targetOf("http://h/", { Authorization: "Bearer a", "X-A": undefined, "Content-Type": "text/x" })
    expect(headers).toEqual(["host", "h", "content-type", "text/x", "authorization", "Bearer a"])
  })

  it.each(["", "localhost:11434/v1", "ftp://h/", "api.openai.com/v1", "http://"])(
    "says what is wrong with the URL %j",
    (url) => {
      expect(() => targetOf(url)).toThrow(invalid)
      expect(() => joinUrl(url, "x")).toThrow("give a baseURL that starts with https:// or http://")
    },
  )

  it("finds a key that no header can hold without showing it", () => {
    for (const key of ["sk-secret\nsecond", "sk-secret“"]) {
      expect(() => targetOf("http://h/", { authorization: `Bearer ${key}` })).toThrow(
        /^The header "authorization"(?!.*sk-secret)/,
      )
    }
    expect(() => targetOf("http://h/", { "bad name": "x" })).toThrow(invalid)
  })
})

describe("joinUrl", () => {
  it("puts the path behind the base's own, before its query", () => {
    expect(joinUrl("https://h/v1", "chat/completions")).toBe("https://h/v1/chat/completions")
    expect(joinUrl("https://h/v1//", "/chat")).toBe("https://h/v1/chat")
    expect(joinUrl("https://h", "chat")).toBe("https://h/chat")
    expect(joinUrl("https://h/models?api-version=1", "chat")).toBe("https://h/models/chat?api-version=1")
  })
})

describe("withoutSecrets", () => {
  it("takes the request's own credentials out of a text", () => {
    const target = targetOf("http://h/", {
      authorization: "Bearer sk-1234567",
      "x-api-key": "abcdefgh",
      "x-other": "visible-value",
    })
    expect(withoutSecrets("Bearer sk-1234567, abcdefgh and visible-value", target)).toBe(
      "Bearer [redacted], [redacted] and visible-value",
    )
  })
})
