import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import type { JsonObject } from "@agentscope-ts/message"
import { contextKey, Toolkit, tool } from "@agentscope-ts/tool"
import { afterEach, describe, expect, test } from "vitest"
import { FakeClock } from "../../fixtures/fake-clock.ts"
import { until } from "../../fixtures/processes.ts"
import { McpServer } from "../mcp-server.ts"
import { McpSession } from "../mcp-session.ts"
import type { McpHttpOptions } from "./mcp-http-options.ts"

const none = { type: "object", properties: {} } as const
const url = "http://127.0.0.1/mcp"
const usual = { "content-type": "application/json", accept: "application/json, text/event-stream", host: "127.0.0.1" }
const who = contextKey<string>("who", "nobody")

interface Event {
  readonly id?: string
  readonly data: string
  readonly retry?: string
}

/** Tools that the tests steer: `running` and `aborted` count the calls of `endless`; `open` ends those of `gate`. */
const steer = { running: 0, aborted: 0, flooded: 0, open: () => {} }
const toolkit = new Toolkit({
  tools: [
    tool({ name: "hello", description: "Greets", input: none, execute: (_input, { get }) => `hello ${get(who)}` }),
    tool({
      name: "endless",
      description: "Runs until it is told to stop",
      input: none,
      execute: (_input, { signal }) => {
        steer.running++
        return new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            steer.aborted++
            reject(signal.reason as Error)
          })
        })
      },
    }),
    tool({
      name: "gate",
      description: "Answers when the gate opens",
      input: none,
      execute: (_input, { get }) => {
        get(McpSession).closeStream()
        return new Promise<string>((resolve) => {
          steer.open = () => resolve("open")
        })
      },
    }),
    tool({
      name: "flood",
      description: "Says a lot",
      input: { type: "object", properties: { times: { type: "integer" }, log: { type: "boolean" } } },
      execute: async ({ times = 0 }, { get }) => {
        const session = get(McpSession)
        for (let i = 0; i < times; i++) {
          session.log("info", "x".repeat(1000))
          if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        steer.flooded++
        return "y".repeat(50_000)
      },
    }),
  ],
})

let server: McpServer | undefined
afterEach(async () => {
  await server?.close()
  Object.assign(steer, { running: 0, aborted: 0, flooded: 0, open: () => {} })
})

/** A handler, and short words for the requests to it. */
function serving(options: McpHttpOptions = {}) {
  server = new McpServer({ name: "test", version: "1", toolkit, resources: [] })
  const handler = server.httpHandler(options)
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    handler(
      new Request(url, {
        method: "POST",
        headers: { ...usual, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    )
  const get = (headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    handler(new Request(url, { method, headers: { host: "127.0.0.1", accept: "text/event-stream", ...headers } }))
  /** Opens a session, and gives the header that names it. */
  const open = async (version = "2025-11-25"): Promise<Record<string, string>> => {
    const answer = await post(initialize(version))
    expect(answer.status).toBe(200)
    await answer.text()
    return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" }
  }
  return { server, handler, post, get, open }
}

const rpc = (method: string, params: JsonObject = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
})
const initialize = (protocolVersion: string) =>
  rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } })
const call = (name: string, args: JsonObject = {}, id: number | string = 1) =>
  rpc("tools/call", { name, arguments: args }, id)

function eventsIn(text: string): Event[] {
  return text
    .split("\n\n")
    .filter((frame) => frame !== "" && !frame.startsWith(":"))
    .map((frame) => Object.fromEntries(frame.split("\n").map((line) => line.split(/: ?(.*)/s, 2))) as unknown as Event)
}
/** The message that a stream answers a request with. */
const answered = async (response: Response): Promise<JsonObject> =>
  JSON.parse(eventsIn(await response.text()).findLast(({ data }) => data !== "")?.data ?? "null") as JsonObject

/** The first bytes of a stream, which stays open. */
async function firstOf(
  response: Response,
): Promise<{ events: Event[]; reader: ReadableStreamDefaultReader<Uint8Array> }> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  return { events: eventsIn(new TextDecoder().decode(value)), reader }
}

