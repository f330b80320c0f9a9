import { table } from "./traffic-report.ts"

/** The vectors that ours are not equal to, by file and name, and why: a defect of the reference that is not repeated. */
export const unequalVectors: Readonly<Record<string, string>> = {}

/** The page that counts the vectors, and tells of those that are not equal. */
export function vectorReport(counts: ReadonlyMap<string, { readonly equal: number; readonly all: number }>): string {
  const rows = [...counts].map(([file, { equal, all }]) => [file, `${equal}/${all}`])
  const sum = (of: "equal" | "all") => [...counts.values()].reduce((total, count) => total + count[of], 0)
  const unequal = Object.entries(unequalVectors)
  const why = unequal.length === 0 ? "All are equal." : table([["vector", "why it is not equal"], ...unequal])
  return `# How the formatters compare with AgentScope for Python

The tests in \`tooling/conformance\` write this page and fail when it is not what they find: after a change
\`pnpm vitest run --project conformance -u\` writes it anew. Each vector is formatted twice: with results in system messages, as
Python has them, and in tool messages, as ours are.

${table([["formatter", "equal"], ...rows, ["**all**", `${sum("equal")}/${sum("all")}`]], (column) => column > 0)}

${why}
`
}
