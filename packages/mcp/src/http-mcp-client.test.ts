import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { until } from "./fixtures/processes.ts"
import {
  initialized,
  type RawAnswer,
  type RawHttpServer,
  type RawRequest,
  startRawHttpServer,
} from "./fixtures/raw-http-server.ts"
import { HttpMcpClient } from "./http-mcp-client.ts"
import type { HttpOptions, McpEvent } from "./mcp-options.ts"

const text = (value: string) => ({ content: [{ type: "text", text: value }] })

/** A server whose tool calls the test answers; the rest is as usual. */
function serverOf(
  onCall: (request: RawRequest, answer: RawAnswer) => void,
  onGet?: Parameters<typeof startRawHttpServer>[1],
): Promise<RawHttpServer> {
  return startRawHttpServer((request, answer) => {
    if (request.method === "initialize") initialized(request, answer)
    else if (request.method === "tools/list") answer.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] })
    else if (request.method === "tools/call") onCall(request, answer)
    else if (request.id !== undefined) answer.result({})
  }, onGet)
}

const clientOf = ({ url }: RawHttpServer, more: Partial<HttpOptions> = {}): HttpMcpClient =>
  new HttpMcpClient({ name: "raw", url, ...more })

describe("a client over HTTP", () => {
  test("speaks streamable HTTP: JSON answers and streams, the version of the protocol in each request", async () => {
    await using server = await serverOf((request, answer) => {
      if (request.params["name"] === "json") return answer.result(text("json"))
      const stream = answer.stream()
      stream.send({ method: "notifications/message", params: { level: "info", data: "on it" } })
      stream.send({ id: request.id ?? 0, result: text("streamed") })
      stream.end()
    })
    const logs: unknown[] = []
    await using client = await clientOf(server, { onLog: ({ data }) => logs.push(data) }).connect()
    expect(textOf(await client.callTool("json", {}))).toBe("json")
    expect(textOf(await client.callTool("stream", {}))).toBe("streamed")
    expect(logs).toEqual(["on it"])
    const versions = server.requests.slice(1).map(({ headers }) => headers["mcp-protocol-version"])
    expect(new Set(versions)).toEqual(new Set(["2025-11-25"]))
  })

  test("sends headers, made anew for each request where a function makes them, and to no other origin", async () => {
    let count = 0
    await using server = await serverOf((_request, answer) => answer.result(text("fine")))
    await using other = await startRawHttpServer((_request, answer) => answer.status(200))
    await using client = clientOf(server, { headers: async () => ({ authorization: `Bearer ${++count}` }) })
    await client.callTool("t", {})
    await client.callTool("t", {})
    const sent = server.requests.map(({ headers }) => headers.authorization)
    expect(new Set(sent).size).toBe(sent.length)
    expect(sent.every((value) => /^Bearer \d+$/.test(value ?? ""))).toBe(true)

    await using redirecting = await startRawHttpServer((_request, answer) => {
      answer.response.writeHead(307, { location: other.url }).end()
    })
    await using led = clientOf(redirecting, { headers: { authorization: "Bearer secret" } })
    await expect(led.connect()).rejects.toMatchObject({ code: "http_error" })
    expect(other.requests).toEqual([])
  })

  test("uses the fetch that it is given", async () => {
    const urls: string[] = []
    await using server = await serverOf((_request, answer) => answer.result(text("fine")))
    await using client = clientOf(server, {
      fetch: (url, init) => {
        urls.push(url instanceof Request ? url.url : url.toString())
        return fetch(url, init)
      },
    })
    await client.ping()
    expect(urls.length).toBeGreaterThan(2)
  })

  test("says what is wrong with the address, the server or the authorization", async () => {
    expect(() => new HttpMcpClient({ name: "x", url: "notes.example.com" })).toThrow("give one with http: or https:")
    await using server = await startRawHttpServer((_request, answer) => answer.status(401, "no token"))
    await expect(clientOf(server).connect()).rejects.toMatchObject({ code: "unauthorized" })
    await using broken = await startRawHttpServer((_request, answer) => answer.status(500, "boom"))
    await expect(clientOf(broken).connect()).rejects.toMatchObject({
      code: "http_error",
      retryable: true,
      message: expect.stringContaining("HTTP 500: boom"),
    })
    await broken.stop()
    await expect(clientOf(broken).connect()).rejects.toMatchObject({
      code: "connect_failed",
      retryable: true,
      message: expect.stringContaining("ECONNREFUSED"),
    })
    await using page = await startRawHttpServer((_request, answer) => {
      answer.response.writeHead(200, { "content-type": "text/html" }).end("<html>")
    })
    await expect(clientOf(page).connect()).rejects.toThrow("text/html")
  })

  test.each([
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'],
    ['{"id":1}'],
    ["[]"],
    ['{"jsonrpc":"2.0","id":99,"result":{}}'],
    ["not JSON"],
  ])("the answer %s is none, and ends the call at once", async (body) => {
    await using server = await serverOf((_request, answer) => {
      answer.response.writeHead(200, { "content-type": "application/json" }).end(body)
    })
    await using client = clientOf(server, { timeoutMs: 3000 })
    await expect(client.callTool("t", {})).rejects.toMatchObject({ code: "invalid_response" })
  })

  test("does not fall back to the older transport unasked", async () => {
    await using server = await startRawHttpServer((_request, answer) => answer.status(405))
    await expect(clientOf(server).connect()).rejects.toMatchObject({ code: "http_error", details: { status: 405 } })
    expect(server.others).toEqual([])
  })

  test.each([
    [405, ""],
    [404, "<h1>Not found</h1>"],
    [400, "bad"],
    [301, ""],
    [200, "<h1>Welcome</h1>"],
  ])("HTTP %i with the body %j: says that nothing speaks MCP there, and what to try", async (status, body) => {
    await using server = await startRawHttpServer((_request, answer) => {
      answer.response.setHeader("content-type", "text/html")
      answer.status(status, body)
    })
    const failure = clientOf(server, { url: `${server.url}?key=s3cret` }).connect()
    const message = expect.stringMatching(/Nothing at http:\S+\/mcp speaks MCP over streamable HTTP.*"sse"/)
    await expect(failure).rejects.toMatchObject({ message })
    await expect(failure).rejects.not.toThrow(/s3cret|POSTing/)
  })

  test("a server that refuses in words of the protocol is an MCP server", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "No such tenant" } })
    await using server = await startRawHttpServer((_request, answer) => answer.status(400, body))
    await expect(clientOf(server).connect()).rejects.not.toThrow("Nothing at")
  })

  test("the older transport where there is none says so", async () => {
    await using server = await startRawHttpServer((_request, answer) => answer.status(405))
    const failure = clientOf(server, { transport: "sse" }).connect()
    await expect(failure).rejects.toThrow(/HTTP 405.*leave transport out/)
  })

  test("ends its session when it is closed", async () => {
    await using server = await startRawHttpServer(
      (request, answer) => {
        if (request.method === "initialize") initialized(request, answer, "s1")
        else if (request.id !== undefined) answer.result({})
      },
      (request, answer) => answer.status(request.method === "DELETE" ? 200 : 405),
    )
    const client = await clientOf(server).connect()
    await client.ping()
    await client.close()
    const left = server.others.find(({ method }) => method === "DELETE")
    expect(left?.headers["mcp-session-id"]).toBe("s1")
  })
})