describe("a request that is none", () => {
  const cases: [string, number, number, unknown, Record<string, string>][] = [
    ["no JSON", 400, -32700, "{", {}],
    ["an empty body", 400, -32700, "", {}],
    ["JSON of another kind", 400, -32600, "7", {}],
    ["null", 400, -32600, "null", {}],
    ["no JSON-RPC", 400, -32600, { id: 1, method: "ping" }, {}],
    ["an id of null", 400, -32600, { jsonrpc: "2.0", id: null, method: "ping" }, {}],
    ["deep JSON", 400, -32600, "[".repeat(100_000) + "]".repeat(100_000), {}],
    ["an empty batch", 400, -32600, [], {}],
    ["a batch with garbage in it", 400, -32600, [rpc("ping"), 1], {}],
    ["a batch that is too long", 400, -32600, Array.from({ length: 101 }, (_, i) => rpc("ping", {}, i)), {}],
    ["an initialize in a batch", 400, -32600, [initialize("2025-03-26"), rpc("ping", {}, 2)], {}],
    ["another content type", 415, -32000, rpc("ping"), { "content-type": "text/plain" }],
    ["a content type that only looks like JSON", 415, -32000, rpc("ping"), { "content-type": "application/jsonp" }],
    ["a form", 415, -32000, "a=1", { "content-type": "application/x-www-form-urlencoded" }],
    ["no stream accepted", 406, -32000, rpc("ping"), { accept: "application/json" }],
    ["no JSON accepted", 406, -32000, rpc("ping"), { accept: "text/event-stream" }],
    ["nothing accepted", 406, -32000, rpc("ping"), { accept: "" }],
    ["no session", 400, -32000, rpc("tools/list"), {}],
    ["an unknown session", 404, -32001, rpc("tools/list"), { "mcp-session-id": "x" }],
    ["a version that there is not", 400, -32000, rpc("ping"), { "mcp-protocol-version": "1999-01-01" }],
  ]
  test.for(cases)("%s is answered with %i", async ([, status, code, body, headers]) => {
    const { post } = serving()
    const answer = await post(body, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code, message: expect.any(String) } })
  })

  test("a session's own mistakes leave it in order", async () => {
    const { post, get, open } = serving()
    const session = await open()
    expect((await post("{", session)).status).toBe(400)
    expect((await post(initialize("2025-11-25"), session)).status).toBe(400)
    expect((await post([rpc("ping")], session)).status).toBe(400)
    expect((await post(rpc("ping"), { ...session, "mcp-protocol-version": "1" })).status).toBe(400)
    expect((await get({ ...session, accept: "application/json" })).status).toBe(406)
    expect((await get({ ...session, "last-event-id": "nonsense" })).status).toBe(400)
    expect((await get({}, "GET")).status).toBe(400)
    expect((await get(session, "PUT")).status).toBe(405)
    expect(await answered(await post(rpc("tools/call", { nome: "x" }), session))).toMatchObject({
      error: { code: -32602 },
    })
    expect(await answered(await post(rpc("no/such"), session))).toMatchObject({ error: { code: -32601 } })
    expect(await answered(await post(call("hello"), session))).toMatchObject({
      result: { content: [{ text: "hello nobody" }] },
    })
  })

  test("is read no further than the limit, whether it says its length or not", async () => {
    const { post, handler } = serving({ maxBodyBytes: 1000 })
    expect((await post({ ...rpc("ping"), pad: "x".repeat(1000) })).status).toBe(413)
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(400))
      },
    })
    const endless = new Request(url, { method: "POST", headers: usual, body, duplex: "half" })
    expect((await handler(endless)).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })
})

describe("batches", () => {
  test("are answered to clients of the version that has them, on one stream", async () => {
    const { post, open } = serving()
    const session = await open("2025-03-26")
    const answer = await post([rpc("ping", {}, 1), call("hello", {}, "two"), { jsonrpc: "2.0", method: "x" }], session)
    const ids = eventsIn(await answer.text()).map(({ data }) => (JSON.parse(data) as { id: unknown }).id)
    expect(new Set(ids)).toEqual(new Set([1, "two"]))
  })

  test("with one id twice, or that of a running request, are refused", async () => {
    const { post, open } = serving()
    const session = await open("2025-03-26")
    expect((await post([rpc("ping", {}, 1), rpc("ping", {}, 1)], session)).status).toBe(400)
    const running = await post(call("endless", {}, 9), session)
    expect((await post(rpc("ping", {}, 9), session)).status).toBe(400)
    await running.body?.cancel()
  })
})

