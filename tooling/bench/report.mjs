// From the results of all repetitions to a table, a verdict a row, and a file.
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { median } from "./statistics.mjs"

/** `ok` reaches the target, `over` passes the limit, `between` is between; without a target there is nothing to judge. */
export function verdictOf(value, { target, failAbove, more = false }) {
  if (target === undefined || !Number.isFinite(value)) return ""
  const reaches = (limit) => (more ? value >= limit : value <= limit)
  return reaches(target) ? "ok" : failAbove === undefined || reaches(failAbove) ? "between" : "over"
}

/**
 * One row of the table from the repetitions' results.
 * @param {import("./measures.mjs").Row} row
 * @param {readonly Record<string, any>[]} reps
 */
export function summarise(row, reps, subject = "agentscope") {
  const names = [...new Set(reps.flatMap((rep) => Object.keys(rep)))]
  const figures = {}
  if (row.figure) for (const name of names) figures[name] = median(reps.map((rep) => row.figure(rep[name])))
  const values = reps.map((rep) => row.value(rep, subject))
  const value = median(values)
  const others = {}
  if (row.figure) {
    for (const name of names) if (name !== subject) others[name] = median(reps.map((rep) => row.value(rep, name)))
  }
  const { id, label, unit, compared, target, failAbove, more, wire } = row
  return {
    id,
    label,
    unit,
    compared,
    ...(more ? { more } : {}),
    ...(wire ? { wire } : {}),
    figures,
    value,
    spread: [Math.min(...values), Math.max(...values)],
    others,
    ...(target === undefined ? {} : { target, failAbove }),
    verdict: verdictOf(value, row),
  }
}

/** Rows by id: the new ones in the place of the old ones, in the order of `ids`; what is no longer measured goes. */
export function mergeRows(before, rows, ids) {
  const byId = new Map([...before, ...rows].map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Three significant digits, no exponent. */
export function short(value) {
  if (value === undefined || !Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** A Markdown table: a column a contestant, then what is judged. */
export function table(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))]
  const head = ["measure", ...names, "judged", "target", "fails past", "verdict"]
  const limit = (row, value) => (value === undefined ? "" : `${row.more ? "≥" : "≤"} ${value}`)
  const lines = rows.map((row) => [
    row.unit ? `${row.label} (${row.unit})` : row.label,
    ...names.map((name) => short(row.figures[name])),
    `${short(row.value)} ${row.compared}`,
    limit(row, row.target),
    row.failAbove === undefined ? "" : String(row.failAbove),
    row.verdict,
  ])
  const right = names.map(() => "--:")
  const line = (cells) => `| ${cells.join(" | ")} |`
  return [line(head), line(["---", ...right, "--:", "--:", "--:", "---"]), ...lines.map(line)].join("\n")
}

/** What has to be known of the machine to read the figures; nothing that names it. */
export function machineFacts() {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  }
}

/** Puts the text between the lines `<!-- NAME:start -->` and `<!-- NAME:end -->` of a file; false where it has none. */
export function writeBetweenMarkers(file, text, name = "bench") {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const before = readFileSync(file, "utf8")
  const [from, to] = [before.indexOf(start), before.indexOf(end)]
  if (from < 0 || to < from) return false
  writeFileSync(file, `${before.slice(0, from + start.length)}\n${text}\n${before.slice(to)}`)
  return true
}
