import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { type Cassette, loadCassette } from "./cassette.ts"
import type { ReplayOptions } from "./replay-options.ts"
import { startReplayServer } from "./replay-server.ts"
import type { Chunking } from "./split-body.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const corpus = join(process.env["AGENTSCOPE_CORPUS"] ?? join(root, "../shared"), "cassettes")
const hasCorpus = existsSync(corpus)
if (!hasCorpus) console.log("No corpus of cassettes (AGENTSCOPE_CORPUS): the replay of recorded traffic is skipped.")
const soak = process.env["AGENTSCOPE_SOAK"] === "1"

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

interface Got {
  status: number
  headers: Record<string, unknown>
  bytes: Buffer
  reads: number
  /** The code of the error with which the body broke off. */
  broken?: string
}

/** One request by the plainest client there is; never rejects once the head has come. */
function post(url: string, path: string, body: unknown = {}, signal?: AbortSignal): Promise<Got> {
  return new Promise((resolve, reject) => {
    const req = request(url + path, { method: "POST", agent, ...(signal ? { signal } : {}) }, (res) => {
      const parts: Buffer[] = []
      const done = (broken?: string) => {
        const got = {
          status: res.statusCode ?? 0,
          headers: res.headers,
          bytes: Buffer.concat(parts),
          reads: parts.length,
        }
        resolve(broken === undefined ? got : { ...got, broken })
      }
      res.on("data", (part: Buffer) => parts.push(part))
      res.on("end", () => done())
      res.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.name))
    })
    req.on("error", reject)
    req.end(JSON.stringify(body))
  })
}

const stream: Cassette = {
  provider: "openai",
  api: "openai-chat",
  model: "m",
  categories: ["stream"],
  request: { method: "POST", path: "/v1/chat/completions" },
  response: {
    status: 200,
    headers: { "content-type": "text/event-stream", "content-length": "999", "x-request-id": "r1" },
    body: 'data: {"t":"你好🌍"}\r\n\r\ndata: two\r\n\r\ndata: [DONE]\r\n\r\n',
  },
}
const body = Buffer.from(stream.response.body)
const start = (options?: ReplayOptions) => startReplayServer(stream, options)
const path = "/v1/chat/completions"

