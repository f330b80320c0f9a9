import { expect, test } from "vitest"
import { type AuthServerOptions, startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"

const variants: [string, AuthServerOptions][] = [
  ["by the challenge", { resourcePath: "/somewhere/else.json" }],
  ["by the well-known address with the path", { challenge: false }],
  [
    "by the well-known address at the root",
    { challenge: false, resourcePath: "/.well-known/oauth-protected-resource" },
  ],
  ["of an issuer with a path (RFC 8414)", { issuerPath: "/tenant" }],
  [
    "of an issuer with a path (OpenID, path at the end)",
    { issuerPath: "/tenant", metadataPath: "/.well-known/openid-configuration/tenant" },
  ],
  [
    "of an issuer with a path (OpenID, path at the start)",
    { issuerPath: "/tenant", metadataPath: "/tenant/.well-known/openid-configuration" },
  ],
  ["of an OpenID provider at the root", { metadataPath: "/.well-known/openid-configuration" }],
  ["of a server that is its own authorization server", { oneServer: true, resourcePath: null }],
  [
    "of such a server with a path",
    {
      oneServer: true,
      resourcePath: null,
      issuerPath: "/oauth",
      metadataPath: "/.well-known/oauth-authorization-server",
    },
  ],
  [
    "of such a server without metadata",
    { oneServer: true, resourcePath: null, metadataPath: null, authMethods: ["client_secret_basic"] },
  ],
  [
    "of an issuer that is listed with one slash more",
    {
      resource: (json) => ({
        ...json,
        authorization_servers: [`${String((json["authorization_servers"] as string[])[0])}/`],
      }),
    },
  ],
]

test("follows a redirect of metadata on the same server", async () => {
  const moved = "/.well-known/oauth-protected-resource/mcp"
  await using server = await startAuthServer({
    challenge: false,
    resourcePath: "/moved.json",
    intercept: (path, _request, response) => {
      if (path === moved) response.writeHead(308, { location: "/moved.json" }).end()
      return path === moved
    },
  })
  expect(await call(person(), server.url)).toMatchObject({ status: 200 })
})

for (const [title, options] of variants) {
  test(`finds the authorization server ${title}`, async () => {
    await using server = await startAuthServer(options)
    expect(await call(person(), server.url)).toMatchObject({ status: 200 })
    expect(server.paths(`${options.issuerPath ?? ""}/token`)).toHaveLength(1)
  })
}
