import { scriptedServer } from "@agentscope-ts/fixtures"
import OpenAI, { AzureOpenAI } from "openai"
import { describe, expect, it } from "vitest"
import { sdk } from "../openai-service.ts"
import { OpenAIEmbeddingModel } from "./openai-embedding-model.ts"

const base64 = (numbers: readonly number[]) => Buffer.from(new Float32Array(numbers).buffer).toString("base64")

/** Answers each input with a vector that begins with its place among all inputs ever asked. */
function embeddings(body: string, asText: boolean, dimensions: number, from: number) {
  const { input } = JSON.parse(body) as { input: readonly string[] }
  const data = input.map((_, index) => {
    const vector = [from + index, ...Array.from({ length: dimensions - 1 }, () => 0.5)]
    return { object: "embedding", index, embedding: asText ? base64(vector) : vector }
  })
  // in whatever order
  return JSON.stringify({ object: "list", data: data.toReversed(), usage: { prompt_tokens: 5, total_tokens: 5 } })
}

describe("OpenAIEmbeddingModel", () => {
  it("gives one vector for each text, in order, over several requests", async () => {
    let asked = 0
    await using server = await scriptedServer((response, _, count) => {
      const body = server.bodies[count - 1] as string
      response.setHeader("content-type", "application/json")
      response.end(embeddings(body, true, 4, asked))
      asked += (JSON.parse(body) as { input: unknown[] }).input.length
    })
    const model = new OpenAIEmbeddingModel({
      model: "text-embedding-3-small",
      dimensions: 4,
      batchSize: 2,
      apiKey: "k",
      baseURL: `${server.url}/v1`,
      headers: { "x-team": "a" },
    })
    const { embeddings: vectors, usage } = await model.embed(["a", "b", "c"])
    expect(vectors).toEqual([0, 1, 2].map((first) => [first, 0.5, 0.5, 0.5]))
    expect(usage?.tokens).toBe(10)
    expect(JSON.parse(server.bodies[0] as string)).toEqual({
      model: "text-embedding-3-small",
      input: ["a", "b"],
      dimensions: 4,
      encoding_format: "base64",
    })
    expect(server.heads[0]?.url).toBe("/v1/embeddings")
    expect(server.heads[0]?.headers).toMatchObject({ authorization: "Bearer k", "x-team": "a" })
  })

  it("takes numbers from a server that knows no base64, and asks for no dimensions where told so", async () => {
    await using server = await scriptedServer((response, _, count) => {
      response.setHeader("content-type", "application/json")
      response.end(embeddings(server.bodies[count - 1] as string, false, 3, 0))
    })
    const model = new OpenAIEmbeddingModel({
      provider: "vllm",
      model: "bge-m3",
      dimensions: 3,
      requestDimensions: false,
      baseURL: `${server.url}/v1`,
    })
    expect((await model.embed(["a"])).embeddings).toEqual([[0, 0.5, 0.5]])
    expect(JSON.parse(server.bodies[0] as string)).not.toHaveProperty("dimensions")
    expect(server.heads[0]?.headers).not.toHaveProperty("authorization")
    const wrong = new OpenAIEmbeddingModel({
      provider: "vllm",
      model: "bge-m3",
      dimensions: 8,
      baseURL: `${server.url}/v1`,
    })
    await expect(wrong.embed(["a"])).rejects.toMatchObject({
      code: "malformed_response",
      message: expect.stringContaining("3 numbers, not of 8") as string,
    })
  })

  it("makes a request again, and tells the provider's failure by our codes", async () => {
    await using server = await scriptedServer((response, _, count) => {
      response.statusCode = count === 1 ? 503 : 401
      response.setHeader("content-type", "application/json")
      response.setHeader("retry-after-ms", "1")
      response.end(JSON.stringify({ error: { message: "Incorrect API key provided", code: "invalid_api_key" } }))
    })
    const model = new OpenAIEmbeddingModel({
      model: "text-embedding-3-small",
      apiKey: "k",
      baseURL: `${server.url}/v1`,
    })
    await expect(model.embed(["a"])).rejects.toMatchObject({ code: "authentication", details: { status: 401 } })
    expect(server.bodies).toHaveLength(2)
    const closed = await scriptedServer(() => {})
    await closed[Symbol.asyncDispose]()
    const none = new OpenAIEmbeddingModel({
      model: "text-embedding-3-small",
      apiKey: "k",
      baseURL: `${closed.url}/v1`,
      maxRetries: 0,
    })
    await expect(none.embed(["a"])).rejects.toMatchObject({ code: "network", details: { code: "ECONNREFUSED" } })
  })

  it("ends when its signal does, and when the server takes too long", async () => {
    await using server = await scriptedServer(() => {})
    const options = { model: "text-embedding-3-small", apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 }
    const controller = new AbortController()
    const going = new OpenAIEmbeddingModel(options).embed(["a"], { signal: controller.signal })
    const ended = expect(going).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    controller.abort("enough")
    await ended
    const late = new OpenAIEmbeddingModel({ ...options, timeoutMs: 20 }).embed(["a"])
    await expect(late).rejects.toMatchObject({ code: "timeout", retryable: true })
  })

  it("uses an official client, or a resource of Azure", async () => {
    await using server = await scriptedServer((response, _, count) => {
      response.setHeader("content-type", "application/json")
      response.end(embeddings(server.bodies[count - 1] as string, true, 1536, 7))
    })
    const openai = new OpenAI({ apiKey: "its own", baseURL: `${server.url}/own` })
    const azure = new AzureOpenAI({ apiKey: "z", endpoint: server.url, apiVersion: "2025-01-01" })
    for (const client of [openai, azure]) {
      const model = new OpenAIEmbeddingModel({ model: "text-embedding-3-small", client })
      expect((await model.embed(["a"])).embeddings[0]?.[0]).toBe(7)
    }
    const named = { provider: "azure", apiKey: "z", baseURL: server.url, apiVersion: "2025-01-01" }
    await new OpenAIEmbeddingModel({ model: "text-embedding-3-small", ...named }).embed(["a"])
    expect(server.heads.map(({ url }) => url)).toEqual([
      "/own/embeddings",
      "/openai/deployments/text-embedding-3-small/embeddings?api-version=2025-01-01",
      "/openai/deployments/text-embedding-3-small/embeddings?api-version=2025-01-01",
    ])
    expect(server.heads[0]?.headers.authorization).toBe("Bearer its own")
    expect(server.heads[2]?.headers).toMatchObject({ "api-key": "z" })
    expect(server.heads[2]?.headers).not.toHaveProperty("authorization")
  })

  it("says what is missing: a key, the length of the vectors, the package", async () => {
    const options = { model: "text-embedding-3-small", baseURL: "http://127.0.0.1:9/v1" }
    expect(() => new OpenAIEmbeddingModel(options)).toThrow(/OPENAI_API_KEY/)
    expect(() => new OpenAIEmbeddingModel({ model: "other", apiKey: "k" })).toThrow(/how long the vectors of other are/)
    const misspelt = { ...options, apiKey: "k", dimension: 4 }
    expect(() => new OpenAIEmbeddingModel(misspelt)).toThrow(/dimensions/)
    const { load } = sdk
    sdk.load = () => Promise.reject(new TypeError("no such package"))
    try {
      const model = new OpenAIEmbeddingModel({ ...options, apiKey: "k" })
      await expect(model.embed(["a"])).rejects.toMatchObject({
        code: "missing_dependency",
        message: expect.stringContaining("npm install openai") as string,
      })
    } finally {
      sdk.load = load
    }
  })
})
