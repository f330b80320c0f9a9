// `npm run tarballs -- NAME…`: builds and packs every published package into ./tarballs, and prints the `npm install` line
// for those named (all, where none is) with the packages of ours that they need: npm cannot find these elsewhere.
import { spawnSync } from "node:child_process"
import { relative } from "node:path"
import { packAll } from "./checks/tarballs.mjs"
import { publicPackages, root } from "./checks/workspace.mjs"
import { neededBy } from "./needed-packages.mjs"

const manifests = publicPackages().map(({ manifest }) => manifest)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !manifests.some((manifest) => manifest.name === name))
if (unknown.length > 0) {
  console.error(`tarballs: no package ${unknown.join(", ")}; there are ${manifests.map(({ name }) => name).join(", ")}`)
  process.exit(2)
}
const built = spawnSync("turbo", ["run", "build", "--output-logs=errors-only"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
  shell: process.platform === "win32",
})
if (built.status !== 0) process.exit(built.status ?? 1)
const needed = neededBy(named.length > 0 ? named : manifests.map(({ name }) => name), manifests)
const packed = packAll(`${root}/tarballs`).filter(({ name }) => needed.has(name))
console.error(`tarballs: packed into ${relative(process.cwd(), `${root}/tarballs`)}. In your project:`)
console.log(`npm install ${packed.map(({ tarball }) => tarball).join(" ")}`)
