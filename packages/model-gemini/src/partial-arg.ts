import type { JsonValue } from "@agentscope-ts/message"
import { type JsonKey, textIn } from "@agentscope-ts/model/wire"

const step = /\.([^.[\]]+)|\[(\d+)\]|\[(["'])((?:\\.|[^\\])*?)\3\]/g

/** One of a call's `partialArgs`: a value and its place, `{ jsonPath: "$.a.b[0]", stringValue: "x", willContinue: true }`. */
export function partialArg(
  piece: Readonly<Record<string, unknown>>,
): readonly [path: readonly JsonKey[], value: JsonValue, goesOn: boolean] | undefined {
  const path = [...textIn(piece["jsonPath"]).matchAll(step)].map(
    ([, name, index, , quoted = ""]): JsonKey => (index ? Number(index) : (name ?? quoted.replace(/\\(.)/g, "$1"))),
  )
  const told = piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"]
  const value = "nullValue" in piece ? null : told
  if (path.length === 0 || value === undefined || (typeof value === "object" && value !== null)) return undefined
  return [path, value as JsonValue, piece["willContinue"] === true]
}