describe("who may come in", () => {
  const reach = async (headers: Record<string, string>, options: McpHttpOptions = {}) =>
    (await serving(options).post(initialize("2025-11-25"), headers)).status

  test("FR-also names and pages that are not the server's own are kept out (DNS rebinding)", async () => {
    for (const host of ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:99", "LOCALHOST"]) {
      expect(await reach({ host }), host).toBe(200)
    }
    const evil = [
      "evil.example.com",
      "localhost.evil.com",
      "127.0.0.1.evil.com",
      "127.0.0.1@evil.com",
      "localhost:x",
      "",
    ]
    for (const host of evil) expect(await reach({ host }), host).toBe(403)
    for (const origin of ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:1"]) {
      expect(await reach({ origin }), origin).toBe(200)
    }
    for (const origin of ["http://evil.example.com", "null", "http://localhost.evil.com", "file://localhost", "x"]) {
      expect(await reach({ origin }), origin).toBe(403)
    }
  })

  test("beyond this machine a token is needed, and has to be right", async () => {
    expect(() => serving({ allowedHosts: ["mcp.example.com"] })).toThrow(
      expect.objectContaining({ code: "invalid_argument" }),
    )
    expect(() => serving({ token: "" })).toThrow(expect.objectContaining({ code: "invalid_argument" }))
    const options = { allowedHosts: ["mcp.example.com"], token: "s3cret" }
    const host = "mcp.example.com"
    expect(await reach({ host }, options)).toBe(401)
    for (const authorization of [
      "Bearer wrong!",
      "Bearer s3cre",
      "Bearer s3crets",
      "s3cret",
      "Basic s3cret",
      "Bearer ",
    ]) {
      expect(await reach({ host, authorization }, options), authorization).toBe(401)
    }
    expect(await reach({ host, authorization: "Bearer s3cret" }, options)).toBe(200)
    expect(await reach({ host: "evil.com", authorization: "Bearer s3cret" }, options)).toBe(403)
    const judged = { token: async (token: string) => token.startsWith("user-") }
    expect(await reach({ authorization: "Bearer user-1" }, judged)).toBe(200)
    expect(await reach({ authorization: "Bearer other" }, judged)).toBe(401)
    const { post } = serving(options)
    expect((await post(rpc("ping"), { host })).headers.get("www-authenticate")).toBe("Bearer")
  })

  test("pages that were named get headers for their browser, others none", async () => {
    const { handler, post } = serving({ allowedOrigins: ["https://app.example.com"] })
    const origin = "https://app.example.com"
    const preflight = await handler(new Request(url, { method: "OPTIONS", headers: { host: "localhost", origin } }))
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin)
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Mcp-Session-Id")
    const answer = await post(initialize("2025-11-25"), { origin })
    expect(answer.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id")
    const local = await post(initialize("2025-11-25"), { origin: "http://localhost:5173" })
    expect(local.headers.has("access-control-allow-origin")).toBe(false)
  })
})

