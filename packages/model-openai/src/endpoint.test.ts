import { afterEach, describe, expect, it, vi } from "vitest"
import { endpointOf } from "./endpoint.ts"

const headersOf = (flat: readonly string[]) =>
  Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])))
const azure = (options: object, path = "chat/completions") =>
  endpointOf({ model: "my model", apiKey: "k", ...options }, "azure", path)

describe("Azure", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ["https://r.openai.azure.com", undefined, "https://r.openai.azure.com/openai/v1/chat/completions"],
    ["https://r.openai.azure.com/", undefined, "https://r.openai.azure.com/openai/v1/chat/completions"],
    [
      "https://r.openai.azure.com",
      "2024-10-21",
      "https://r.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21",
    ],
    [
      "https://r.openai.azure.com/openai",
      "2024-10-21",
      "https://r.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21",
    ],
    ["https://r.openai.azure.com/openai/v1", undefined, "https://r.openai.azure.com/openai/v1/chat/completions"],
    [
      "https://r.services.ai.azure.com/models",
      "2024-05-01-preview",
      "https://r.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
    ],
    [
      "https://r.openai.azure.com/openai/deployments/d?api-version=1",
      "2",
      "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
    ],
  ])("at %s, version %s, is asked at %s", (baseURL, apiVersion, url) => {
    expect(azure({ baseURL, apiVersion }).url).toBe(url)
  })

  it("takes its key in a header of its own, and all it needs from the variables of its SDK", () => {
    vi.stubEnv("AZURE_OPENAI_ENDPOINT", "https://env.openai.azure.com")
    vi.stubEnv("AZURE_OPENAI_API_KEY", "env-key")
    vi.stubEnv("OPENAI_API_VERSION", "2024-10-21")
    const { url, headers } = azure({ apiKey: undefined }, "embeddings")
    expect(url).toBe("https://env.openai.azure.com/openai/deployments/my%20model/embeddings?api-version=2024-10-21")
    expect(headersOf(headers)).toMatchObject({ "api-key": "env-key" })
    expect(headersOf(headers)).not.toHaveProperty("authorization")
    // a variable for another path of the resource says nothing about a base URL that has its own
    expect(azure({ baseURL: "https://r.openai.azure.com/openai/v1" }).url).not.toContain("api-version")
  })

  it("without a resource or a key is an error that names the variable", () => {
    vi.stubEnv("AZURE_OPENAI_ENDPOINT", undefined)
    vi.stubEnv("AZURE_OPENAI_API_KEY", undefined)
    expect(() => azure({})).toThrow(/AZURE_OPENAI_ENDPOINT/)
    expect(() => azure({ apiKey: undefined, baseURL: "https://r.openai.azure.com" })).toThrow(/AZURE_OPENAI_API_KEY/)
  })
})
