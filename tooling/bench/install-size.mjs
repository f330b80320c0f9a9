// What our own packages take on disk when an application installs an agent with OpenAI: the files that are published, unpacked.
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** @returns {{ mb: number, packages: number, others: string[] }} `others`: what other packages these ones name as dependencies. */
export function installSize(packagesFolder, names = ["agent", "tool", "model-openai"]) {
  const scope = "@agentscope-ts/"
  const seen = new Set()
  const others = new Set()
  let bytes = 0
  const visit = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    const folder = join(packagesFolder, name)
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    for (const file of publishedFiles(folder, manifest)) bytes += statSync(join(folder, file)).size
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (dependency.startsWith(scope)) visit(dependency.slice(scope.length))
      else others.add(dependency)
    }
  }
  for (const name of names) visit(name)
  return { mb: bytes / 1e6, packages: seen.size, others: [...others] }
}

function publishedFiles(folder, manifest) {
  const left = new Set(["package.json", "README.md", "LICENSE"].filter((file) => existsSync(join(folder, file))))
  for (const pattern of manifest.files ?? []) {
    const out = pattern.startsWith("!")
    const path = out ? pattern.slice(1) : pattern
    const isFile = (file) => statSync(join(folder, file)).isFile()
    const files = [path, `${path}/**`].flatMap((glob) => globSync(glob, { cwd: folder })).filter(isFile)
    for (const file of files) {
      if (out) left.delete(file)
      else left.add(file)
    }
  }
  return left
}
