import { replaceAmbient } from "@agentscope-ts/message"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { afterEach, expect, test } from "vitest"
import { type AuthServerOptions, browse, startAuthServer } from "../fixtures/auth-server.ts"
import { person } from "../fixtures/sign-in.ts"
import { HttpMcpClient } from "../http-mcp-client.ts"
import { StatelessMcpClient } from "../stateless-mcp-client.ts"

let undo: (() => void) | undefined
afterEach(() => {
  undo?.()
  undo = undefined
})

function mcpServer() {
  const server = new McpServer({ name: "guarded", version: "1.0.0" })
  server.registerTool("hello", { description: "Says hello." }, async () => ({
    content: [{ type: "text", text: "hello" }],
  }))
  return server
}

const streamable: NonNullable<AuthServerOptions["serve"]> = async (_path, request, response, body) => {
  const transport = new StreamableHTTPServerTransport({})
  const server = mcpServer()
  response.on("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, body === "" ? undefined : JSON.parse(body))
}

function sse(): NonNullable<AuthServerOptions["serve"]> {
  let transport: SSEServerTransport | undefined
  return async (path, request, response, body) => {
    if (path === "/mcp/messages") return transport?.handlePostMessage(request, response, JSON.parse(body))
    transport = new SSEServerTransport("/mcp/messages", response)
    await mcpServer().connect(transport)
  }
}

for (const transport of ["streamable-http", "sse"] as const) {
  test(`a client over ${transport} signs in once, and again when its token is refused`, async () => {
    await using server = await startAuthServer({ serve: transport === "sse" ? sse() : streamable })
    await using client = new HttpMcpClient({ name: "guarded", url: server.url, transport, auth: person() })
    await client.connect()
    const results = await Promise.all([client.callTool("hello", {}), client.callTool("hello", {})])
    expect(results).toMatchObject([{ content: [{ text: "hello" }] }, { content: [{ text: "hello" }] }])
    expect(server.paths("/token")).toHaveLength(1)
    server.expire()
    await Promise.all([client.callTool("hello", {}), client.callTool("hello", {})])
    expect(server.paths("/token").map(({ body }) => new URLSearchParams(body).get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ])
  })
}

test("a client that connects for each call signs in once", async () => {
  await using server = await startAuthServer({ serve: streamable })
  const client = new StatelessMcpClient({ name: "guarded", url: server.url, auth: person() })
  await client.callTool("hello", {})
  await client.callTool("hello", {})
  expect(server.paths("/token")).toHaveLength(1)
})

test("a login that fails is what connecting and calling fail with, unchanged", async () => {
  const auth = person({ onRedirect: async (url) => (await browse(url)).replace("state=", "state=x") })
  await using server = await startAuthServer({ serve: streamable })
  await using client = new HttpMcpClient({ name: "guarded", url: server.url, auth })
  await expect(client.connect()).rejects.toMatchObject({ code: "auth_denied" })
  await using stepping = await startAuthServer({
    serve: streamable,
    needs: (body) => (body.includes("tools/call") ? "call" : "read"),
    grants: () => "read",
  })
  await using reader = new HttpMcpClient({ name: "guarded", url: stepping.url, auth: person() })
  await reader.connect()
  await expect(reader.callTool("hello", {})).rejects.toMatchObject({ code: "auth_rejected" })
})

test("the time that a person takes does not count as the server's", async () => {
  let now = 0
  const timers: (() => void)[] = []
  undo = replaceAmbient({
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms === 7_777) timers.push(resolve)
        signal?.addEventListener("abort", () => reject(signal.reason))
      }),
  })
  await using server = await startAuthServer({ serve: streamable })
  const onRedirect = (url: URL) => {
    now += 100_000
    for (const fire of timers) fire()
    return browse(url)
  }
  const auth = person({ onRedirect })
  await using client = new HttpMcpClient({ name: "guarded", url: server.url, auth, connectTimeoutMs: 7_777 })
  await client.connect()
  expect(timers.length).toBeGreaterThan(0)
})

test("closing a client ends the login that it waits for", async () => {
  const shown = Promise.withResolvers<AbortSignal>()
  const onRedirect = (_url: URL, { signal }: { signal: AbortSignal }) => {
    shown.resolve(signal)
    return new Promise<string>(() => {})
  }
  await using server = await startAuthServer({ serve: streamable })
  const client = new HttpMcpClient({ name: "guarded", url: server.url, auth: person({ onRedirect }) })
  const connecting = client.connect()
  const signal = await shown.promise
  const failed = expect(connecting).rejects.toThrow()
  await client.close()
  await failed
  expect(signal.aborted).toBe(true)
})
