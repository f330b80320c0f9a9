import { replaceAmbient } from "@agentscope-ts/message"
import { afterEach, expect, test } from "vitest"
import { browse, startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"
import { type McpAuthRecord, type McpAuthStore, memoryAuthStore } from "./auth-store.ts"
import { transportAuth } from "./mcp-auth.ts"

let undo: (() => void) | undefined
afterEach(() => {
  undo?.()
  undo = undefined
})

const grants = (server: { paths: (path: string) => { body: string }[] }) =>
  server.paths("/token").map(({ body }) => new URLSearchParams(body).get("grant_type"))

/** A person who has not come back yet. */
function undecided() {
  const shown = Promise.withResolvers<URL>()
  const answer = Promise.withResolvers<string>()
  let logins = 0
  let told: AbortSignal | undefined
  const auth = person({
    onRedirect: (url, { signal }) => {
      logins++
      told = signal
      shown.resolve(url)
      return answer.promise
    },
  })
  const consent = async () => answer.resolve(await browse(await shown.promise))
  return { auth, shown: shown.promise, consent, count: () => logins, signal: () => told }
}

test("two requests at once make one login", async () => {
  await using server = await startAuthServer()
  const { auth, consent, count } = undecided()
  const both = [call(auth, server.url), call(auth, server.url), call(auth, server.url)]
  await consent()
  expect(await Promise.all(both)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }])
  expect(count()).toBe(1)
  expect(grants(server)).toEqual(["authorization_code"])
})

test("says that a login is under way, for as long as it is", async () => {
  await using server = await startAuthServer()
  const { auth, consent, shown } = undecided()
  const transport = transportAuth(auth, server.url)
  expect(transport.pending()).toBeUndefined()
  const calling = transport.fetch(server.url, { method: "POST" })
  await shown
  const pending = transport.pending()
  expect(pending).toBeInstanceOf(Promise)
  await consent()
  await pending
  expect((await calling).status).toBe(200)
  expect(transport.pending()).toBeUndefined()
})

test("who gives up leaves the login to the others; the last one ends it", async () => {
  await using server = await startAuthServer()
  const { auth, consent, shown, signal } = undecided()
  const [first, second] = [new AbortController(), new AbortController()]
  const one = call(auth, server.url, { signal: first.signal })
  const two = call(auth, server.url, { signal: second.signal })
  await shown
  first.abort(new Error("enough"))
  await expect(one).rejects.toThrow("enough")
  expect(signal()?.aborted).toBe(false)
  await consent()
  expect(await two).toMatchObject({ status: 200 })

  const other = undecided()
  const alone = new AbortController()
  const three = call(other.auth, server.url, { signal: alone.signal })
  await other.shown
  alone.abort(new Error("enough"))
  await expect(three).rejects.toThrow("enough")
  expect(other.signal()?.aborted).toBe(true)
  expect(transportAuth(other.auth, server.url).pending()).toBeUndefined()
})

test("an abort ends the wait for an endpoint", async () => {
  const asked = Promise.withResolvers<void>()
  await using server = await startAuthServer({
    intercept: (path) => {
      if (path === "/token") asked.resolve()
      return path === "/token"
    },
  })
  const controller = new AbortController()
  const calling = call(person(), server.url, { signal: controller.signal })
  await asked.promise
  controller.abort(new Error("enough"))
  await expect(calling).rejects.toThrow("enough")
})

test("a person who never comes back is waited for as long as it says", async () => {
  await using server = await startAuthServer()
  const waits: number[] = []
  undo = replaceAmbient({
    sleep: (ms) => {
      waits.push(ms)
      return ms === 300_000 ? Promise.resolve() : new Promise(() => {})
    },
  })
  const { auth, signal } = undecided()
  await expect(call(auth, server.url)).rejects.toMatchObject({
    code: "auth_denied",
    message: expect.stringContaining("300 s"),
  })
  expect(signal()?.aborted).toBe(true)
  expect(waits).toContain(300_000)
})

test("refreshes a token that the server refuses, each refresh token once", async () => {
  await using server = await startAuthServer()
  const auth = person()
  for (let i = 0; i < 3; i++) {
    expect(await call(auth, server.url)).toMatchObject({ status: 200 })
    server.expire()
  }
  expect(grants(server)).toEqual(["authorization_code", "refresh_token", "refresh_token"])
})

test("refreshes a token before it is sent once its time is over", async () => {
  await using server = await startAuthServer({ tokenSeconds: 60 })
  let now = 1_000_000
  undo = replaceAmbient({ now: () => now })
  const auth = person()
  await call(auth, server.url)
  now += 59_000
  await call(auth, server.url)
  expect(grants(server)).toEqual(["authorization_code"])
  now += 1_000
  const before = server.paths("/mcp").length
  await call(auth, server.url)
  expect(grants(server)).toEqual(["authorization_code", "refresh_token"])
  expect(server.paths("/mcp").length).toBe(before + 1)
})

test("refreshes where the metadata lies at an address that only the first refusal named", async () => {
  await using server = await startAuthServer({ tokenSeconds: 60, resourcePath: "/elsewhere.json" })
  let now = 1_000_000
  undo = replaceAmbient({ now: () => now })
  const auth = person()
  await call(auth, server.url)
  now += 61_000
  await call(auth, server.url)
  expect(grants(server)).toEqual(["authorization_code", "refresh_token"])
})