describe("sessions", () => {
  test("end by DELETE, and their calls with them", async () => {
    const { post, get, open, server } = serving()
    const session = await open()
    const answer = await post(call("endless"), session)
    await until(() => steer.running === 1, "the call")
    expect((await get(session, "DELETE")).status).toBe(200)
    await until(() => steer.aborted === 1, "the abort")
    await answer.text()
    expect(server.sessionCount).toBe(0)
    expect((await post(rpc("ping"), session)).status).toBe(404)
    expect((await get(session, "DELETE")).status).toBe(404)
  })

  test("are over after a while without use, but not while a call runs", async () => {
    using clock = new FakeClock()
    const { post, open, server } = serving({ sessionIdleMs: 1000 })
    const busy = await open()
    const running = await post(call("endless"), busy)
    const idle = await open()
    await clock.advance(600)
    expect((await post(rpc("ping"), idle)).status).toBe(200)
    await clock.advance(600)
    expect((await post(rpc("ping"), idle)).status).toBe(200)
    await clock.advance(1001)
    expect((await post(rpc("ping"), idle)).status).toBe(404)
    expect((await post(rpc("ping", {}, 2), busy)).status).toBe(200)
    expect(server.sessionCount).toBe(1)
    await running.body?.cancel()
  })

  test("are bounded: the longest idle one makes room, and when all are busy there is none", async () => {
    const { post, open, server } = serving({ maxSessions: 2 })
    const [first, second] = [await open(), await open()]
    await post(rpc("ping"), first)
    const third = await open()
    expect((await post(rpc("ping"), second)).status).toBe(404)
    const calls = [await post(call("endless"), first), await post(call("endless"), third)]
    const refused = await post(initialize("2025-11-25"))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"])
    expect(server.sessionCount).toBe(2)
    for (const each of calls) await each.body?.cancel()
  })

  test("cancel a call, whatever its id, and its stream ends without an answer", async () => {
    const { post, open, server } = serving()
    const session = await open()
    let aborted = 0
    for (const requestId of [0, 1, "", "a", -1]) {
      const answer = await post(call("endless", {}, requestId), session)
      await until(() => steer.running === aborted + 1, "the call")
      await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, session)
      await until(() => steer.aborted === aborted + 1, "the abort")
      aborted++
      expect(eventsIn(await answer.text()).filter(({ data }) => data !== "")).toEqual([])
      // the id is free again
      expect(await answered(await post(rpc("ping", {}, requestId), session))).toMatchObject({ result: {} })
    }
    expect(server.sessionCount).toBe(1)
  })

  test("run a thousand calls at a time, and no more", async () => {
    const { post, get, open } = serving()
    const session = await open()
    for (let id = 0; id < 1000; id++) await post(call("endless", {}, id), session)
    expect(await answered(await post(call("hello", {}, "late"), session))).toMatchObject({ error: { code: -32600 } })
    await get(session, "DELETE")
    await until(() => steer.aborted === 1000, "the aborts")
  })

  test("take answers and notifications that nobody waits for", async () => {
    const { post, open } = serving()
    const session = await open()
    expect((await post({ jsonrpc: "2.0", id: 99, result: {} }, session)).status).toBe(202)
    expect((await post({ jsonrpc: "2.0", method: "notifications/nonsense" }, session)).status).toBe(202)
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } }
    expect((await post(cancelled, session)).status).toBe(202)
    expect((await post(rpc("ping"), session)).status).toBe(200)
  })

  test("get the values of each request in their context", async () => {
    const { handler, open } = serving()
    const session = await open()
    for (const name of ["ada", "bob"]) {
      const request = new Request(url, {
        method: "POST",
        headers: { ...usual, ...session },
        body: JSON.stringify(call("hello")),
      })
      const answer = await answered(await handler(request, { context: [who.of(name)] }))
      expect(answer).toMatchObject({ result: { content: [{ text: `hello ${name}` }] } })
    }
  })

  test("may be done without: each request stands alone", async () => {
    const { post, get, server } = serving({ stateless: true })
    const hello = await post(initialize("2025-11-25"))
    expect(hello.headers.has("mcp-session-id")).toBe(false)
    expect(await answered(hello)).toMatchObject({
      result: { capabilities: { tools: { listChanged: false }, resources: { subscribe: false } } },
    })
    expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(call("hello")).then(answered)))
    expect(answers.every(({ result }) => JSON.stringify(result).includes("hello nobody"))).toBe(true)
    const call2 = await post(call("endless"))
    await until(() => steer.running === 1, "the call")
    await call2.body?.cancel()
    await until(() => steer.aborted === 1, "the abort")
    expect([(await get()).status, (await get({}, "DELETE")).status, server.sessionCount]).toEqual([405, 405, 0])
  })
})

