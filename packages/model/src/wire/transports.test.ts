import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { getEventListeners } from "node:events"
import { scriptedServer, until } from "@agentscope-ts/fixtures"
import { AgentScopeError } from "@agentscope-ts/message"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { SendOptions, Transport } from "./exchange.ts"
import { FetchTransport } from "./fetch-transport.ts"
import { NodeTransport } from "./node-transport.ts"
import { postBody, TextCollector, type TextReader } from "./post.ts"
import { targetOf } from "./target.ts"

const transports: readonly [string, () => Transport][] = [
  ["NodeTransport", () => new NodeTransport({})],
  ["FetchTransport", () => new FetchTransport(globalThis.fetch)],
]

const bytes = (text: string) => new TextEncoder().encode(text)

/** What came, or the error: never neither. */
async function outcome(transport: Transport, url: string, options: SendOptions = {}, reader = new TextCollector()) {
  try {
    await postBody(
      transport,
      targetOf(url, { authorization: "Bearer secret-key" }),
      bytes('{"a":"ä"}'),
      reader,
      options,
    )
    return { text: reader.text }
  } catch (error) {
    if (!AgentScopeError.is(error)) throw error
    const { code, retryable, message, details, cause } = error
    return { text: reader.text, code, retryable, message, details, cause }
  }
}

/** Ends as soon as it is told so by its text, like a stream's last event. */
class Graceful implements TextReader {
  text = ""
  graceMs: number | undefined
  push(piece: string) {
    this.text += piece
    if (this.text.includes("[DONE]")) this.graceMs = 40
  }
  end() {}
}

const unhandled = vi.fn<(error: unknown) => void>()
process.on("unhandledRejection", unhandled)
afterEach(() => expect(unhandled).not.toHaveBeenCalled())