test("a refresh token that is spent leads to a new login", async () => {
  await using server = await startAuthServer({
    intercept: (path, _request, response, body) => {
      if (path !== "/token" || !body.includes("refresh_token=")) return false
      response.writeHead(400).end('{"error":"invalid_grant"}')
      return true
    },
  })
  const auth = person()
  await call(auth, server.url)
  server.expire()
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(grants(server)).toEqual(["authorization_code", "refresh_token", "authorization_code"])
})

test("a refreshed token that is refused leads to a login, and that to an end", async () => {
  await using server = await startAuthServer()
  const auth = person()
  await call(auth, server.url)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (new Request(input).url === server.url) server.expire()
    return globalThis.fetch(input, init)
  }
  const calling = transportAuth(auth, server.url, { fetch }).fetch(server.url, { method: "POST" })
  await expect(calling).rejects.toMatchObject({ code: "auth_rejected" })
  expect(grants(server)).toEqual(["authorization_code", "refresh_token", "authorization_code"])
})

test("a fault of the server during a refresh asks nobody to sign in", async () => {
  let down = false
  await using server = await startAuthServer({
    intercept: (path, _request, response) => {
      if (path !== "/token" || !down) return false
      response.writeHead(503).end()
      return true
    },
  })
  let logins = 0
  const auth = person({ onRedirect: (url) => (logins++, browse(url)) })
  await call(auth, server.url)
  server.expire()
  down = true
  await expect(call(auth, server.url)).rejects.toMatchObject({ code: "auth_unreachable", retryable: true })
  down = false
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(logins).toBe(1)
})

test("a store keeps the login for the next program, as plain JSON", async () => {
  await using server = await startAuthServer()
  const kept = new Map<string, string>()
  const store: McpAuthStore = {
    load: async (key) => JSON.parse(kept.get(key) ?? "null") ?? undefined,
    save: async (key, record) => void kept.set(key, JSON.stringify(record)),
  }
  await call(person({ store }), server.url)
  expect([...kept.keys()]).toEqual([server.url])
  const never = () => Promise.reject(new Error("no login"))
  expect(await call(person({ store, onRedirect: never }), server.url)).toMatchObject({ status: 200 })
  server.expire()
  expect(await call(person({ store, onRedirect: never }), server.url)).toMatchObject({ status: 200 })
  kept.set(server.url, '"garbage"')
  expect(await call(person({ store }), server.url)).toMatchObject({ status: 200 })
})

test("takes the tokens that another program stored meanwhile", async () => {
  await using server = await startAuthServer()
  const store = memoryAuthStore()
  const [one, two] = [person({ store }), person({ store })]
  await call(one, server.url)
  await call(two, server.url)
  server.expire()
  await call(one, server.url)
  await call(two, server.url)
  expect(grants(server)).toEqual(["authorization_code", "refresh_token"])
})

test("a store that fails makes the request fail", async () => {
  await using server = await startAuthServer()
  const store = { ...memoryAuthStore(), save: () => Promise.reject(new Error("disk full")) }
  await expect(call(person({ store }), server.url)).rejects.toThrow("disk full")
})

test("nothing of one authorization server is shown to the next", async () => {
  await using old = await startAuthServer({ authMethods: ["client_secret_post"] })
  let issuer = old.issuer
  await using server = await startAuthServer({ resource: (json) => ({ ...json, authorization_servers: [issuer] }) })
  const stored: McpAuthRecord = {
    issuer,
    client: { clientId: "old-client", clientSecret: "old-secret", redirectUris: [person().redirectUrl ?? ""] },
    tokens: { accessToken: "old-token", refreshToken: "old-refresh" },
  }
  const store = memoryAuthStore()
  await store.save(server.url, stored)
  issuer = server.issuer
  expect(await call(person({ store }), server.url)).toMatchObject({ status: 200 })
  for (const { body } of server.seen) expect(body).not.toMatch(/old-(client|secret|refresh)/)
  expect((await store.load(server.url))?.issuer).toBe(server.issuer)
})

test("a client that the server has forgotten is registered again", async () => {
  await using server = await startAuthServer({ refreshTokens: false })
  const auth = person()
  await call(auth, server.url)
  server.clients.clear()
  server.expire()
  await expect(call(auth, server.url)).rejects.toMatchObject({ code: "auth_denied" })
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(server.paths("/register")).toHaveLength(2)
})

test("a client whose secret ran out is registered again", async () => {
  let now = Date.now()
  undo = replaceAmbient({ now: () => now })
  await using server = await startAuthServer({
    refreshTokens: false,
    intercept: (path, _request, response) => {
      if (path !== "/register") return false
      const client = { client_id: `app${server.paths("/register").length}`, client_secret: "x123" }
      server.clients.set(client.client_id, client)
      response.writeHead(201).end(JSON.stringify({ ...client, client_secret_expires_at: now / 1000 + 10 }))
      return true
    },
  })
  const auth = person()
  await call(auth, server.url)
  server.expire()
  now += 20_000
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(server.paths("/register")).toHaveLength(2)
})

test("the end of a session asks nobody to sign in", async () => {
  await using server = await startAuthServer()
  const never = person({ onRedirect: () => Promise.reject(new Error("no login")) })
  expect((await transportAuth(never, server.url).fetch(server.url, { method: "DELETE" })).status).toBe(401)
})

test("a Request can be sent again, its body too", async () => {
  await using server = await startAuthServer()
  const request = new Request(server.url, { method: "POST", body: "hello" })
  expect((await transportAuth(person(), server.url).fetch(request)).status).toBe(200)
  expect(server.paths("/mcp").map(({ body }) => body)).toEqual(["hello", "hello"])
})