describe("clients that come back", () => {
  test("get the answer that came while they were away (SEP-1699)", async () => {
    const { post, get, open } = serving({ retryMs: 77 })
    const session = await open()
    const away = eventsIn(await (await post(call("gate"), session)).text())
    expect(away).toEqual([{ id: expect.any(String), data: "", retry: "77" }])
    steer.open()
    const back = await get({ ...session, "last-event-id": away[0]?.id ?? "" })
    expect(await answered(back)).toMatchObject({ id: 1, result: { content: [{ text: "open" }] } })
    // and again, for a client that lost it once more
    const again = await get({ ...session, "last-event-id": away[0]?.id ?? "" })
    expect(await answered(again)).toMatchObject({ id: 1 })
  })

  test("wait for the answer on the new stream", async () => {
    const { post, get, open } = serving()
    const session = await open()
    const [mark] = eventsIn(await (await post(call("gate"), session)).text())
    const back = await get({ ...session, "last-event-id": mark?.id ?? "" })
    steer.open()
    expect(await answered(back)).toMatchObject({ id: 1, result: { content: [{ text: "open" }] } })
  })

  test("find their calls running for a while, and no longer", async () => {
    using clock = new FakeClock()
    const { post, open } = serving({ resumeMs: 5000 })
    const session = await open()
    const { reader } = await firstOf(await post(call("endless"), session))
    await reader.cancel()
    await clock.advance(4000)
    expect(steer).toMatchObject({ running: 1, aborted: 0 })
    await clock.advance(2000)
    expect(steer.aborted).toBe(1)
    expect(clock.sleeping).toBe(0)
    expect((await post(rpc("ping"), session)).status).toBe(200)
  })

  test("FR-46 a client that could not come back ends its calls by leaving", async () => {
    const { post, open } = serving()
    const session = await open("2025-06-18")
    const answer = await post(call("endless"), session)
    await until(() => steer.running === 1, "the call")
    await answer.body?.cancel()
    await until(() => steer.aborted === 1, "the abort")
    expect((await post(rpc("ping"), session)).status).toBe(200)
  })

  test("are told when what they missed is gone", async () => {
    const { post, get, open } = serving()
    const session = await open()
    const [mark] = eventsIn(await (await post(call("hello"), session)).text())
    for (let i = 0; i < 40; i++) await (await post(call("flood", {}, i), session)).text()
    const late = await get({ ...session, "last-event-id": mark?.id ?? "" })
    expect(late.status).toBe(400)
    expect(await late.json()).toMatchObject({ error: { message: expect.stringContaining("not known any more") } })
  })

  test("hear of changes on the newest of their streams, once", async () => {
    const { get, post, open, server } = serving()
    const session = await open()
    const one = await firstOf(await get(session))
    const two = await firstOf(await get(session))
    await (await post(rpc("tools/list"), session)).text()
    server.setResources([])
    const { value } = await two.reader.read()
    expect(new TextDecoder().decode(value)).toContain("notifications/resources/list_changed")
    await two.reader.cancel()
    server.setResources([])
    const next = await one.reader.read()
    expect(eventsIn(new TextDecoder().decode(next.value))).toHaveLength(1)
    // missed while nobody listened: there for who comes back
    await one.reader.cancel()
    server.setResources([])
    const [last] = eventsIn(new TextDecoder().decode(next.value))
    const back = await firstOf(await get({ ...session, "last-event-id": last?.id ?? "" }))
    expect(back.events[0]?.data).toContain("list_changed")
    await back.reader.cancel()
  })
})

describe("slow readers", () => {
  test("get the answer and the newest place, without what could be left out", async () => {
    const { post, open } = serving()
    const session = await open()
    const answer = await post(call("flood", { times: 20_000 }), session)
    // nobody reads until all of it was said
    await until(() => steer.flooded === 1, "the end of the flood")
    const text = await answer.text()
    expect(text.length).toBeLessThan(2_000_000)
    expect(text).toContain("yyyy")
  })
})

