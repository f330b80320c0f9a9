// Faults that users of other frameworks reported each have a test of their kind, titled `FR-NN …`. Lists those without.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { filesBelow, report, root } from "./workspace.mjs"

/** The reports whose part of the system is built. */
const due = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
  33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45,
]

const titles = filesBelow("packages", ".test.ts")
  .concat(filesBelow("apps", ".test.ts"))
  .flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/["'`]FR-(\d+)\b/g)].map((match) => Number(match[1])),
  )
const missing = due.filter((number) => !titles.includes(number))
report(
  "field reports",
  missing.map((number) => `no test is titled "FR-${String(number).padStart(2, "0")} …"`),
  `${due.length} reports`,
)