describe.each(transports)("%s", (name, create) => {
  const isNode = name === "NodeTransport"

  it("sends the body with its headers and gives back the text, cut where it may be", async () => {
    await using server = await scriptedServer((response) => {
      const answer = Buffer.from("你好🌍")
      response.write(answer.subarray(0, 4))
      setTimeout(() => response.end(answer.subarray(4)), 5)
    })
    expect(await outcome(create(), `${server.url}/v1/x?y=1`)).toEqual({ text: "你好🌍" })
    expect(server.bodies).toEqual(['{"a":"ä"}'])
    expect(server.heads[0]).toMatchObject({
      method: "POST",
      url: "/v1/x?y=1",
      headers: { authorization: "Bearer secret-key", "content-type": "application/json", "content-length": "10" },
    })
  })

  it("keeps the connection for the next request", async () => {
    await using server = await scriptedServer((response) => void response.end("ok"))
    const transport = create()
    for (let i = 0; i < 5; i++) expect(await outcome(transport, server.url)).toEqual({ text: "ok" })
    // undici opens a second one of its own accord
    expect(server.opened()).toBeLessThanOrEqual(isNode ? 1 : 2)
  })

  it("makes any other status an error with the provider's words, without the request's key", async () => {
    await using server = await scriptedServer((response) => {
      response.writeHead(429, { "retry-after-ms": "1500" })
      response.end('{"error":{"message":"slow down, secret-key","code":"rate_limit_exceeded"}}')
    })
    const error = await outcome(create(), server.url)
    expect(error).toMatchObject({ code: "rate_limited", retryable: true, details: { status: 429, retryAfterMs: 1500 } })
    expect(error.message).toContain("slow down, [redacted]")
  })

  it("does not follow redirects", async () => {
    await using server = await scriptedServer((response) => {
      response.writeHead(302, { location: "http://elsewhere.example.com/" })
      response.end("moved")
    })
    expect(await outcome(create(), server.url)).toMatchObject({ code: "invalid_request", retryable: false })
    expect(server.bodies).toHaveLength(1)
  })

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["zstd", zstdCompressSync],
  ])("unpacks a body in %s, though it did not ask for it", async (encoding, pack) => {
    const text = "data: 你好\n\n".repeat(2000)
    await using server = await scriptedServer((response) => {
      response.writeHead(200, { "Content-Encoding": encoding })
      response.end(pack(text))
    })
    const result = await outcome(create(), server.url)
    // older fetches know no zstd and hand the bytes over as they are
    if (isNode || encoding !== "zstd") expect(result).toEqual({ text })
  })

  it("names a broken packed body as a broken answer", async () => {
    await using server = await scriptedServer((response) => {
      response.writeHead(200, { "content-encoding": "gzip" })
      response.end(gzipSync("hello".repeat(100)).subarray(0, 20))
    })
    const result = await outcome(create(), server.url)
    // fetch lets a packed body end anywhere
    if (isNode) expect(result).toMatchObject({ code: "network", retryable: true })
  })

  it("is a retryable network error when nobody listens", async () => {
    const { url } = await scriptedServer(() => {}).then(async (server) => (await server[Symbol.asyncDispose](), server))
    const error = await outcome(create(), `${url}/v1`)
    expect(error).toMatchObject({ code: "network", retryable: true, details: { code: "ECONNREFUSED" } })
    expect(error.message).toContain(`${url}/v1 failed (ECONNREFUSED): nothing listens there`)
  })

  it("says that a host is not known", async () => {
    const error = await outcome(create(), "http://no-such-host.invalid/")
    expect(error.code).toBe("network")
    expect(error.message).toMatch(/DNS/)
  })

  it("explains a TLS failure, which does not pass by itself", async () => {
    await using server = await scriptedServer((response) => void response.end("plain"))
    const error = await outcome(create(), server.url.replace("http:", "https:"))
    expect(error).toMatchObject({ code: "network" })
    expect(error.message).toMatch(/secure connection|closed by the other side/)
  })

  it("is a retryable network error when the answer breaks off, and keeps what had come", async () => {
    await using server = await scriptedServer((response) => {
      response.write("half")
      setTimeout(() => response.destroy(), 20)
    })
    const error = await outcome(create(), server.url)
    expect(error).toMatchObject({ text: "half", code: "network", retryable: true })
    expect(error.message).toContain("broke off")
  })

  it("is a network error when the connection is closed before any answer", async () => {
    await using server = await scriptedServer((response) => void response.destroy())
    expect(await outcome(create(), server.url)).toMatchObject({ code: "network", retryable: true })
  })

  it("gives up a server that sends nothing, or nothing more", async () => {
    await using silent = await scriptedServer(() => {})
    await using stalled = await scriptedServer((response) => void response.write("half"))
    const transport = create()
    expect(await outcome(transport, silent.url, { timeoutMs: 40 })).toMatchObject({ code: "timeout", retryable: true })
    const error = await outcome(transport, stalled.url, { timeoutMs: 40 })
    expect(error).toMatchObject({ code: "timeout", text: "half", message: expect.stringContaining("0.04 s") as string })
    await until(() => stalled.open() === 0 && silent.open() === 0)
  })

  it("does not wait for a body that stays open after the answer is whole", async () => {
    await using server = await scriptedServer((response) => void response.write("all [DONE]"))
    const reader = new Graceful()
    await postBody(create(), targetOf(server.url), bytes("{}"), reader)
    expect(reader.text).toBe("all [DONE]")
    await until(() => server.open() === 0)
  })

  it("takes what still comes in time after the answer is whole", async () => {
    await using server = await scriptedServer((response) => {
      response.write("all [DONE]")
      setTimeout(() => response.end(" and more"), 10)
    })
    const reader = new Graceful()
    await postBody(create(), targetOf(server.url), bytes("{}"), reader)
    expect(reader.text).toBe("all [DONE] and more")
  })

  it.each(["before the request", "before the answer", "within the answer"])(
    "ends at once when aborted %s",
    async (when) => {
      await using server = await scriptedServer((response) => {
        if (when === "before the answer") controller.abort("enough")
        response.write("half")
        if (when === "within the answer") setTimeout(() => controller.abort("enough"), 20)
      })
      const controller = new AbortController()
      if (when === "before the request") controller.abort("enough")
      const error = await outcome(create(), server.url, { signal: controller.signal })
      expect(error).toMatchObject({ code: "aborted", retryable: false, cause: "enough" })
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
      await until(() => server.open() === 0)
    },
  )

  it("passes on what the reader throws, and closes the connection", async () => {
    await using server = await scriptedServer((response) => {
      response.write("one")
      setTimeout(() => response.write("two"), 10)
    })
    const mine = new TypeError("mine")
    const reader = {
      push: () => {
        throw mine
      },
      end: () => {},
    }
    await expect(postBody(create(), targetOf(server.url), bytes("{}"), reader)).rejects.toBe(mine)
    await until(() => server.open() === 0)
  })

  it("bounds what it collects", async () => {
    await using server = await scriptedServer((response, request) => {
      response.writeHead(request.url === "/error" ? 500 : 200)
      const more = () => {
        if (!response.destroyed && response.write("x".repeat(65_536))) setImmediate(more)
        else response.once("drain", more)
      }
      more()
    })
    const transport = create()
    const long = await outcome(transport, server.url, {}, new TextCollector(100_000))
    expect(long).toMatchObject({ code: "malformed_response", message: expect.stringContaining("100000") as string })
    expect(await outcome(transport, `${server.url}/error`)).toMatchObject({ code: "server_error" })
    await until(() => server.open() === 0)
  })

  it("FR-11 leaves no listener on a signal that many requests share", async () => {
    const warned = vi.fn<(warning: Error) => void>()
    process.on("warning", warned)
    await using server = await scriptedServer((response) => void response.end("ok"))
    const { signal } = new AbortController()
    const transport = create()
    for (let i = 0; i < 50; i++) {
      await outcome(transport, server.url, { signal })
      expect(getEventListeners(signal, "abort")).toHaveLength(0)
    }
    await Promise.all(Array.from({ length: 30 }, () => outcome(transport, server.url, { signal })))
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", warned)
    expect(warned).not.toHaveBeenCalled()
  })
})
