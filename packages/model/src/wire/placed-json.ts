import type { JsonObject, JsonValue } from "@agentscope-ts/message"

/** The name of a property or the number of an item. */
export type JsonKey = string | number
type Holder = Record<JsonKey, JsonValue>

/**
 * An object whose values come one by one with their places, put together twice: as the object, and as JSON text in the order
 * of coming, for those who listen. The text is the object's unless values come back to a place that was left.
 */
export class PlacedJson {
  readonly value: JsonObject = {}
  #text = ""
  /** What is open, from the root on. */
  readonly #open: { readonly key: JsonKey; readonly close: "}" | "]"; count: number }[] = []
  /** The place of the string that may go on. */
  #string: string | undefined

  /** Puts a value at a place and returns what that adds to the text. `goesOn`: more of this string will come. */
  put(path: readonly JsonKey[], value: JsonValue, goesOn = false): string {
    const before = this.#text.length
    const place = JSON.stringify(path)
    const more = this.#string === place && typeof value === "string"
    if (!more) this.#goTo(path)
    set(this.value, path, value, more)
    const json = JSON.stringify(value)
    if (typeof value !== "string") this.#text += json
    else {
      this.#text += json.slice(more ? 1 : 0, -1)
      this.#string = place
      if (!goesOn) this.#closeString()
    }
    return this.#text.slice(before)
  }

  /** The rest of the text; `whole` are members that came in one. */
  end(whole: JsonObject = {}): string {
    Object.assign(this.value, whole)
    const before = this.#text.length
    if (before === 0) return JSON.stringify(this.value)
    this.#closeString()
    while (this.#open.length > 0) this.#text += this.#open.pop()?.close
    return this.#text.slice(before)
  }

  /** Closes and opens what stands between the last value and this one. */
  #goTo(path: readonly JsonKey[]): void {
    this.#closeString()
    if (this.#open.length === 0) this.#begin("", "}")
    let depth = 0
    while (depth < path.length - 1 && this.#open[depth + 1]?.key === path[depth]) depth++
    while (this.#open.length > depth + 1) this.#text += this.#open.pop()?.close
    for (; depth < path.length; depth++) {
      const key = path[depth] as JsonKey
      const top = this.#open.at(-1)
      if (top)
        this.#text += `${top.count++ > 0 ? "," : ""}${top.close === "}" ? `${JSON.stringify(String(key))}:` : ""}`
      if (depth < path.length - 1) this.#begin(key, typeof path[depth + 1] === "number" ? "]" : "}")
    }
  }

  #begin(key: JsonKey, close: "}" | "]"): void {
    this.#text += close === "}" ? "{" : "["
    this.#open.push({ key, close, count: 0 })
  }

  #closeString(): void {
    if (this.#string !== undefined) this.#text += '"'
    this.#string = undefined
  }
}

/** Sets what is at the path, making the objects and lists on the way. */
function set(root: JsonObject, path: readonly JsonKey[], value: JsonValue, append: boolean): void {
  let at: Holder = root
  path.forEach((key, i) => {
    const before = Object.hasOwn(at, key) ? at[key] : undefined
    const held = typeof before === "object" && before !== null ? before : typeof path[i + 1] === "number" ? [] : {}
    const next = i < path.length - 1 ? held : append ? `${before as string}${value as string}` : value
    // "__proto__" is a key like any other
    Object.defineProperty(at, key, { value: next, writable: true, enumerable: true, configurable: true })
    at = next as Holder
  })
}
