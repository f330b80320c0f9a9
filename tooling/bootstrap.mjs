// Makes `npm start` and `npm test` work on a machine that has only Node 20 (or newer) and npm: puts the pinned pnpm, and
// Node where the running one is too old, into a private cache folder, installs the workspace when something changed, and
// hands over to the task. No dependencies, runs on Node >= 18, writes to stderr only, changes nothing global.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { constants, homedir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const pinnedNode = "24.21.0"
const oldestNode = [24, 11]
const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const windows = process.platform === "win32"
const [task, ...args] = process.argv.slice(2)
const script = manifest.scripts[`do:${task}`]

const say = (line) => process.stderr.write(`bootstrap: ${line}\n`)
function fail(line, status = 1) {
  say(line)
  process.exit(status)
}

/** What npm set for its own run must not steer the npm and pnpm started here; where packages come from must. */
const kept = /^npm_config_(registry|userconfig|globalconfig|cache|proxy|https_proxy|ca|cafile|strict_ssl|offline)$/i
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key) || kept.test(key)))

function run(command, commandArgs, cwd, hint) {
  // what a package manager prints is shown only when it fails: a user reads one line per step, and stdout stays the task's
  const done = spawnSync(command, commandArgs, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    shell: windows,
  })
  if (done.signal === "SIGINT") process.exit(130)
  if (done.error) fail(`cannot start ${command}: ${done.error.message}. ${hint}`)
  if (done.status === 0) return
  process.stderr.write(`${done.stdout}${done.stderr}`)
  fail(`${command} ${commandArgs[0]} failed with status ${done.status ?? done.signal}. ${hint}`, done.status || 1)
}

function nodeIsRight() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}

/** The folder with the pinned tools' executables; filled on the first start, then only looked at. */
function toolchain() {
  const platform = windows ? "win" : process.platform
  // the platform's own package, not `node`: that one needs an install script, which npm 12 does not run
  const withNode = [manifest.packageManager, `node-${platform}-${process.arch}@${pinnedNode}`]
  // a start within a start runs on the pinned Node already, and finds the folder that has both
  const choices = nodeIsRight() ? [[manifest.packageManager], withNode] : [withNode]
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "agentscope-ts", "toolchain")
  const folderOf = (wanted) => join(cache, wanted.join("+"))
  const binOf = (folder) => join(folder, "node_modules", ".bin")
  const isComplete = (folder) => existsSync(join(folder, "complete"))
  const ready = choices.map(folderOf).find(isComplete)
  if (ready) return binOf(ready)
  const wanted = choices[0]
  const folder = folderOf(wanted)
  say(`fetching ${wanted.join(" and ")} into ${folder}`)
  const draft = `${folder}.${process.pid}`
  process.once("exit", () => rmSync(draft, { recursive: true, force: true }))
  try {
    mkdirSync(draft, { recursive: true })
    writeFileSync(join(draft, "package.json"), '{"private":true}')
  } catch (error) {
    fail(`cannot write ${draft}: ${error.message}. Set XDG_CACHE_HOME to a folder that can be written.`)
  }
  const flags = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", "--fetch-retries=1"]
  run(
    "npm",
    ["install", ...flags, ...wanted],
    draft,
    `It needs the npm registry once; or install Node ${oldestNode.join(".")} or newer yourself.`,
  )
  writeFileSync(join(draft, "complete"), "")
  try {
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } catch (error) {
    // another start was faster: its folder is as good as ours
    if (!isComplete(folder)) throw error
  }
  return binOf(folder)
}

/** Everything an install depends on, as one hash. */
function installKey() {
  const hash = createHash("sha256").update(process.arch + process.platform)
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"]
  for (const folder of ["packages", "apps", "tooling"]) {
    for (const name of readdirSync(join(root, folder)).sort()) {
      files.push(join(folder, name, "package.json"))
    }
  }
  for (const file of files) {
    const path = join(root, file)
    if (existsSync(path)) hash.update(file).update(readFileSync(path))
  }
  return hash.digest("hex")
}

function install() {
  const stamp = join(root, "node_modules", ".agentscope-installed")
  const key = installKey()
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return
  say("installing dependencies")
  const flags = ["--frozen-lockfile", "--prefer-offline", "--reporter=append-only", "--loglevel=error"]
  run(
    "pnpm",
    ["install", ...flags],
    root,
    "Remove node_modules and try again; the first install needs the npm registry.",
  )
  writeFileSync(stamp, key)
}

if (!script) {
  const tasks = Object.keys(manifest.scripts).flatMap((name) => (name.startsWith("do:") ? [name.slice(3)] : []))
  fail(`unknown task "${task ?? ""}": one of ${tasks.join(", ")}`, 2)
}
if (task === "example" && !(args[0] && existsSync(resolve(root, args[0])))) {
  fail(`${args[0] ? `there is no ${args[0]}` : "no file given"}: npm run example FILE, a path from ${root}`, 2)
}
// Ctrl-C goes to the whole foreground group: it is the task's to answer, and this process only waits for the task
process.on("SIGINT", () => {})
env.PATH = [toolchain(), env.PATH ?? env.Path].join(delimiter)
env.TURBO_TELEMETRY_DISABLED = env.DO_NOT_TRACK = "1"
install()
env.PATH = [join(root, "node_modules", ".bin"), env.PATH].join(delimiter)

const [command, ...fixed] = script.split(" ")
const child = spawn(command, [...fixed, ...args], { cwd: root, env, stdio: "inherit", shell: windows })
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("error", (error) => fail(`cannot start ${command}: ${error.message}`))
child.on("exit", (status, signal) => process.exit(status ?? 128 + (constants.signals[signal] ?? 1)))
