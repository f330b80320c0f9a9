// `pnpm soak`: the long randomised suites in full; `npm test` runs a tenth of each with a fixed seed.
import { spawnSync } from "node:child_process"

const done = spawnSync("vitest", ["run", "--testTimeout=600000", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, AGENTSCOPE_SOAK: "1" },
})
process.exit(done.status ?? 1)
