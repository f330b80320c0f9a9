// An empty project with the packed tarballs installed, as a user has them.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packAll } from "./tarballs.mjs"

/** Without keys: nothing here may reach a provider. */
export const keylessEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith("_API_KEY")))

/** Makes the project; `dependencies` are installed beside the packages. Disposable. */
export function smokeProject(dependencies = {}) {
  const folder = mkdtempSync(join(tmpdir(), "agentscope-smoke-"))
  const local = Object.fromEntries(packAll().map(({ name, tarball }) => [name, `file:${tarball}`]))
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies: { ...local, zod: "4.6.7", ...dependencies } }),
  )
  writeFileSync(
    join(folder, "pnpm-workspace.yaml"),
    `pmOnFail: ignore\nallowBuilds:\n  protobufjs: false\noverrides:\n${Object.entries(local)
      .map(([name, spec]) => `  ${JSON.stringify(name)}: ${JSON.stringify(spec)}\n`)
      .join("")}`,
  )
  const done = spawnSync("pnpm", ["install", "--prefer-offline", "--loglevel=error"], { cwd: folder, stdio: "inherit" })
  if (done.status !== 0) throw new Error("pnpm could not install the packed packages")
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
