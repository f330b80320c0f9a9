import { expect, it } from "vitest"
import { Targets } from "./targets.ts"

it("are made once for each path, with its query and that of the base URL", () => {
  const targets = new Targets({ baseURL: "https://x/base?a=1", headers: { "x-key": "k" } })
  const target = targets.of("v1/go?b=2")
  expect(target).toMatchObject({ url: "https://x/base/v1/go?a=1&b=2" })
  expect(targets.of("v1/go?b=2")).toBe(target)
  expect(targets.of("v1/go")).toMatchObject({ url: "https://x/base/v1/go?a=1" })
  const withPrefix = new Targets({ baseURL: "https://x", prefix: "v1/m:", headers: {} })
  expect(withPrefix.of("go")).toMatchObject({ url: "https://x/v1/m:go" })
})

it("are asked for each time where their headers expire", async () => {
  let count = 0
  const auth = () => Promise.resolve({ authorization: `t${++count}`, "x-mine": "auth" })
  const targets = new Targets({ baseURL: "https://x", headers: { "x-mine": "own" }, auth })
  expect((await targets.of("go")).headers).toEqual(expect.arrayContaining(["authorization", "t1", "x-mine", "own"]))
  expect((await targets.of("go")).headers).toContain("t2")
})
