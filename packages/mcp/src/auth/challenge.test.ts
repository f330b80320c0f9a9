import { expect, test } from "vitest"
import { readChallenge } from "./challenge.ts"

const cases: [string | null, object][] = [
  [null, {}],
  ["", {}],
  ["Bearer", {}],
  ["Basic realm=x", {}],
  ['Bearer scope="a b", error="insufficient_scope"', { scope: "a b", error: "insufficient_scope" }],
  ["bearer error=invalid_token,scope=a", { error: "invalid_token", scope: "a" }],
  ['Bearer realm="say \\"hi\\", scope=no", scope = "yes"', { scope: "yes" }],
  ['Basic realm="b", Bearer scope="a"', { scope: "a" }],
  ['Bearer scope="a", DPoP scope="d", error="x"', { scope: "a" }],
  ['Negotiate abc==, Bearer resource_metadata="https://x.example/m"', { resourceMetadata: "https://x.example/m" }],
  ['Bearer xscope="no", SCOPE="yes", scope="second"', { scope: "yes" }],
  ['Bearer scope="unfinished', {}],
  ['Bearer scope="a" @@@ error="b"', { scope: "a" }],
  ['Bearer scope=""', {}],
]

for (const [header, expected] of cases) {
  test(`reads ${header}`, () => expect(readChallenge(header)).toEqual(expected))
}

test("a long header takes no long time", () => {
  for (const header of [
    `Bearer ${'a="'.repeat(100_000)}`,
    `Bearer ${"a ".repeat(100_000)}`,
    `Bearer scope="${"\\".repeat(99_999)}`,
  ]) {
    const start = performance.now()
    readChallenge(header)
    expect(performance.now() - start).toBeLessThan(200)
  }
})
