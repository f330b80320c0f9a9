import { afterEach, describe, expect, it, vi } from "vitest"
import { ollamaHost } from "./ollama-host.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("the address of an Ollama", () => {
  it.each([
    ["", "http://127.0.0.1:11434"],
    ["  ", "http://127.0.0.1:11434"],
    ["example.com", "http://example.com:11434"],
    ["example.com:1234", "http://example.com:1234"],
    ["example.com:80", "http://example.com"],
    ["example.com/path", "http://example.com:11434/path"],
    ["example.com:1234/path/", "http://example.com:1234/path"],
    [":1234", "http://127.0.0.1:1234"],
    ["1.2.3.4", "http://1.2.3.4:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:8080", "http://127.0.0.1:8080"],
    ["http://0.0.0.0:8080", "http://127.0.0.1:8080"],
    ["[::1]", "http://[::1]:11434"],
    ["[::1]:1234", "http://[::1]:1234"],
    ["::1", "http://[::1]:11434"],
    ["[::]:1234", "http://[::1]:1234"],
    ["http://example.com", "http://example.com"],
    ["http://example.com:1234/", "http://example.com:1234"],
    ["https://example.com", "https://example.com"],
    ["https://example.com/ollama", "https://example.com/ollama"],
    ["https://user:pass@example.com", "https://user:pass@example.com"],
    ['"localhost:1234"', "http://localhost:1234"],
    ["'localhost'", "http://localhost:11434"],
    ["ollama.com", "https://ollama.com"],
  ])("%j is %s", (given, expected) => {
    expect(ollamaHost(given)).toBe(expected)
  })

  it("comes from the environment", () => {
    vi.stubEnv("OLLAMA_HOST", "box:7")
    expect(ollamaHost()).toBe("http://box:7")
    expect(ollamaHost("other")).toBe("http://other:11434")
  })

  it.each(["ftp://h", "http://", "a b", "h:port", "h:99999"])("is none where it is %j", (given) => {
    expect(() => ollamaHost(given)).toThrow("OLLAMA_HOST")
  })
})
