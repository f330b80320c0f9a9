import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
// @ts-expect-error a plain script without declarations
import { neededBy } from "../needed-packages.mjs"

it("names the packages that those asked for need, and theirs", () => {
  const manifests = [
    { name: "a", dependencies: { b: "*", zod: "*" } },
    { name: "b", peerDependencies: { c: "*" } },
    { name: "c", dependencies: { a: "*" } },
    { name: "d" },
  ]
  expect([...(neededBy(["a"], manifests) as Set<string>)]).toEqual(["a", "b", "c"])
})

it("refuses a package that is not ours before it builds", () => {
  const script = join(dirname(fileURLToPath(import.meta.url)), "../tarballs.mjs")
  const done = spawnSync(process.execPath, [script, "@agentscope-ts/agnt"], { encoding: "utf8" })
  expect(done.status).toBe(2)
  expect(done.stderr).toContain("no package @agentscope-ts/agnt; there are ")
})
