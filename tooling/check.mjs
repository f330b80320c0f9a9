// `pnpm check`: everything that must hold before a commit, in order of speed. `pnpm check NAME…` runs only those named.
import { spawnSync } from "node:child_process"

const steps = {
  format: "biome format .",
  lint: "oxlint --type-aware --deny-warnings packages apps tooling",
  imports: "node tooling/checks/imports.mjs",
  "field-reports": "node tooling/checks/field-reports.mjs",
  traces: "node tooling/checks/traces.mjs",
  types: "tsc -p tsconfig.json",
  unused: "knip",
  build: "turbo run build --output-logs=errors-only",
  tarballs: "node tooling/checks/tarballs.mjs",
  readmes: "node tooling/checks/readme-examples.mjs",
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in steps))
if (unknown.length > 0) {
  console.error(`check: no step ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}`)
  process.exit(2)
}
const failed = []
for (const [name, line] of Object.entries(steps)) {
  if (named.length > 0 && !named.includes(name)) continue
  const [command, ...args] = line.split(" ")
  const start = performance.now()
  const done = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  })
  const passed = done.status === 0
  if (!passed) failed.push(name)
  console.log(`${passed ? "ok  " : "FAIL"} ${name} ${((performance.now() - start) / 1000).toFixed(1)} s`)
  if (!passed) console.log(`${done.stdout ?? ""}${done.stderr ?? ""}${done.error ?? ""}`)
}
if (failed.length > 0) console.log(`check: ${failed.join(", ")} failed`)
process.exit(failed.length > 0 ? 1 : 0)
