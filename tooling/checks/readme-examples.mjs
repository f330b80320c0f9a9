// Extracts every ```ts block of the READMEs and of the guides in apps/docs, type-checks them together, and runs them offline.
// A block marked `no-run` is only type-checked; one marked `continues` goes on where the block before it ended; one marked
// `file=NAME.ts` can be imported as `./NAME.ts` by the others of its page.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { report, root, workspacePackages } from "./workspace.mjs"

// inside apps/examples, which depends on every package, so that the blocks resolve what a user would have installed
const folder = join(root, "apps/examples/.generated")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const guides = readdirSync(join(root, "apps/docs")).filter((name) => name.endsWith(".md"))
const readmes = [".", ...workspacePackages().map((entry) => entry.folder)].map((dir) => join(dir, "README.md"))
const blocks = []
const pages = [...readmes.filter((file) => existsSync(join(root, file))), ...guides.map((name) => `apps/docs/${name}`)]
for (const file of pages) {
  const stem = file.replace(/\/?README\.md$|\.md$/, "").replaceAll("/", "-") || "root"
  mkdirSync(join(folder, stem))
  let before = ""
  for (const [index, match] of [
    ...readFileSync(join(root, file), "utf8").matchAll(/^```ts([^\n]*)\n([\s\S]*?)^```$/gm),
  ].entries()) {
    const code = (match[1].includes("continues") ? before : "") + match[2]
    const [, own = String(index + 1)] = match[1].match(/file=([\w-]+)\.ts/) ?? []
    blocks.push({ name: `${stem}/${own}`, file, runs: !match[1].includes("no-run"), code })
    before = code
  }
}
for (const { name, code } of blocks) writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {}\n`)
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: "../../../tooling/config/tsconfig.base.json",
    compilerOptions: { noEmit: true, lib: ["es2024", "esnext", "dom"] },
    include: ["*/*.ts"],
  }),
)

const problems = []
const types = spawnSync("tsc", ["-p", folder], { cwd: root, encoding: "utf8" })
if (types.status !== 0) problems.push(`type errors\n${types.stdout}`)
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/(_API_KEY|_BASE_URL)$/.test(key)))
for (const { name, file, runs } of blocks) {
  if (!runs) continue
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(folder, `${name}.ts`)],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22.18",
    logLevel: "error",
  })
  const cwd = join(folder, `${name}.run`)
  mkdirSync(cwd)
  const run = spawnSync(process.execPath, [outfile], { cwd, env, encoding: "utf8", timeout: 30_000 })
  if (run.status !== 0)
    problems.push(`${file}: example ${name} failed with ${run.status ?? run.signal}\n${run.stdout}${run.stderr}`)
}
if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
report("README examples", problems, `${blocks.length} blocks, ${blocks.filter((block) => block.runs).length} run,`)
