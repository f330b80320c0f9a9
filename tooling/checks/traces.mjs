// The repository names no path of the machine it was made on and no registry host.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { report, root } from "./workspace.mjs"

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file && existsSync(join(root, file)))
// "/root/" is also what a test of paths outside a root would name
const here = [dirname(root), homedir()].filter((path) => path.length > 3 && path !== "/root").map((path) => `${path}/`)
const problems = []
for (const file of files) {
  const text = readFileSync(join(root, file), "latin1")
  for (const path of here) if (text.includes(path)) problems.push(`${file} names ${path}`)
  if (/(^|\/)(pnpm-lock\.yaml|package-lock\.json|\.npmrc)$/.test(file) && /https?:\/\//.test(text)) {
    problems.push(`${file} records a host`)
  }
}
report("traces", problems, `${files.length} files`)