describe("FR-38 a session that has ended", () => {
  /** A server with sessions that end when the test says so. */
  async function sessionServer(forgotten: { status: number; body: string }) {
    const sessions = new Set<string>()
    const tried: (string | undefined)[] = []
    let count = 0
    const server = await startRawHttpServer((request, answer) => {
      const session = request.headers["mcp-session-id"] as string | undefined
      if (request.method === "initialize") {
        expect(session).toBeUndefined()
        const id = `s${++count}`
        sessions.add(id)
        return initialized(request, answer, id)
      }
      if (request.id === undefined) return
      tried.push(session)
      if (!sessions.has(session ?? "")) return answer.status(forgotten.status, forgotten.body)
      if (request.method === "tools/list")
        return answer.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] })
      if (request.method === "tools/call") return answer.result(text(`from ${session}`))
      answer.result({})
    })
    return { server, sessions, tried }
  }

  test.each([
    { status: 404, body: "Session not found" },
    { status: 400, body: "Bad Request: No valid session ID provided" },
  ])("$status: a new initialize without an id, and the request once more", async (forgotten) => {
    const { server, sessions } = await sessionServer(forgotten)
    await using _server = server
    await using client = await clientOf(server).connect()
    expect(textOf(await client.callTool("t", {}))).toBe("from s1")
    sessions.clear()
    expect(textOf(await client.callTool("t", {}))).toBe("from s2")
    expect(server.requests.filter(({ method }) => method === "initialize")).toHaveLength(2)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["t"])
  })

  test("many requests at once open one new session", async () => {
    const { server, sessions } = await sessionServer({ status: 404, body: "" })
    await using _server = server
    await using client = await clientOf(server).connect()
    sessions.clear()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => client.callTool("t", {})))
    expect(answers.map((answer) => textOf(answer))).toEqual(Array.from({ length: 5 }, () => "from s2"))
    expect(server.requests.filter(({ method }) => method === "initialize")).toHaveLength(2)
  })

  test("a server that forgets each session at once is asked twice, not for ever", async () => {
    const { server, sessions } = await sessionServer({ status: 404, body: "gone" })
    await using _server = server
    await using client = await clientOf(server).connect()
    sessions.clear()
    const add = sessions.add.bind(sessions)
    sessions.add = (id) => (id === "" ? add(id) : sessions)
    await expect(client.callTool("t", {})).rejects.toMatchObject({ code: "http_error", details: { status: 404 } })
    expect(server.requests.filter(({ method }) => method === "tools/call")).toHaveLength(2)
  })

  test("after the server was down its tools come back, and listeners hear of it", async () => {
    const { server, sessions } = await sessionServer({ status: 404, body: "" })
    await using _server = server
    await using client = await clientOf(server).connect()
    let changes = 0
    client.onToolsChanged(() => changes++)
    await server.stop()
    await expect(client.listTools()).rejects.toMatchObject({ code: "connection_closed", retryable: true })
    await expect(client.callTool("t", {})).rejects.toMatchObject({ code: "connection_closed" })
    sessions.clear()
    await server.start()
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["t"])
    expect(textOf(await client.callTool("t", {}))).toBe("from s2")
    expect(changes).toBe(1)
  })

  test("a client that could not connect can later", async () => {
    const { server } = await sessionServer({ status: 404, body: "" })
    await using _server = server
    await server.stop()
    await using client = clientOf(server)
    for (let i = 0; i < 7; i++) await expect(client.listTools()).rejects.toMatchObject({ code: "connect_failed" })
    await server.start()
    expect(await client.listTools()).toHaveLength(1)
  })

  test("a 404 outside of a session is just that", async () => {
    await using server = await startRawHttpServer((_request, answer) => answer.status(404, "wrong path"))
    await expect(clientOf(server).connect()).rejects.toMatchObject({ code: "http_error", details: { status: 404 } })
    expect(server.requests).toHaveLength(1)
  })
})

