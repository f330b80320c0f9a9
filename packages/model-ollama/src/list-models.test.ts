import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Ollama } from "ollama"
import { describe, expect, it, vi } from "vitest"
import { listModels, ollamaModels } from "./index.ts"

/** A server on the loopback address. */
async function serving(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const tags = {
  models: [
    {
      name: "qwen3:8b",
      model: "qwen3:8b",
      size: 5_225_388_164,
      details: { family: "qwen3", parameter_size: "8.2B", quantization_level: "Q4_K_M" },
      capabilities: ["completion", "tools", "thinking"],
    },
    { model: "old", details: null },
  ],
}
const models = [
  {
    name: "qwen3:8b",
    size: 5_225_388_164,
    family: "qwen3",
    parameterSize: "8.2B",
    quantization: "Q4_K_M",
    capabilities: ["completion", "tools", "thinking"],
  },
  { name: "old" },
]

describe("the models of an Ollama", () => {
  it("are listed with what the server tells of them", async () => {
    const asked: string[] = []
    await using server = await serving((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`)
      response.end(JSON.stringify(tags))
    })
    expect(await listModels({ baseURL: server.url, apiKey: "k" })).toEqual(models)
    expect(await ollamaModels({ baseURL: server.url.replace("http://", "") })).toEqual(models)
    expect(await listModels({ client: new Ollama({ host: server.url }) })).toEqual(models)
    expect(asked).toEqual(["GET /api/tags Bearer k", "GET /api/tags ", "GET /api/tags "])
  })

  it("are listed without a timer left behind", async () => {
    await using server = await serving((_, response) => response.end(JSON.stringify(tags)))
    const set = vi.spyOn(globalThis, "setTimeout")
    const cleared = vi.spyOn(globalThis, "clearTimeout")
    try {
      await listModels({ baseURL: server.url, timeoutMs: 12_345 })
      const at = set.mock.calls.findIndex(([, ms]) => ms === 12_345)
      expect(cleared.mock.calls.map(([timer]) => timer)).toContain(set.mock.results[at]?.value)
    } finally {
      vi.restoreAllMocks()
    }
  })

  it("are none where the server has none", async () => {
    await using server = await serving((_, response) => response.end('{"models":null}'))
    expect(await ollamaModels({ baseURL: server.url })).toEqual([])
  })

  it("are unknown where none runs, or something else", async () => {
    let url = ""
    {
      await using server = await serving((_, response) => response.writeHead(404).end("no such page"))
      url = server.url
      expect(await ollamaModels({ baseURL: url })).toBeUndefined()
      await expect(listModels({ baseURL: url })).rejects.toMatchObject({ code: "not_found" })
    }
    expect(await ollamaModels({ baseURL: url })).toBeUndefined()
    await expect(listModels({ baseURL: url })).rejects.toThrow("`ollama serve`")
    await using page = await serving((_, response) => response.end("<html>"))
    expect(await ollamaModels({ baseURL: page.url })).toBeUndefined()
    await expect(listModels({ baseURL: page.url })).rejects.toMatchObject({ code: "malformed_response" })
  })

  it("are not waited for long", async () => {
    await using server = await serving(() => {})
    expect(await ollamaModels({ baseURL: server.url, timeoutMs: 20 })).toBeUndefined()
    await expect(listModels({ baseURL: server.url, timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" })
  })

  it("are not listed once nobody wants them", async () => {
    const controller = new AbortController()
    await using server = await serving(() => controller.abort(new Error("enough")))
    const { signal } = controller
    await expect(ollamaModels({ baseURL: server.url, signal })).rejects.toMatchObject({ code: "aborted" })
    await expect(listModels({ baseURL: server.url, signal })).rejects.toMatchObject({ code: "aborted" })
  })

  it("are asked for at an address only", async () => {
    await expect(ollamaModels({ baseURL: "a b" })).rejects.toMatchObject({ code: "invalid_request" })
  })
})
