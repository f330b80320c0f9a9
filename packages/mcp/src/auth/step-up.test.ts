import { expect, test } from "vitest"
import { browse, startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"
import type { McpSignIn } from "./mcp-auth.ts"

/** A person whose logins are noted by the scopes that they asked for. */
function watched(more: Partial<McpSignIn> = {}) {
  const scopes: (string | null)[] = []
  const onRedirect = (url: URL) => {
    scopes.push(url.searchParams.get("scope"))
    return browse(url)
  }
  return { scopes, auth: person({ onRedirect, ...more }) }
}

test("asks for the scopes of the challenge, else for those that are listed, else for none", async () => {
  const listed = (json: Record<string, unknown>) => ({ ...json, scopes_supported: ["x", "y"] })
  await using named = await startAuthServer({ needs: () => "a b", resource: listed })
  await using lists = await startAuthServer({ resource: listed })
  await using silent = await startAuthServer()
  const { scopes, auth } = watched()
  for (const { url } of [named, lists, silent]) await call(auth, url)
  expect(scopes).toEqual(["a b", "x y", null])
})

test("asks for the user's scopes and those of the challenge", async () => {
  await using server = await startAuthServer({
    needs: () => "a",
    resource: (json) => ({ ...json, scopes_supported: ["x"] }),
  })
  const { scopes, auth } = watched({ scope: "mine" })
  await call(auth, server.url)
  expect(scopes).toEqual(["mine a"])
})

test("asks for a refresh token where the server wants that in words, and only beside other scopes", async () => {
  const metadata = (json: Record<string, unknown>) => ({ ...json, scopes_supported: ["offline_access"] })
  await using server = await startAuthServer({ needs: () => "a", metadata })
  await using silent = await startAuthServer({ metadata })
  const { scopes, auth } = watched()
  for (const { url } of [server, silent]) await call(auth, url)
  expect(scopes).toEqual(["a offline_access", null])
})

test("steps up when one request needs more, keeping what it had", async () => {
  await using server = await startAuthServer({ needs: (body) => (body === "write" ? "write" : "read") })
  const { scopes, auth } = watched()
  expect(await call(auth, server.url)).toEqual({ status: 200, scope: "read" })
  expect(await call(auth, server.url, { body: "write" })).toEqual({ status: 200, scope: "read write" })
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(scopes).toEqual(["read", "read write"])
})

test("does not ask again for scopes that were asked for and not granted", async () => {
  await using server = await startAuthServer({ needs: () => "admin", grants: () => "" })
  const { scopes, auth } = watched()
  for (let i = 0; i < 2; i++) {
    await expect(call(auth, server.url)).rejects.toMatchObject({
      code: "auth_rejected",
      retryable: false,
      details: { error: "insufficient_scope" },
    })
  }
  expect(scopes).toEqual(["admin"])
})

test("ends when a server asks for another scope each time", async () => {
  let asks = 0
  await using server = await startAuthServer({ needs: () => `scope${asks++}` })
  const { scopes, auth } = watched()
  await expect(call(auth, server.url)).rejects.toMatchObject({ code: "auth_rejected" })
  expect(scopes.length).toBeLessThanOrEqual(4)
  expect(server.paths("/mcp").length).toBeLessThanOrEqual(5)
})

test("ends when a server refuses a token that was just given", async () => {
  await using server = await startAuthServer({
    intercept: (path, _request, response) => {
      if (path !== "/mcp") return false
      response.writeHead(401).end()
      return true
    },
  })
  const { scopes, auth } = watched()
  await expect(call(auth, server.url)).rejects.toMatchObject({ code: "auth_rejected", details: { status: 401 } })
  expect(scopes).toHaveLength(1)
  expect(server.paths("/mcp")).toHaveLength(2)
})

test("a 403 for another reason is the caller's", async () => {
  await using server = await startAuthServer({
    intercept: (path, _request, response) => {
      if (path !== "/mcp") return false
      response.writeHead(403, { "content-type": "application/json" }).end("{}")
      return true
    },
  })
  const { scopes, auth } = watched()
  expect(await call(auth, server.url)).toEqual({ status: 403 })
  expect(scopes).toEqual([])
})
