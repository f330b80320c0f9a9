import { expect, test } from "vitest"
import { person } from "../fixtures/sign-in.ts"
import { transportAuth } from "./mcp-auth.ts"

const wrong: [string, object, string][] = [
  ["an unknown type", { type: "magic" }, '"type"'],
  ["no way to show the login", { type: "sign_in" }, '"onRedirect"'],
  [
    "a metadata document without a path",
    { ...person(), clientMetadataUrl: "https://app.example" },
    '"clientMetadataUrl"',
  ],
  [
    "a metadata document over http",
    { ...person(), clientMetadataUrl: "http://app.example/c.json" },
    '"clientMetadataUrl"',
  ],
  ["a secret without its client", { ...person(), clientSecret: "abc" }, '"clientId"'],
  ["a program without a proof", { type: "client_credentials", clientId: "app" }, '"privateKey"'],
  ["an issuer that is no address", { ...person(), issuer: "me" }, '"issuer"'],
  ["a company without an identity provider", { type: "cross_app_access", clientId: "app" }, '"identityProvider'],
]
for (const [title, auth, words] of wrong) {
  test(`${title} is told at once`, () => {
    expect(() => transportAuth(auth as never, "https://mcp.example/mcp")).toThrow(
      expect.objectContaining({ code: "invalid_auth", message: expect.stringContaining(words) }) as Error,
    )
  })
}

test("no token travels in the clear", () => {
  expect(() => transportAuth(person(), "http://mcp.example/mcp")).toThrow(
    expect.objectContaining({ code: "invalid_auth" }) as Error,
  )
  for (const url of ["http://localhost:1/mcp", "http://[::1]:1/mcp", "http://127.9.9.9/mcp", "https://mcp.example"]) {
    expect(() => transportAuth(person(), url)).not.toThrow()
  }
})
