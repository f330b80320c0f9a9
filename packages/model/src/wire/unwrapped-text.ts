/** Arguments as they come; of a wrapped answer, `{"value": …}`, only what is inside. */
export class UnwrappedText {
  /** All that was pushed. */
  given = ""
  readonly #wrapped: boolean
  /** Whether the start of the value was found: what comes then is its text. */
  #inside = false
  /** Of a wrapped answer: what is not told yet, since it may be the wrapping. */
  #held = ""

  constructor(wrapped: boolean) {
    this.#wrapped = wrapped
  }

  /** Takes a piece and returns what of the value it tells. */
  push(json: string): string {
    this.given += json
    if (!this.#wrapped) return json
    this.#held += json
    if (!this.#inside) {
      const start = /^\s*\{\s*"value"\s*:\s*(?=\S)/.exec(this.#held)
      if (!start) return ""
      this.#inside = true
      this.#held = this.#held.slice(start[0].length)
    }
    // the last brace closes the wrapping, and which one is the last is known only when more comes
    let end = this.#held.length
    while (end > 0 && " \t\r\n}".includes(this.#held.charAt(end - 1))) end--
    const told = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    return told
  }

  /** The last of the value's text, once all has come. */
  rest(): string {
    const rest = this.#inside ? this.#held.replace(/\}\s*$/, "").trimEnd() : this.#held
    this.#held = ""
    return rest
  }

  /** The parsed value, undefined where it is no JSON. */
  value(): unknown {
    try {
      const value: unknown = JSON.parse(this.given)
      if (!this.#wrapped || typeof value !== "object" || value === null || !("value" in value)) return value
      return value.value
    } catch {
      return undefined
    }
  }
}
