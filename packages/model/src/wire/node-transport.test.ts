import { spawnSync } from "node:child_process"
import tls from "node:tls"
import { scriptedServer, until } from "@agentscope-ts/fixtures"
import { afterEach, describe, expect, it, vi } from "vitest"
import { forwardProxy } from "./fixtures/forward-proxy.ts"
import { selfSigned } from "./fixtures/self-signed.ts"
import { NodeTransport } from "./node-transport.ts"
import { postBody, TextCollector } from "./post.ts"
import { targetOf } from "./target.ts"

async function post(transport: NodeTransport, url: string, options: { timeoutMs?: number } = {}): Promise<string> {
  const reader = new TextCollector()
  await postBody(transport, targetOf(url, {}), new TextEncoder().encode('{"a":1}'), reader, options)
  return reader.text
}

afterEach(() => void vi.useRealTimers())

describe("kept connections", () => {
  it("repeats a request on a fresh one when the kept one was closed, whatever else was kept", async () => {
    await using server = await scriptedServer((response, _, count) => void response.end(String(count)))
    const transport = new NodeTransport({})
    await Promise.all([post(transport, server.url), post(transport, server.url), post(transport, server.url)])
    expect(server.open()).toBe(3)
    // closed while nobody reads: the client learns of it from the next request only
    const closing = post(transport, server.url)
    for (const socket of server.sockets) socket.destroy()
    expect(Number(await closing)).toBeGreaterThan(0)
    expect(server.opened()).toBe(4)
  })

  it("repeats it once only, and never after an answer began", async () => {
    let broken = false
    await using server = await scriptedServer((response) => {
      if (!broken) return void response.end("ok")
      response.write("half")
      setTimeout(() => response.destroy(), 10)
    })
    const transport = new NodeTransport({})
    await post(transport, server.url)
    broken = true
    await expect(post(transport, server.url)).rejects.toMatchObject({ code: "network" })
    expect(server.bodies).toHaveLength(2)
  })

  it("gives up a server that closes every connection unanswered", async () => {
    let answering = true
    await using server = await scriptedServer((response) => void (answering ? response.end("ok") : response.destroy()))
    const transport = new NodeTransport({})
    await post(transport, server.url)
    answering = false
    await expect(post(transport, server.url)).rejects.toMatchObject({ code: "network", retryable: true })
    expect(server.bodies).toHaveLength(3)
  })

  it("are closed when they were free for long, and used ones stay", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    await using server = await scriptedServer((response) => void response.end("ok"))
    const transport = new NodeTransport({})
    await Promise.all([post(transport, server.url), post(transport, server.url)])
    vi.advanceTimersByTime(120_000)
    await post(transport, server.url)
    expect(server.open()).toBe(2)
    vi.advanceTimersByTime(120_000)
    await until(() => server.open() === 1)
    vi.advanceTimersByTime(120_000)
    await until(() => server.open() === 0)
    vi.advanceTimersByTime(120_000)
    // its own sweep is over; the watchdog's timer goes at its next tick
    vi.advanceTimersByTime(600_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("are closed by close()", async () => {
    await using server = await scriptedServer((response) => void response.end("ok"))
    const transport = new NodeTransport({})
    await post(transport, server.url)
    transport.close()
    await until(() => server.open() === 0)
  })

  it("keep no process alive", { timeout: 20_000 }, async () => {
    await using server = await scriptedServer((response) => void response.end("ok"))
    const script = `
      const { postJson } = await import(${JSON.stringify(new URL("./post.ts", import.meta.url).href)})
      await postJson(${JSON.stringify(server.url)}, {}).catch(() => {})
      process.on("exit", () => console.log("left after", Math.round(performance.now() - begun)))
      const begun = performance.now()`
    const child = await new Promise<{ stdout: string }>((resolve) => {
      // asynchronous: the server is in this process
      void import("node:child_process").then(({ execFile }) =>
        execFile(
          process.execPath,
          ["--conditions=@agentscope-ts/source", "--input-type=module", "-e", script],
          { timeout: 10_000, cwd: import.meta.dirname },
          (_, stdout) => resolve({ stdout }),
        ),
      )
    })
    expect(child.stdout).toMatch(/^left after \d{1,3}\n$/)
  })
})

describe("proxies of the environment", () => {
  it("are used for http, with their password", async () => {
    await using server = await scriptedServer((response) => void response.end("through"))
    await using proxy = await forwardProxy(false)
    const transport = new NodeTransport({ HTTP_PROXY: proxy.url.replace("//", "//me:pw@") })
    expect(await post(transport, `${server.url}/v1`)).toBe("through")
    expect(await post(transport, `${server.url}/v1`)).toBe("through")
    const line = `POST ${server.url}/v1 Basic ${Buffer.from("me:pw").toString("base64")}`
    expect(proxy.seen).toEqual([line, line])
    expect(server.bodies).toEqual(['{"a":1}', '{"a":1}'])
    transport.close()
  })

  it("are asked for a tunnel for https, and a refusal says where to look", async () => {
    await using proxy = await forwardProxy(false)
    const transport = new NodeTransport({ https_proxy: proxy.url })
    await expect(post(transport, "https://api.example.com/v1")).rejects.toMatchObject({
      code: "network",
      message: `The request to https://api.example.com/v1 failed at the proxy ${proxy.url} (ERR_PROXY_TUNNEL): the proxy refused the way there. Check https_proxy, or add the host to NO_PROXY.`,
    })
    expect(proxy.seen).toEqual(["CONNECT api.example.com:443"])
  })

  it.each(["http", "https"])(
    "are named, without their password, where %s does not get through them",
    async (scheme) => {
      const name = `${scheme.toUpperCase()}_PROXY`
      const transport = new NodeTransport({ [name]: "http://me:secret@127.0.0.1:1" })
      const message = `The request to ${scheme}://api.example.com/v1 failed at the proxy http://127.0.0.1:1 (ECONNREFUSED): nothing listens there: is the proxy running? Check ${name}, or add the host to NO_PROXY.`
      await expect(post(transport, `${scheme}://api.example.com/v1`)).rejects.toMatchObject({
        code: "network",
        message,
      })
    },
  )

  it("are named where nothing came through them in time", async () => {
    await using server = await scriptedServer(() => {})
    await using proxy = await forwardProxy(false)
    const transport = new NodeTransport({ HTTP_PROXY: proxy.url })
    await expect(post(transport, server.url, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining(`(through the proxy ${proxy.url}, by HTTP_PROXY) sent nothing`) as string,
    })
    transport.close()
  })

  it("are passed by for the hosts of NO_PROXY", async () => {
    await using server = await scriptedServer((response) => void response.end("direct"))
    const transport = new NodeTransport({ HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" })
    expect(await post(transport, server.url)).toBe("direct")
    transport.close()
  })

  it("are an error on a Node that cannot use them, not a request past them", async () => {
    vi.spyOn(process.versions, "node", "get").mockReturnValue("22.18.0")
    const transport = new NodeTransport({ HTTP_PROXY: "http://127.0.0.1:1" })
    await expect(post(transport, "http://127.0.0.1:9/")).rejects.toMatchObject({ code: "unsupported" })
    vi.restoreAllMocks()
  })
})

describe("https", () => {
  const known = tls.getCACertificates("default")
  const identity = selfSigned()
  afterEach(() => tls.setDefaultCACertificates(known))

  it("keeps its connection like http does", async () => {
    tls.setDefaultCACertificates([...known, identity.cert])
    await using server = await scriptedServer((response, _, count) => void response.end(String(count)), identity)
    const transport = new NodeTransport({})
    for (let i = 1; i <= 5; i++) expect(await post(transport, server.url)).toBe(String(i))
    expect(server.opened()).toBe(1)
    for (const socket of server.sockets) socket.destroy()
    expect(await post(transport, server.url)).toBe("6")
    transport.close()
  })

  it("does not trust just anybody, and says what to do", async () => {
    await using server = await scriptedServer((response) => void response.end("ok"), identity)
    const error: unknown = await post(new NodeTransport({}), server.url).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: "network", retryable: false, details: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } })
    expect((error as Error).message).toContain("NODE_EXTRA_CA_CERTS")
    expect(server.bodies).toEqual([])
  })

  it("goes through the tunnel of a proxy, and keeps it", async () => {
    tls.setDefaultCACertificates([...known, identity.cert])
    await using server = await scriptedServer((response) => void response.end("through"), identity)
    await using proxy = await forwardProxy(true)
    const transport = new NodeTransport({ HTTPS_PROXY: proxy.url })
    for (let i = 0; i < 3; i++) expect(await post(transport, server.url)).toBe("through")
    expect(proxy.seen).toEqual([`CONNECT ${server.url.replace("https://", "")}`])
    transport.close()
  })
})

it("loads no HTTP module before the first request", () => {
  const script = `
    await import(${JSON.stringify(new URL("../wire.ts", import.meta.url).href)})
    console.log(process.moduleLoadList.filter((name) => /NativeModule (_http_|http$|https|zlib)/.test(name)).length)`
  const args = ["--conditions=@agentscope-ts/source", "--input-type=module", "-e", script]
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname })
  expect(stdout.trim()).toBe("0")
})
