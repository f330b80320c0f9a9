// Packs every public package as it would be published and checks the tarball: shape (publint), types as a user resolves
// them (are-the-types-wrong), and size.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { publicPackages, report, root } from "./workspace.mjs"

/** What a package costs its user: KiB of its own code, minified and gzipped, without dependencies. */
const limits = {
  "@agentscope-ts/message": 9,
  "@agentscope-ts/tracing": 5,
  "@agentscope-ts/state": 9,
  "@agentscope-ts/model": 40,
  "@agentscope-ts/testing": 36,
  "@agentscope-ts/model-openai": 17,
  "@agentscope-ts/model-anthropic": 9,
  "@agentscope-ts/model-gemini": 8,
  "@agentscope-ts/model-dashscope": 8,
  "@agentscope-ts/model-ollama": 7,
  "@agentscope-ts/model-mistral": 2,
  "@agentscope-ts/model-offline": 26,
  "@agentscope-ts/tool": 28,
  "@agentscope-ts/tools-system": 38,
  "@agentscope-ts/tools-multimodal": 12,
  "@agentscope-ts/mcp": 40,
  "@agentscope-ts/memory": 13.5,
  "@agentscope-ts/memory-mem0": 5,
  "@agentscope-ts/agent": 40,
  "@agentscope-ts/pipeline": 6,
  "agentscope-ts": 2,
}

export const packFolder = join(root, "node_modules/.cache/tarballs")

/** Packs all public packages into `folder`, which is emptied; returns `{ name, tarball }` for each. */
export function packAll(folder = packFolder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return publicPackages().map(({ path, manifest }) => {
    const done = spawnSync("pnpm", ["pack", "--pack-destination", folder], { cwd: path, encoding: "utf8" })
    if (done.status !== 0) throw new Error(`pnpm pack of ${manifest.name} failed:\n${done.stdout}${done.stderr}`)
    const stem = manifest.name.replace("@", "").replace("/", "-")
    const file = readdirSync(folder).find((name) => name.startsWith(`${stem}-${manifest.version}`))
    return { name: manifest.name, path, tarball: join(folder, file) }
  })
}

async function codeSize(path) {
  const out = await build({
    entryPoints: [join(path, "dist/index.js")],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    minify: true,
    write: false,
  })
  return gzipSync(out.outputFiles[0].contents).length / 1024
}

if (/checks[\\/]tarballs\.mjs$/.test(process.argv[1] ?? "")) {
  const problems = []
  const packed = packAll()
  for (const { name, path, tarball } of packed) {
    const shape = spawnSync("publint", ["run", tarball, "--strict"], { cwd: root, encoding: "utf8" })
    if (shape.status !== 0) problems.push(`publint ${name}\n${shape.stdout}${shape.stderr}`)
    const types = spawnSync("attw", [tarball, "--profile", "esm-only", "--no-emoji"], { cwd: root, encoding: "utf8" })
    if (types.status !== 0) problems.push(`are-the-types-wrong ${name}\n${types.stdout}${types.stderr}`)
    const size = await codeSize(path)
    const limit = limits[name]
    if (limit === undefined) problems.push(`size: ${name} has no limit in tooling/checks/tarballs.mjs`)
    else if (size > limit) problems.push(`size: ${name} is ${size.toFixed(1)} KiB, its limit is ${limit}`)
    if (process.argv.includes("--sizes"))
      console.log(name, size.toFixed(1), "KiB;", (statSync(tarball).size / 1024).toFixed(1), "KiB packed")
  }
  report("tarballs", problems, `${packed.length} packages`)
}