describe("startReplayServer", () => {
  test("answers with the recorded status, headers and bytes, and notes the request", async () => {
    await using server = await start()
    const got = await post(server.url, path, { model: "m" })
    expect(got.status).toBe(200)
    expect(got.headers).toMatchObject({ "content-type": "text/event-stream", "x-request-id": "r1" })
    expect(got.headers["content-length"]).toBeUndefined()
    expect(got.bytes).toEqual(body)
    expect(server.requests).toMatchObject([{ method: "POST", path, body: { model: "m" } }])
  })

  test("a request is known by the end of its path, under any base and with any query", async () => {
    await using server = await start()
    expect((await post(server.url, "/proxy/x/chat/completions?v=1")).status).toBe(200)
    const other = await post(server.url, "/v1/responses")
    expect(other.status).toBe(404)
    expect(other.bytes.toString()).toContain("no cassette for POST /v1/responses")
  })

  test("cassettes that fit are served in order; the last one again, or with `once` nothing more", async () => {
    const second: Cassette = { ...stream, response: { ...stream.response, body: "second" } }
    for (const once of [false, true]) {
      await using server = await startReplayServer([stream, second], { once })
      const got = [await post(server.url, path), await post(server.url, path), await post(server.url, path)]
      expect(got.map(({ status }) => status)).toEqual([200, 200, once ? 404 : 200])
      expect(got[0]?.bytes).toEqual(body)
      expect(got[1]?.bytes.toString()).toBe("second")
      if (!once) expect(got[2]?.bytes.toString()).toBe("second")
    }
  })

  test("a byte arrives at a time when asked for", async () => {
    await using server = await start({ chunking: "byte" })
    const got = await post(server.url, path)
    expect(got.bytes).toEqual(body)
    expect(got.reads).toBe(body.length)
  })

  test.each([
    ["bytes", { disconnectAfterBytes: 17 }, 17],
    ["events", { disconnectAfterEvents: 1 }, body.indexOf("data: two")],
    ["no bytes", { disconnectAfterBytes: 0 }, 0],
    ["all bytes", { disconnectAfterBytes: body.length }, body.length],
  ] as const)("cuts the connection after so many %s, all of them sent", async (_, options, length) => {
    for (const chunking of ["event", "byte", "random"] as const) {
      await using reset = await start({ ...options, chunking })
      const cut = await post(reset.url, path)
      expect(cut).toMatchObject({ broken: "ECONNRESET", bytes: body.subarray(0, length) })
      await using early = await start({ ...options, chunking, disconnectMode: "end" })
      const ended = await post(early.url, path)
      expect(ended.bytes).toEqual(body.subarray(0, length))
      expect(ended.broken).toBeUndefined()
    }
  })

  test("stalls until the client gives up", async () => {
    await using server = await start({ stallAfterBytes: 30, chunking: "lines" })
    const controller = new AbortController()
    const seen = Promise.withResolvers<void>()
    let count = 0
    const req = request(server.url + path, { method: "POST", signal: controller.signal }, (res) => {
      res.on("error", () => {})
      res.on("data", (part: Buffer) => {
        count += part.length
        if (count >= 30) seen.resolve()
      })
      res.on("end", () => seen.reject(new Error("ended")))
    })
    const gone = new Promise((resolve) => req.on("close", resolve))
    req.on("error", () => {})
    req.end()
    await seen.promise
    controller.abort()
    await gone
    expect(count).toBe(30)
  })

  test("fails and drops the first requests", async () => {
    await using server = await start({ dropFirst: 1, failFirst: 2, failStatus: 429 })
    await expect(post(server.url, path)).rejects.toMatchObject({ code: "ECONNRESET" })
    const failed = await post(server.url, path)
    expect(failed).toMatchObject({ status: 429, headers: { "retry-after": "0" } })
    expect((await post(server.url, path)).status).toBe(429)
    expect((await post(server.url, path)).bytes).toEqual(body)
    expect(server.requests).toHaveLength(4)
  })

  test("close ends stalled connections and may be called twice", async () => {
    const server = await start({ stallAfterBytes: 5 })
    const pending = post(server.url, path)
    while (server.requests.length === 0) await new Promise(setImmediate)
    await server.close()
    await server.close()
    await expect(pending.then((got) => got.broken)).resolves.toBe("ECONNRESET")
    await expect(post(server.url, path)).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })

  test("a file that is missing, no JSON or no cassette is named", async () => {
    const dir = mkdtempSync(join(tmpdir(), "replay-"))
    try {
      await expect(startReplayServer(join(dir, "none.json"))).rejects.toMatchObject({ code: "invalid_cassette" })
      const file = join(dir, "other.json")
      writeFileSync(file, "{")
      await expect(startReplayServer(file)).rejects.toThrow(/other\.json cannot be read/)
      writeFileSync(file, JSON.stringify({ ...stream, response: { status: 200, body: {} } }))
      await expect(startReplayServer([stream, file])).rejects.toThrow(/other\.json is no cassette/)
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test("a folder gives all cassettes in and below it, an index those that it lists, and neither may be empty", async () => {
    const dir = mkdtempSync(join(tmpdir(), "replay-"))
    try {
      await expect(startReplayServer(dir)).rejects.toThrow(/^There is no cassette in .*replay-/)
      mkdirSync(join(dir, "below"))
      const others = ["/a", "/below/b"].map((path) => ({ ...stream, api: "other", request: { method: "POST", path } }))
      writeFileSync(join(dir, "a.json"), JSON.stringify(others[0]))
      writeFileSync(join(dir, "below", "b.json"), JSON.stringify(others[1]))
      writeFileSync(join(dir, "index.json"), JSON.stringify({ cassettes: [{ file: "below/b.json" }] }))
      const statuses = async (source: string) => {
        await using server = await startReplayServer(source)
        return [await post(server.url, "/a"), await post(server.url, "/below/b")].map(({ status }) => status)
      }
      expect(await statuses(dir)).toEqual([200, 200])
      expect(await statuses(join(dir, "index.json"))).toEqual([404, 200])
      writeFileSync(join(dir, "index.json"), "{")
      await expect(startReplayServer(join(dir, "index.json"))).rejects.toThrow(/index\.json cannot be read/)
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test("a way to cut that nobody knows is refused before anything is served", async () => {
    const options = { chunking: "bytes" } as unknown as ReplayOptions
    await expect(startReplayServer(stream, options)).rejects.toThrow(
      /"bytes": it is one of whole, event, byte, lines, random/,
    )
  })
})

describe.skipIf(!hasCorpus)("every recorded interchange", () => {
  const files = hasCorpus
    ? readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((file) => /\/\d+-.*\.json$/.test(file))
    : []
  const cassettes = files.map((file) => loadCassette(join(corpus, file)))

  test.each(["whole", "event", "byte", "lines", "random"] as const satisfies readonly Chunking[])(
    "arrives byte for byte in pieces of kind %s",
    async (chunking) => {
      expect(cassettes.length).toBeGreaterThan(100)
      for (const [seed, cassette] of cassettes.entries()) {
        const expected = Buffer.from(cassette.response.body)
        if (chunking === "byte" && expected.length > 4000 && !soak) continue
        await using server = await startReplayServer(cassette, { chunking, seed })
        const got = await post(server.url, cassette.request.path)
        expect(got.status).toBe(cassette.response.status)
        expect(got.bytes.equals(expected), `${cassette.file} in pieces of kind ${chunking}`).toBe(true)
      }
    },
    60_000,
  )
})
