import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { objectsIn, textIn } from "@agentscope-ts/model/wire"

type Key = string | number
type Holder = Record<Key, JsonValue>
type Piece = Readonly<Record<string, unknown>>

const step = /\.([^.[\]]+)|\[(\d+)\]|\[(["'])((?:\\.|[^\\])*?)\3\]/g

/**
 * Arguments that come value by value with their places (`partialArgs`: `{ jsonPath: "$.a.b[0]", stringValue, willContinue }`),
 * put together twice: as the object, and as JSON text in the order of coming, for those who listen.
 */
export class PartialArgs {
  readonly value: JsonObject = {}
  #text = ""
  /** What is open, from the root on. */
  readonly #open: { readonly key: Key; readonly close: "}" | "]"; count: number }[] = []
  /** The place of the string that may go on. */
  #string: string | undefined

  /** Takes pieces and returns what they add to the text. */
  add(pieces: unknown): string {
    const before = this.#text.length
    for (const piece of objectsIn<Piece>(pieces)) this.#add(piece)
    return this.#text.slice(before)
  }

  /** The rest of the text; `whole` are arguments that came in one. */
  end(whole: JsonObject = {}): string {
    Object.assign(this.value, whole)
    const before = this.#text.length
    if (before === 0) return JSON.stringify(this.value)
    this.#closeString()
    while (this.#open.length > 0) this.#text += this.#open.pop()?.close
    return this.#text.slice(before)
  }

  #add(piece: Piece): void {
    const place = textIn(piece["jsonPath"])
    const path = [...place.matchAll(step)].map((m): Key => (m[2] ? Number(m[2]) : (m[1] ?? unescaped(m[4] ?? ""))))
    const value = valueOf(piece)
    if (path.length === 0 || value === undefined) return
    const goesOn = this.#string === place && typeof value === "string"
    if (!goesOn) this.#goTo(path)
    put(this.value, path, value, goesOn)
    const json = JSON.stringify(value)
    if (typeof value !== "string") this.#text += json
    else {
      this.#text += goesOn ? json.slice(1, -1) : json.slice(0, -1)
      this.#string = place
      if (piece["willContinue"] !== true) this.#closeString()
    }
  }

  /** Closes and opens what stands between the last value and this one. */
  #goTo(path: readonly Key[]): void {
    this.#closeString()
    if (this.#open.length === 0) this.#begin("", "}")
    let depth = 0
    while (depth < path.length - 1 && this.#open[depth + 1]?.key === path[depth]) depth++
    while (this.#open.length > depth + 1) this.#text += this.#open.pop()?.close
    for (; depth < path.length; depth++) {
      const key = path[depth] as Key
      const top = this.#open.at(-1)
      if (top) this.#text += `${top.count++ > 0 ? "," : ""}${top.close === "}" ? `${JSON.stringify(key)}:` : ""}`
      if (depth < path.length - 1) this.#begin(key, typeof path[depth + 1] === "number" ? "]" : "}")
    }
  }

  #begin(key: Key, close: "}" | "]"): void {
    this.#text += close === "}" ? "{" : "["
    this.#open.push({ key, close, count: 0 })
  }

  #closeString(): void {
    if (this.#string !== undefined) this.#text += '"'
    this.#string = undefined
  }
}

const unescaped = (key: string): string => key.replace(/\\(.)/g, "$1")

function valueOf(piece: Piece): JsonValue | undefined {
  if ("nullValue" in piece) return null
  const value = piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"]
  return typeof value === "object" ? undefined : (value as JsonValue | undefined)
}

/** Sets what is at the path, making the objects and lists on the way. */
function put(root: JsonObject, path: readonly Key[], value: JsonValue, append: boolean): void {
  let at: Holder = root
  path.forEach((key, i) => {
    const before = Object.hasOwn(at, key) ? at[key] : undefined
    const isLast = i === path.length - 1
    const next = isLast ? (append ? `${before as string}${value as string}` : value) : (before ?? emptyFor(path[i + 1]))
    // "__proto__" is a key like any other
    Object.defineProperty(at, key, { value: next, writable: true, enumerable: true, configurable: true })
    if (typeof next === "object" && next !== null) at = next as Holder
  })
}

const emptyFor = (key: Key | undefined): JsonValue => (typeof key === "number" ? [] : {})