describe("over a socket", () => {
  /** A request by hand, for what fetch would not send. */
  const send = (port: number, options: object, body = ""): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ port, host: "127.0.0.1", path: "/mcp", method: "POST", ...options }, (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
      })
      request.on("error", reject)
      request.end(body)
    })

  const sendRaw = (port: number, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = ""
      const socket = connect(port, "127.0.0.1", () => socket.write(text))
      socket.on("data", (chunk: Buffer) => {
        answer += chunk.toString()
      })
      socket.on("end", () => resolve(answer))
      socket.on("error", reject)
    })

  test("the same rules hold", async () => {
    const made = new McpServer({ name: "test", version: "1", toolkit })
    await using _made = made
    const { url: address, port } = await made.listen({ maxBodyBytes: 1000 })
    expect(address).toBe(`http://127.0.0.1:${port}/mcp`)
    const body = JSON.stringify(initialize("2025-11-25"))
    expect((await send(port, { headers: { ...usual, host: `127.0.0.1:${port}` } }, body)).status).toBe(200)
    expect((await send(port, { headers: { ...usual, host: "evil.example.com" } }, body)).status).toBe(403)
    expect((await send(port, { path: "/other", headers: usual }, body)).status).toBe(404)
    const head = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
    const raw = `${head}content-length: ${body.length}\r\n\r\n${body}`
    expect(await sendRaw(port, `POST /mcp HTTP/1.0\r\n${raw}`)).toMatch(/^HTTP\/1\.1 403 /)
    expect(await sendRaw(port, `POST //evil/mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${raw}`)).toMatch(
      /^HTTP\/1\.1 (200|4\d\d) /,
    )
    expect(await sendRaw(port, `POST http://[ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${raw}`)).toMatch(
      /^HTTP\/1\.1 [45]\d\d /,
    )
    expect((await send(port, { headers: usual }, "x".repeat(100_000))).status).toBe(413)
    expect((await send(port, { method: "GET", headers: { host: "localhost" } })).status).toBe(400)
    const judged = await made.listen({ token: () => Promise.reject(new TypeError("secret")) })
    const failed = await send(judged.port, { headers: { ...usual, authorization: "Bearer x" } }, body)
    expect([failed.status, failed.text.includes("secret")]).toEqual([500, false])
    await expect(made.listen({ port })).rejects.toMatchObject({ code: "invalid_argument" })
    await expect(made.listen({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "invalid_argument" })
    const open = await made.listen({ host: "0.0.0.0", token: "t" })
    const asked = { ...usual, authorization: "Bearer t" }
    expect((await send(open.port, { headers: { ...asked, host: "evil.example.com" } }, body)).status).toBe(403)
    expect((await send(open.port, { headers: { ...asked, host: "localhost" } }, body)).status).toBe(200)
  })

  test("FR-46 a socket that is destroyed after the first event ends the call, and nothing is left of it", async () => {
    const made = new McpServer({ name: "test", version: "1", toolkit })
    await using _ = made
    const { port } = await made.listen({ resumeMs: 0 })
    const opened = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { ...usual, host: "" },
      body: JSON.stringify(initialize("2025-11-25")),
    })
    await opened.text()
    const headers = { ...usual, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
    for (let i = 1; i <= 5; i++) {
      await new Promise<void>((resolve) => {
        const request = httpRequest({ port, host: "127.0.0.1", path: "/mcp", method: "POST", headers }, (response) => {
          response.once("data", () => {
            response.destroy()
            resolve()
          })
        })
        request.on("error", () => {})
        request.end(JSON.stringify(call("endless", {}, i)))
      })
      await until(() => steer.aborted === i, "the abort")
    }
    expect(steer.running).toBe(5)
  })

  test("a server that is closed while it begins to listen does not listen", async () => {
    const made = new McpServer({ name: "test", version: "1", toolkit })
    const listening = made.listen()
    await made.close()
    await expect(listening).rejects.toMatchObject({ code: "server_closed" })
    const other = new McpServer({ name: "test", version: "1", toolkit })
    let address: string
    {
      await using listener = await other.listen()
      address = listener.url
    }
    await expect(fetch(address)).rejects.toThrow()
    await other.close()
  })

  test("closing ends streams and calls, and frees the port, in a moment", async () => {
    const made = new McpServer({ name: "test", version: "1", toolkit })
    const listener = await made.listen()
    const opened = await fetch(listener.url, {
      method: "POST",
      headers: usual,
      body: JSON.stringify(initialize("2025-11-25")),
    })
    await opened.text()
    const headers = { ...usual, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
    const stream = await fetch(listener.url, { headers })
    const running = await fetch(listener.url, { method: "POST", headers, body: JSON.stringify(call("endless")) })
    await until(() => steer.running === 1, "the call")
    await made.close()
    expect(steer.aborted).toBe(1)
    await Promise.all([stream.text(), running.text()])
    await expect(fetch(listener.url)).rejects.toThrow()
    const again = new McpServer({ name: "test", version: "1", toolkit })
    await again.listen({ port: listener.port })
    await again.close()
  })
})
