import type { JsonKey } from "./placed-json.ts"

const step = /\.([^.[\]]+)|\[(\d+)\]|\[(["'])((?:\\.|[^\\])*?)\3\]/g

/** The keys of a JSON path to one place: `$.a[0]['b c']` → `["a", 0, "b c"]`. */
export function jsonPath(path: string): readonly JsonKey[] {
  return [...path.matchAll(step)].map(([, name, index, , quoted = ""]) =>
    index ? Number(index) : (name ?? quoted.replace(/\\(.)/g, "$1")),
  )
}
