import { inspect } from "node:util"
import { AgentScopeError, replaceAmbient } from "@agentscope-ts/message"
import { afterEach, expect, test } from "vitest"
import { type AuthServerOptions, browse, startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"
import { transportAuth } from "./mcp-auth.ts"

let undo: (() => void) | undefined
afterEach(() => {
  undo?.()
  undo = undefined
})

const metadata = "/.well-known/oauth-authorization-server"
const resource = "/.well-known/oauth-protected-resource/mcp"

/** A server that answers one path in its own way. */
const answers = (
  at: string,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): AuthServerOptions => ({
  intercept: (path, _request, response) => {
    if (path !== at) return false
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    return true
  },
})

const huge = `{"issuer":"${"x".repeat(2_000_000)}"}`

const bad: [string, AuthServerOptions, string, string | RegExp][] = [
  ["resource metadata that is no JSON", answers(resource, 200, "<oops"), "auth_metadata", "no JSON object"],
  ["resource metadata that is a list", answers(resource, 200, "[]"), "auth_metadata", "no JSON object"],
  ["resource metadata without a resource", answers(resource, 200, "{}"), "auth_metadata", '"resource"'],
  [
    "resource metadata of another server",
    { resource: (json) => ({ ...json, resource: "https://other.example/mcp" }) },
    "auth_metadata",
    "https://other.example/mcp",
  ],
  [
    "resource metadata of a path beside",
    { resource: (json) => ({ ...json, resource: `${String(json["resource"])}2` }) },
    "auth_metadata",
    "/mcp2",
  ],
  ["resource metadata that is huge", answers(resource, 200, huge), "auth_metadata", "1024 KiB"],
  ["resource metadata behind a fault", answers(resource, 503, "{}"), "auth_unreachable", "503"],
  [
    "resource metadata that moved to another host",
    answers(resource, 302, "", { location: "http://localhost:1/x" }),
    "auth_metadata",
    "not followed",
  ],
  [
    "resource metadata that redirects for ever",
    answers(resource, 302, "", { location: resource }),
    "auth_metadata",
    "not followed",
  ],
  ["an authorization server without metadata", answers(metadata, 404, "{}"), "auth_metadata", "no metadata"],
  ["authorization server metadata that is no JSON", answers(metadata, 200, "oops"), "auth_metadata", "no JSON object"],
  [
    "authorization server metadata without an endpoint",
    { metadata: (json) => ({ ...json, token_endpoint: undefined }) },
    "auth_metadata",
    '"token_endpoint"',
  ],
  ["authorization server metadata that is huge", answers(metadata, 200, huge), "auth_metadata", "1024 KiB"],
  [
    "the metadata of another issuer",
    { metadata: (json) => ({ ...json, issuer: "https://evil.example" }) },
    "auth_metadata",
    "https://evil.example",
  ],
  [
    "a server of its own with the issuer of another",
    { oneServer: true, resourcePath: null, metadata: (json) => ({ ...json, issuer: "https://evil.example" }) },
    "auth_metadata",
    "https://evil.example",
  ],
  [
    "an authorization server over http elsewhere",
    { resource: (json) => ({ ...json, authorization_servers: ["http://192.0.2.1/"] }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "an authorization server that is a script",
    { resource: (json) => ({ ...json, authorization_servers: ["javascript:alert(1)"] }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "an authorization endpoint over http elsewhere",
    { metadata: (json) => ({ ...json, authorization_endpoint: "http://192.0.2.1/authorize" }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "an authorization endpoint that is a script",
    { metadata: (json) => ({ ...json, authorization_endpoint: "javascript:alert(1)" }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "a token endpoint over http elsewhere",
    { metadata: (json) => ({ ...json, token_endpoint: "http://192.0.2.1/token" }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "a registration endpoint over http elsewhere",
    { metadata: (json) => ({ ...json, registration_endpoint: "http://192.0.2.1/register" }) },
    "auth_metadata",
    "not safe",
  ],
  [
    "a server that does not say that it checks PKCE",
    { metadata: (json) => ({ ...json, code_challenge_methods_supported: undefined }) },
    "auth_unsupported",
    "PKCE",
  ],
  [
    "a server that checks only plain PKCE",
    { metadata: (json) => ({ ...json, code_challenge_methods_supported: ["plain"] }) },
    "auth_unsupported",
    "PKCE",
  ],
  [
    "a server that gives no codes",
    { metadata: (json) => ({ ...json, response_types_supported: ["token"] }) },
    "auth_unsupported",
    "codes",
  ],
  [
    "a registration that is refused",
    answers("/register", 400, '{"error":"invalid_redirect_uri"}'),
    "auth_denied",
    "invalid_redirect_uri",
  ],
  ["a registration that gives no client", answers("/register", 201, "{}"), "auth_metadata", '"client_id"'],
  ["a token endpoint with a fault", answers("/token", 502, "<html>"), "auth_unreachable", "502"],
  [
    "a token endpoint that moved",
    answers("/token", 307, "", { location: "http://localhost:1/token" }),
    "auth_metadata",
    "not followed",
  ],
  [
    "a refusal with HTTP 200",
    answers("/token", 200, '{"error":"bad_verification_code"}'),
    "auth_denied",
    "bad_verification_code",
  ],
  ["tokens that are no JSON", answers("/token", 200, "oops"), "auth_metadata", '"access_token"'],
  [
    "a token that fits no header",
    answers("/token", 200, '{"access_token":"a\\nb","token_type":"Bearer"}'),
    "auth_metadata",
    '"access_token"',
  ],
  [
    "a token of another type",
    answers("/token", 200, '{"access_token":"abc","token_type":"DPoP"}'),
    "auth_metadata",
    "dpop",
  ],
  [
    "a login that was refused",
    {
      callback: (back) => (
        back.delete("code"), back.set("error", "access_denied"), back.set("error_description", "No,\nthanks")
      ),
    },
    "auth_denied",
    "access_denied (No, thanks)",
  ],
  [
    "a login that came back with another state",
    { callback: (back) => back.set("state", "other") },
    "auth_denied",
    '"state"',
  ],
  ["a login that came back without state", { callback: (back) => back.delete("state") }, "auth_denied", '"state"'],
  [
    "a refusal with another state",
    { callback: (back) => (back.set("error", "x"), back.set("state", "other")) },
    "auth_denied",
    '"state"',
  ],
  [
    "a login that came back without a code",
    { callback: (back) => back.delete("code") },
    "auth_denied",
    "without a code",
  ],
  [
    "a login that came back from another issuer",
    { callback: (back) => back.set("iss", "https://evil.example") },
    "auth_denied",
    "https://evil.example",
  ],
  [
    "a login without the issuer that was promised",
    { metadata: (json) => ({ ...json, authorization_response_iss_parameter_supported: true }) },
    "auth_denied",
    "without the name",
  ],
  [
    "a code that is not known",
    { callback: (back) => back.set("code", "c0de-of-another") },
    "auth_denied",
    "invalid_grant",
  ],
]

for (const [title, options, code, words] of bad) {
  test(`${title}: ${code}, and nothing secret is said`, async () => {
    await using server = await startAuthServer(options)
    const error = await call(person(), server.url).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, retryable: code === "auth_unreachable" })
    expect((error as Error).message).toMatch(words)
    const said = inspect(error, { depth: 10 })
    const bodies = server.seen.map(({ body }) => new URLSearchParams(body))
    for (const name of ["code", "code_verifier", "client_secret", "refresh_token"]) {
      for (const body of bodies) if (body.has(name)) expect(said).not.toContain(body.get(name))
    }
  })
}

test("a web page in the place of metadata is no metadata", async () => {
  await using server = await startAuthServer({
    oneServer: true,
    challenge: false,
    resourcePath: null,
    intercept: (path, _request, response) => {
      if (!path.includes("oauth-protected-resource")) return false
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>")
      return true
    },
  })
  expect(await call(person(), server.url)).toMatchObject({ status: 200 })
})

test("secrets that a server repeats are taken out of its words", async () => {
  const clientSecret = "very-secret-value"
  const words = JSON.stringify({ error: "invalid_client", error_description: `bad secret ${clientSecret}` })
  await using server = await startAuthServer(answers("/token", 401, words))
  const auth = { type: "client_credentials", clientId: "app", clientSecret } as const
  const error = await call(auth, server.url).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "auth_denied", details: { error: "invalid_client", status: 401 } })
  expect(inspect(error, { depth: 10 })).not.toContain(clientSecret)
})

for (const path of [resource, metadata, "/register", "/token"]) {
  test(`${path} that never answers ends at the time limit`, async () => {
    const timers: (() => void)[] = []
    undo = replaceAmbient({
      sleep: (ms) => new Promise((resolve) => (ms === 30_000 ? timers.push(resolve) : undefined)),
    })
    // time stands still until the endpoint hangs
    await using server = await startAuthServer({
      intercept: (at) => {
        if (at === path) timers.at(-1)?.()
        return at === path
      },
    })
    const calling = call(person(), server.url)
    await expect(calling).rejects.toMatchObject({
      code: "auth_unreachable",
      retryable: true,
      message: expect.stringContaining("30 s"),
    })
  })
}

test("a body that never ends is given up at the time limit too", async () => {
  const timers: (() => void)[] = []
  undo = replaceAmbient({ sleep: (ms) => new Promise((resolve) => (ms === 30_000 ? timers.push(resolve) : undefined)) })
  await using server = await startAuthServer({
    intercept: (at, _request, response) => {
      if (at !== "/token") return false
      response.writeHead(200, { "content-type": "application/json" }).write('{"access_token":', () => timers.at(-1)?.())
      return true
    },
  })
  await expect(call(person(), server.url)).rejects.toMatchObject({ code: "auth_unreachable" })
})

test("an authorization server that is not there is told with its address", async () => {
  await using gone = await startAuthServer()
  await gone.close()
  await using server = await startAuthServer({
    resource: (json) => ({ ...json, authorization_servers: [gone.issuer] }),
  })
  const error = await call(person(), server.url).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "auth_unreachable", retryable: true })
  expect((error as Error).message).toContain(gone.issuer)
})

test("credentials go to no other authorization server than the one that is expected", async () => {
  await using evil = await startAuthServer({ clients: { app: { secret: "x123" } } })
  const auth = {
    type: "client_credentials",
    clientId: "app",
    clientSecret: "x123",
    issuer: "https://auth.example",
  } as const
  await expect(call(auth, evil.url)).rejects.toMatchObject({
    code: "auth_denied",
    message: expect.stringContaining("https://auth.example"),
  })
  expect(evil.paths("/token")).toEqual([])
  expect(await call({ ...auth, issuer: evil.issuer }, evil.url)).toMatchObject({ status: 200 })
})

test("tokens go to the server's own origin alone, and follow no redirect", async () => {
  await using other = await startAuthServer()
  await using server = await startAuthServer()
  const { fetch } = transportAuth(person(), server.url)
  expect((await fetch(server.url, { method: "POST" })).status).toBe(200)
  await (await fetch(other.url, { method: "POST" })).body?.cancel()
  expect(other.paths("/mcp")[0]?.headers.authorization).toBeUndefined()
  await using moved = await startAuthServer({
    intercept: (path, request, response) => {
      if (path !== "/mcp" || request.headers.authorization === undefined) return false
      response.writeHead(307, { location: other.url }).end()
      return true
    },
  })
  expect((await transportAuth(person(), moved.url).fetch(moved.url, { method: "POST" })).status).toBe(307)
  expect(other.paths("/mcp")).toHaveLength(1)
})

test("a server elsewhere cannot send the client to this machine", async () => {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input instanceof Request ? input.url : input))
    const header = 'Bearer resource_metadata="http://127.0.0.1:8080/admin"'
    return new Response(null, { status: 401, headers: { "www-authenticate": header } })
  }
  const error = await transportAuth(person(), "https://mcp.example/mcp", { fetch })
    .fetch("https://mcp.example/mcp")
    .catch((thrown: unknown) => thrown)
  expect(AgentScopeError.is(error) && error.code).toBe("auth_metadata")
  expect(asked).toEqual(["https://mcp.example/mcp"])
})

test("a person who says nothing but has a redirect address is told what is missing", async () => {
  await using server = await startAuthServer()
  await expect(call(person({ onRedirect: () => {} }), server.url)).rejects.toMatchObject({ code: "invalid_auth" })
  await expect(
    call(person({ onRedirect: () => "https://elsewhere.example/?code=a" }), server.url),
  ).rejects.toMatchObject({ code: "auth_denied" })
  await expect(call(person({ onRedirect: () => "" }), server.url)).rejects.toMatchObject({ code: "auth_denied" })
})

test("what came back to another address is not taken", async () => {
  await using server = await startAuthServer()
  for (const [from, to] of [
    ["127.0.0.1:9", "127.0.0.1:8"],
    ["/callback", "/other"],
    ["http:", "https:"],
  ] as const) {
    const onRedirect = async (url: URL) => (await browse(url)).replace(from, to)
    await expect(call(person({ onRedirect }), server.url)).rejects.toMatchObject({
      code: "auth_denied",
      message: expect.stringContaining("came back to"),
    })
  }
})

test("a bare code will do", async () => {
  await using server = await startAuthServer()
  const onRedirect = async (url: URL) => new URL(await browse(url)).searchParams.get("code") ?? ""
  expect(await call(person({ onRedirect }), server.url)).toMatchObject({ status: 200 })
})

test("however long and odd a server's names are, errors stay short and on one line", async () => {
  const long = `https://evil.example/${"x".repeat(500_000)}`
  await using server = await startAuthServer({ metadata: (json) => ({ ...json, issuer: `${long}\r\nSet-Cookie: a` }) })
  await using plain = await startAuthServer()
  const onRedirect = async (url: URL) => `${await browse(url)}&iss=${encodeURIComponent(`${long}\n`)}`
  for (const calling of [call(person(), server.url), call(person({ onRedirect }), plain.url)]) {
    const error = (await calling.catch((thrown: unknown) => thrown)) as Error
    expect(error.message).toContain("https://evil.example")
    expect(error.message).not.toMatch(/[\r\n]/)
    expect(error.message.length).toBeLessThan(1000)
  }
})
