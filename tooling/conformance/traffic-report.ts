import type { Cassette } from "@agentscope-ts/testing"

/** What came of one check. */
export interface Verdict {
  readonly provider: string
  readonly group: string
  readonly check: string
  /** There for checks of recorded traffic. */
  readonly cassette: Cassette | undefined
  passed: boolean
}

const score = (verdicts: readonly Verdict[]): string =>
  verdicts.length === 0 ? "" : `${verdicts.filter(({ passed }) => passed).length}/${verdicts.length}`

/** A Markdown table as the formatter would write it. */
export function table(rows: readonly (readonly string[])[], right: (column: number) => boolean = () => false): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)))
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, i) => (right(i) ? (row[i] ?? "").padStart(width) : (row[i] ?? "").padEnd(width))).join(" | ")} |`
  const rule = `| ${widths.map((width, i) => (right(i) ? `${"-".repeat(width - 1)}:` : "-".repeat(width))).join(" | ")} |`
  const [head = [], ...body] = rows
  return [line(head), rule, ...body.map(line)].join("\n")
}

const byName = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The page that counts what was checked, by wire format and category, and by provider and behaviour. */
export function trafficReport(verdicts: readonly Verdict[]): string {
  const recorded = verdicts.filter(({ cassette }) => cassette !== undefined)
  const apis = [...new Set(recorded.map(({ cassette }) => cassette?.api ?? ""))].toSorted(byName)
  const categories = [...new Set(recorded.flatMap(({ cassette }) => cassette?.categories ?? []))].toSorted(byName)
  const providers = [...new Set(verdicts.map(({ provider }) => provider))].toSorted(byName)
  const groups = [...new Set(verdicts.map(({ group }) => group))]
  const of = (api: string, category?: string) =>
    recorded.filter(
      ({ cassette }) => cassette?.api === api && (category === undefined || cassette.categories.includes(category)),
    )
  const traffic = [
    ["category", ...apis],
    ...categories.map((category) => [category, ...apis.map((api) => score(of(api, category)))]),
    ["**all**", ...apis.map((api) => score(of(api)))],
  ]
  const behaviour = [
    ["what is checked", ...providers],
    ...groups.map((group) => [
      group,
      ...providers.map((provider) =>
        score(verdicts.filter((verdict) => verdict.provider === provider && verdict.group === group)),
      ),
    ]),
  ]
  return `# What the providers pass

The tests in \`tooling/conformance\` write this page and fail when it is not what they find: after a change
\`pnpm vitest run --project conformance -u\` writes it anew. A cell says how many passed of how many there are.

## Recorded traffic, by wire format and category

${score(recorded)} recorded interchanges are read as they were meant: as a whole, event by event, line by line, byte by byte
and in random pieces, half of the time over a real connection. An interchange counts in each of its categories.

${table(traffic, (column) => column > 0)}

## Behaviour, by provider

${table(behaviour, (column) => column > 0)}

What each line stands for is told in the README of \`@agentscope-ts/testing\`.
`
}
