import { describe, expect, it } from "vitest"
import { agentsKnowProxies, bypassesProxy, proxyUnsupported, proxyUrl } from "./proxy.ts"
import { targetOf } from "./target.ts"

describe("proxyUrl", () => {
  it("reads the variable of the scheme, lower case first", () => {
    expect(proxyUrl({ HTTPS_PROXY: "a", HTTP_PROXY: "b" }, true)).toBe("a")
    expect(proxyUrl({ HTTPS_PROXY: "a", HTTP_PROXY: "b" }, false)).toBe("b")
    expect(proxyUrl({ https_proxy: "c", HTTPS_PROXY: "a" }, true)).toBe("c")
    expect(proxyUrl({ https_proxy: "", HTTPS_PROXY: "a" }, true)).toBeUndefined()
    expect(proxyUrl({}, true)).toBeUndefined()
  })
})

describe("bypassesProxy", () => {
  it.each([
    ["*", true],
    ["api.example.com", true],
    [".example.com", true],
    ["*.example.com", true],
    ["other.com, api.example.com:8443", true],
    ["other.com api.example.com", true],
    ["API.EXAMPLE.COM", true],
    ["api.example.com:443", false],
    ["example.com", false],
    ["ample.com,.ple.com", false],
    ["", false],
  ])("NO_PROXY=%j takes https://api.example.com:8443 out: %s", (value, expected) => {
    expect(bypassesProxy({ NO_PROXY: value }, targetOf("https://api.example.com:8443/v1"))).toBe(expected)
  })

  it("knows the ports that URLs leave out", () => {
    expect(bypassesProxy({ no_proxy: "h:443" }, targetOf("https://h/"))).toBe(true)
    expect(bypassesProxy({ no_proxy: "h:80" }, targetOf("http://h/"))).toBe(true)
  })
})

it("knows which Nodes can use proxies, and says so on others", () => {
  const known = ["22.21.0", "22.22.3", "24.5.0", "24.21.0", "26.0.0"]
  expect(known.every(agentsKnowProxies)).toBe(true)
  expect(["22.18.0", "22.20.9", "23.11.0", "24.4.1"].some(agentsKnowProxies)).toBe(false)
  expect(proxyUnsupported(targetOf("https://h/"), "22.18.0")).toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("HTTPS_PROXY") as string,
  })
})