describe("streams that break off", () => {
  test("are taken up with Last-Event-ID after the time that the server says", async () => {
    let asked: RawRequest | undefined
    await using server = await serverOf(
      (request, answer) => {
        asked = request
        const stream = answer.stream()
        stream.write("retry: 20\n")
        stream.write("id: e1\ndata: \n\n")
        stream.end()
      },
      (request, answer) => {
        if (request.headers["last-event-id"] !== "e1") return answer.status(405)
        const stream = answer.stream()
        stream.send({ id: asked?.id ?? -1, result: text("resumed") }, "e2")
        stream.end()
      },
    )
    await using client = clientOf(server)
    const began = performance.now()
    expect(textOf(await client.callTool("t", {}))).toBe("resumed")
    expect(performance.now() - began).toBeLessThan(2000)
  })

  test("without an id to go on from, the request fails at once", async () => {
    await using server = await serverOf((request, answer) => {
      const stream = answer.stream()
      stream.write(": hello\n\n")
      if (request.params["name"] === "ends") stream.end()
      else answer.response.destroy()
    })
    await using client = clientOf(server)
    await expect(client.callTool("ends", {})).rejects.toMatchObject({
      code: "connection_closed",
      message: expect.stringContaining("ended its answer without a result"),
    })
    await expect(client.callTool("breaks", {})).rejects.toMatchObject({ code: "connection_closed" })
    await client.ping()
  })

  test("an answer that is an error is not taken up again", async () => {
    await using server = await serverOf(
      (request, answer) => {
        const stream = answer.stream()
        stream.write("retry: 1\nid: e1\ndata: \n\n")
        stream.send({ id: request.id ?? 0, error: { code: -32000, message: "no" } }, "e2")
        stream.end()
      },
      (_request, answer) => answer.status(405),
    )
    await using client = await clientOf(server).connect()
    await until(() => server.others.length === 1, "the stream of the server's own messages")
    await expect(client.callTool("t", {})).rejects.toThrow("no")
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.others).toHaveLength(1)
  })

  test("no timer outlives a client that is closed while streams are to be taken up", async () => {
    const count = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const before = count()
    await using server = await serverOf(
      (_request, answer) => {
        const stream = answer.stream()
        stream.write("retry: 60000\nid: e1\ndata: \n\n")
        stream.end()
      },
      (_request, answer) => {
        const stream = answer.stream()
        stream.write("retry: 60000\n\n")
        stream.end()
      },
    )
    const client = await clientOf(server).connect()
    const calls = [1, 2, 3].map(() =>
      expect(client.callTool("t", {})).rejects.toMatchObject({ code: "connection_closed" }),
    )
    // each of the four streams has its timer
    await until(() => count() >= before + 4 + 3, "the timers")
    await client.close()
    await Promise.all(calls)
    expect(count()).toBeLessThanOrEqual(before)
  })

  test("what cannot be taken up fails when the attempts have come to an end", async () => {
    await using server = await serverOf(
      (_request, answer) => {
        const stream = answer.stream()
        stream.write("retry: 1\nid: e1\ndata: \n\n")
        stream.end()
      },
      (_request, answer) => answer.status(500),
    )
    await using client = clientOf(server)
    await expect(client.callTool("t", {})).rejects.toMatchObject({
      code: "connection_closed",
      message: expect.stringContaining("could not be taken up again"),
    })
    // a new connection, since this one heard nothing any more
    await client.ping()
    expect(server.requests.filter(({ method }) => method === "initialize").length).toBeGreaterThan(1)
  })
})

