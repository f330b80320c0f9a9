// What the checks need to know of the workspace.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..")

/** Every workspace package: `{ folder, path, manifest }`, `folder` relative to the root. */
export function workspacePackages() {
  return ["packages", "apps", "tooling"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(group, name))
      .filter((folder) => existsSync(join(root, folder, "package.json")))
      .map((folder) => ({
        folder,
        path: join(root, folder),
        manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")),
      })),
  )
}

/** The packages that are published. */
export const publicPackages = () => workspacePackages().filter(({ manifest }) => !manifest.private)

const skipped = new Set(["node_modules", "dist", ".turbo", ".git", ".generated"])

/** All files below a folder that end in one of the endings, as paths relative to the root. */
export function filesBelow(folder, ...endings) {
  const found = []
  const walk = (path) => {
    for (const name of readdirSync(path)) {
      if (skipped.has(name)) continue
      const child = join(path, name)
      if (statSync(child).isDirectory()) walk(child)
      else if (endings.some((ending) => name.endsWith(ending))) found.push(relative(root, child))
    }
  }
  if (existsSync(join(root, folder))) walk(join(root, folder))
  return found.sort()
}

/** Prints what is wrong and ends the process with 1; says nothing but a count when all is well. */
export function report(name, problems, checked) {
  if (problems.length === 0) {
    console.log(`${name}: ${checked} checked, none wrong`)
    return
  }
  for (const problem of problems) console.error(`${name}: ${problem}`)
  process.exitCode = 1
}
