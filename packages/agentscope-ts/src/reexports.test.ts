import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
const packages = resolve(import.meta.dirname, "../..")
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(resolve(packages, folder, "package.json"), "utf8")) as Manifest
const load = (file: string) => import(/* @vite-ignore */ file) as Promise<Record<string, unknown>>
const sourceOf = (folder: string, subpath: string) => {
  const target = manifestOf(folder).exports?.[subpath] as Readonly<Record<string, string>> | undefined
  return target === undefined ? undefined : resolve(packages, folder, target["@agentscope-ts/source"] ?? "")
}

const umbrella = manifestOf("agentscope-ts")
const flat = ["message", "model", "state", "tool", "memory", "agent", "pipeline"]
const scoped = "@agentscope-ts/"
const folders = readdirSync(packages).filter(
  (folder) => existsSync(resolve(packages, folder, "package.json")) && manifestOf(folder).name.startsWith(scoped),
)
/** `tracing/node` for the subpath `./node` of tracing, `tracing` for its main entry. */
const entries = folders.flatMap((folder) =>
  Object.keys(manifestOf(folder).exports ?? {}).map((subpath) => ({
    folder,
    subpath,
    name: folder + subpath.slice(1),
  })),
)

test("every package is a dependency or an optional peer", () => {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = umbrella
  for (const folder of folders) {
    const name = scoped + folder
    const known = name in dependencies || (name in peerDependencies && peerDependenciesMeta[name]?.optional === true)
    expect(known, `${name} in package.json of agentscope-ts`).toBe(true)
  }
})

test.each(entries)("everything of $name is reachable, and is the same", async ({ folder, subpath, name }) => {
  const target = flat.includes(folder) && subpath === "." ? "." : `./${name}`
  const file = sourceOf("agentscope-ts", target)
  expect(file, `the entry "${target}" in package.json of agentscope-ts`).toBeDefined()
  const own = await load(sourceOf(folder, subpath) ?? "")
  const ours = await load(file ?? "")
  // a name that two of the flat packages have would be missing here
  for (const [key, value] of Object.entries(own)) expect(ours[key], `${key} of ${name}`).toBe(value)
  if (target !== ".") expect(Object.keys(ours)).toEqual(Object.keys(own))
})

test("each entry is built, published and typed under its own path", () => {
  const config = readFileSync(resolve(packages, "agentscope-ts/tsup.config.ts"), "utf8")
  const { exports: published } = JSON.parse(readFileSync(resolve(packages, "agentscope-ts/package.json"), "utf8"))
    .publishConfig as { exports: Record<string, unknown> }
  for (const [subpath, target] of Object.entries(umbrella.exports ?? {})) {
    const path = subpath === "." ? "index" : subpath.slice(2)
    expect(target).toEqual({
      "@agentscope-ts/source": `./src/${path}.ts`,
      types: `./dist/${path}.d.ts`,
      default: `./dist/${path}.js`,
    })
    expect(published[subpath]).toEqual({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` })
    expect(config).toContain(`"src/${path}.ts"`)
  }
})
