import { generateKeyPairSync } from "node:crypto"
import { inspect } from "node:util"
import { expect, test } from "vitest"
import { browse, startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"

const clientSecret = "s3cr%t/+ ü~:x"
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const publicKey = pair.publicKey.export({ type: "spki", format: "pem" }).toString()
const pem = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
const jwk = pair.privateKey.export({ format: "jwk" })

for (const method of ["none", "client_secret_basic", "client_secret_post"]) {
  test(`registers itself for ${method} where the server takes nothing else, and refreshes with it`, async () => {
    await using server = await startAuthServer({ authMethods: [method] })
    const auth = person()
    expect(await call(auth, server.url)).toMatchObject({ status: 200 })
    server.expire()
    expect(await call(auth, server.url)).toMatchObject({ status: 200 })
    const [login, refresh] = server.paths("/token")
    expect(server.paths("/token")).toHaveLength(2)
    expect(refresh?.body).toContain("grant_type=refresh_token")
    for (const request of [login, refresh]) {
      expect(request?.headers.authorization?.startsWith("Basic ") ?? false).toBe(method === "client_secret_basic")
      expect(request?.body.includes("client_secret=")).toBe(method === "client_secret_post")
    }
  })
}

for (const method of ["client_secret_basic", "client_secret_post"]) {
  test(`signs in as a client registered by hand with ${method}, whatever its secret is written with`, async () => {
    await using server = await startAuthServer({
      authMethods: [method],
      clients: { "app:1": { secret: clientSecret } },
    })
    expect(await call(person({ clientId: "app:1", clientSecret }), server.url)).toMatchObject({ status: 200 })
    expect(server.paths("/register")).toEqual([])
  })

  test(`signs in as a program with a secret by ${method}`, async () => {
    await using server = await startAuthServer({
      authMethods: [method],
      clients: { app: { secret: clientSecret } },
      refreshTokens: false,
    })
    const auth = { type: "client_credentials", clientId: "app", clientSecret, scope: "a b" } as const
    expect(await call(auth, server.url)).toEqual({ status: 200, scope: "a b" })
    server.expire()
    expect(await call(auth, server.url)).toEqual({ status: 200, scope: "a b" })
  })
}

for (const [form, key] of [
  ["PEM text", pem],
  ["a JWK", jwk],
] as const) {
  test(`signs in as a program with a private key as ${form}`, async () => {
    await using server = await startAuthServer({ authMethods: ["private_key_jwt"], clients: { app: { publicKey } } })
    const auth = {
      type: "client_credentials",
      clientId: "app",
      privateKey: { key: { ...(key as object) }, algorithm: "ES256" },
    } as const
    const fixed = typeof key === "string" ? { ...auth, privateKey: { key, algorithm: "ES256" } } : auth
    expect(await call(fixed, server.url)).toMatchObject({ status: 200 })
  })
}

test("a person signs in with a client that has a private key", async () => {
  await using server = await startAuthServer({ authMethods: ["private_key_jwt"], clients: { app: { publicKey } } })
  const auth = person({ clientId: "app", privateKey: { key: pem, algorithm: "ES256" } })
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
})

test("a key that fits no algorithm is told without quoting it", async () => {
  await using server = await startAuthServer({ authMethods: ["private_key_jwt"], clients: { app: { publicKey } } })
  const auth = {
    type: "client_credentials",
    clientId: "app",
    privateKey: { key: "not-a-key", algorithm: "ES256" },
  } as const
  const error = await call(auth, server.url).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "invalid_auth" })
  expect(inspect(error, { depth: 10 })).not.toContain("not-a-key")
})

test("is known by the address of its metadata where the server reads such documents, and registers where not", async () => {
  const clientMetadataUrl = "https://app.example/client.json"
  await using reads = await startAuthServer({
    metadata: (json) => ({ ...json, client_id_metadata_document_supported: true }),
  })
  expect(await call(person({ clientMetadataUrl }), reads.url)).toMatchObject({ status: 200 })
  expect(reads.paths("/register")).toEqual([])
  expect(reads.paths("/token")[0]?.body).toContain(encodeURIComponent(clientMetadataUrl))
  await using registers = await startAuthServer()
  expect(await call(person({ clientMetadataUrl }), registers.url)).toMatchObject({ status: 200 })
  expect(registers.paths("/register")).toHaveLength(1)
})

test("a server that lets nobody register is told with what to do", async () => {
  await using server = await startAuthServer({ metadata: (json) => ({ ...json, registration_endpoint: undefined }) })
  await expect(call(person(), server.url)).rejects.toMatchObject({
    code: "auth_unsupported",
    message: expect.stringContaining('"clientId"'),
  })
})

test("registers as a native or a web client, with refresh tokens", async () => {
  await using server = await startAuthServer()
  await call(person(), server.url)
  expect(JSON.parse(server.paths("/register")[0]?.body ?? "")).toMatchObject({
    client_name: "AgentScope",
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
  })
  await call(person({ redirectUrl: "https://app.example/back", clientName: "Acme" }), server.url)
  expect(JSON.parse(server.paths("/register")[1]?.body ?? "")).toMatchObject({
    client_name: "Acme",
    application_type: "web",
  })
})

test("a company's identity provider vouches for the person", async () => {
  await using provider = await startAuthServer({
    intercept: (path, _request, response, body) => {
      if (path !== "/token") return false
      const asked = new URLSearchParams(body)
      const right = asked.get("subject_token") === "id-token" && asked.get("client_id") === "idp-client"
      response.writeHead(right ? 200 : 400, { "content-type": "application/json" })
      const type = "urn:ietf:params:oauth:token-type:id-jag"
      response.end(JSON.stringify({ access_token: "grant", issued_token_type: type, token_type: "N_A" }))
      return true
    },
  })
  await using server = await startAuthServer({
    clients: { app: { secret: "x123" } },
    authMethods: ["client_secret_basic"],
  })
  const identityProvider = { issuer: provider.issuer, clientId: "idp-client", idToken: () => "id-token" }
  const auth = { type: "cross_app_access", clientId: "app", clientSecret: "x123", identityProvider } as const
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  const exchange = new URLSearchParams(provider.paths("/token")[0]?.body)
  expect(exchange.get("audience")).toBe(server.issuer)
  expect(exchange.get("resource")).toBe(server.url)
  expect(new URLSearchParams(server.paths("/token")[0]?.body).get("assertion")).toBe("grant")
})

test("the browser is not needed to know the resource: it is in both requests", async () => {
  await using server = await startAuthServer()
  let asked: URL | undefined
  const onRedirect = (url: URL) => {
    asked = url
    return browse(url)
  }
  await call(person({ onRedirect }), server.url)
  expect(asked?.searchParams.get("resource")).toBe(server.url)
  expect(new URLSearchParams(server.paths("/token")[0]?.body).get("resource")).toBe(server.url)
})