describe("the older transport", () => {
  /** An SSE server whose stream the test can cut. */
  async function sseServer() {
    const streams: RawAnswer[] = []
    let current: ReturnType<RawAnswer["stream"]> | undefined
    const server = await startRawHttpServer(
      (request, answer) => {
        answer.response.writeHead(202).end()
        const reply = (result: object): void => current?.send({ id: request.id ?? 0, result } as never)
        if (request.method === "initialize")
          reply({ protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } })
        else if (request.method === "tools/call" && request.params["name"] === "silent") return
        else if (request.method === "tools/call") reply(text("old"))
        else if (request.id !== undefined) reply({})
      },
      (_request, answer) => {
        streams.push(answer)
        current = answer.stream()
        current.write(`event: endpoint\ndata: /messages?session=${streams.length}\n\n`)
      },
    )
    return { server, streams }
  }

  test("works where asked for, and comes back after its stream broke off", async () => {
    const { server, streams } = await sseServer()
    await using _server = server
    const events: McpEvent[] = []
    const more = {
      transport: "sse",
      headers: { "x-key": "k" },
      onEvent: (event: McpEvent) => events.push(event),
    } as const
    await using client = clientOf(server, more)
    expect(textOf(await client.callTool("t", {}))).toBe("old")
    expect(server.others[0]?.headers["x-key"]).toBe("k")
    const silent = expect(client.callTool("silent", {})).rejects.toMatchObject({ code: "connection_closed" })
    await until(() => server.requests.some(({ params }) => params["name"] === "silent"), "the call")
    streams[0]?.response.destroy()
    await silent
    expect(textOf(await client.callTool("t", {}))).toBe("old")
    expect(streams).toHaveLength(2)
    expect(events.map(({ type }) => type)).toContain("lost")
  })
})
