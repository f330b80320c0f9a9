// `pnpm bench`: every contestant in a process of its own, interleaved and in rotated order, against one loopback model.
//   --quick        3 repetitions of fewer runs: for the direction, not for a verdict
//   --only NAME    the measures whose name starts with NAME; may be given more than once
//   --reps N       repetitions (7 unless given; 9 for the runs in flight)
//   --peer NAME    one more contestant from peers/NAME.mjs; may be given more than once
//   --write        puts the tables into the READMEs and everything into results.json; with --only, those rows
//   --list         the names of the measures
import { fork, spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { installSize } from "./install-size.mjs"
import { measures } from "./measures.mjs"
import { machineFacts, mergeRows, summarise, table, verdictOf, writeBetweenMarkers } from "./report.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")

const { values: flags } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    reps: { type: "string" },
    peer: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
})

const all = measures(flags)
if (flags.list) {
  for (const { name } of all) console.log(name)
  process.exit(0)
}
const chosen = all.filter(({ name }) => flags.only.length === 0 || flags.only.some((only) => name.startsWith(only)))
if (chosen.length === 0) fail(`no measure starts with ${flags.only.join(" or ")}; --list names them`)
if (!existsSync(join(root, "packages/agent/dist/index.js"))) fail("the packages are not built: run pnpm build first")

const everywhere = ["floor", "floor-http", "agentscope", ...flags.peer]
const contestants = Object.fromEntries([
  ...["floor", "floor-http", "agentscope", "bare-spans", "toolkit"].map((name) => [
    name,
    join(here, "contestants", `${name}.mjs`),
  ]),
  ...flags.peer.map((name) => [name, join(here, "peers", `${name}.mjs`)]),
])
for (const name of flags.peer) await checkPeer(name)

let coldRuns = 0
const server = await startServer()
const started = performance.now()
const rows = []
try {
  await work("floor", { job: "rounds", args: { k: 20, stream: true, warmups: 0, runs: 20 } }) // warms the server
  for (const measure of chosen) rows.push(...(await take(measure)))
} finally {
  server.process.disconnect()
}
if (flags.only.length === 0) rows.push(sizeRow())

console.log(`\n${table(rows)}\n`)
const over = rows.filter((row) => row.verdict === "over").map((row) => row.id)
const between = rows.filter((row) => row.verdict === "between").map((row) => row.id)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `${rows.length} rows in ${seconds} s; between target and limit: ${between.join(", ") || "none"}; over: ${over.join(", ") || "none"}`,
)
if (flags.write) write()

/** All repetitions of one measure: the order of the contestants moves on by one each time. */
async function take(measure) {
  const entries = measure.entries ?? everywhere.map((name) => ({ key: name, contestant: name, options: undefined }))
  const count = flags.reps ? Number(flags.reps) : flags.quick ? 3 : (measure.reps ?? 7)
  const reps = []
  for (let rep = 0; rep < count; rep++) {
    const results = {}
    for (let i = 0; i < entries.length; i++) {
      const { key, contestant, options } = entries[(i + rep) % entries.length]
      results[key] = measure.cold
        ? await coldStart(contestant, measure.args)
        : await work(contestant, { job: measure.job, args: measure.args, tools: measure.tools, options })
    }
    reps.push(results)
  }
  const made = measure.rows.map((row) => ({ ...summarise(row, reps), reps }))
  for (const row of made) console.log(table([row]).split("\n")[2])
  return made.map(({ reps: samples, ...row }, i) => (i === 0 ? { ...row, samples } : row))
}

async function work(contestant, job) {
  const before = job.options?.traced ? await serverFacts() : undefined
  const input = { ...job, url: `${server.url}/v1` }
  const result = await child([
    "--expose-gc",
    // code that is thrown away between two looks at the heap would count as if sessions had shrunk
    "--no-flush-bytecode",
    join(here, "worker.mjs"),
    pathToFileURL(contestants[contestant]).href,
    JSON.stringify(input),
  ])
  if (before) {
    const { k, runs, warmups } = job.args
    result.spansPerRound = ((await serverFacts()).spans - before.spans) / (k * (runs + warmups))
  }
  return result
}

async function coldStart(contestant, { tools }) {
  const model = `cold-${++coldRuns}`
  const input = { url: `${server.url}/v1`, model, tools }
  const start = performance.timeOrigin + performance.now()
  const result = await child([
    join(here, "cold.mjs"),
    pathToFileURL(contestants[contestant]).href,
    JSON.stringify(input),
  ])
  return { ...result, firstRequestMs: (await serverFacts()).firstSeen[model] - start }
}

/** A Node process that prints one JSON value. */
function child(args) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" }
    const running = spawn(process.execPath, args, { cwd: here, env, stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    running.stdout.on("data", (part) => {
      text += part
    })
    running.on("error", reject)
    running.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(text))
      else reject(new Error(`${args.join(" ")} ended with ${code}`))
    })
  })
}

async function startServer() {
  const running = fork(join(here, "model-server.mjs"), { silent: true })
  running.stderr.pipe(process.stderr)
  const port = await new Promise((resolve) => running.stdout.once("data", (line) => resolve(Number(line))))
  return { process: running, url: `http://127.0.0.1:${port}` }
}

async function serverFacts() {
  return (await fetch(server.url)).json()
}

async function checkPeer(name) {
  const file = contestants[name]
  if (!existsSync(file)) fail(`there is no peers/${name}.mjs`)
  const { needs } = await import(pathToFileURL(file).href)
  if (!(await needs.installed())) fail(`the peer ${name} is not installed: ${needs.install}`)
}

function sizeRow() {
  const { mb, packages, others } = installSize(join(root, "packages"))
  const row = {
    id: "install",
    label: `install, our ${packages} packages`,
    unit: "MB",
    compared: "MB",
    target: 1.5,
    failAbove: 3,
  }
  return {
    ...row,
    figures: { agentscope: mb },
    value: mb,
    others: {},
    verdict: verdictOf(mb, row),
    dependencies: others,
  }
}

/** A run of some measures puts its rows in the place of theirs; a full run, or one on another machine, starts anew. */
function write() {
  const machine = machineFacts()
  const file = join(here, "results.json")
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
  const same = flags.only.length > 0 && JSON.stringify(before?.machine) === JSON.stringify(machine)
  const ids = [...all.flatMap((measure) => measure.rows.map(({ id }) => id)), "install"]
  const kept = same ? mergeRows(before.rows, rows, ids) : rows
  const measured = { date: new Date().toISOString().slice(0, 10), machine, quick: flags.quick, rows: kept }
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
  spawnSync(join(root, "node_modules/.bin/biome"), ["format", "--write", file], { cwd: root }) // as the checks want it
  const { cpu, cores, memoryGib, node } = machine
  const facts = `Medians, ${measured.date}, ${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}; \`pnpm build && pnpm bench\` measures again.`
  const put = (path, name, shown) => {
    if (!writeBetweenMarkers(join(root, path), `${table(shown)}\n\n${facts}`, name))
      fail(`${path} has no <!-- ${name}:start -->`)
  }
  put(
    "README.md",
    "bench",
    kept.filter((row) => !row.wire),
  )
  put(
    "tooling/bench/README.md",
    "providers",
    kept.filter((row) => row.wire),
  )
}

function fail(message) {
  console.error(`bench: ${message}`)
  process.exit(1)
}
