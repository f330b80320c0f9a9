import { malformed } from "./malformed.ts"
import type { TextReader } from "./post.ts"

/**
 * Reads a JSON list while it comes, as some endpoints send a stream: the listener gets the text of each object as soon as it
 * is whole, and at the end what is there of one that was cut off. What stands between objects means nothing.
 */
export class JsonListReader implements TextReader {
  readonly #listener: (text: string) => void
  readonly #maxItem: number
  /** What has come of the object that is open. */
  #item = ""
  #depth = 0
  #inString = false
  #isEscaped = false

  /** `maxItem`: the longest object in UTF-16 units; a longer one is an error, `malformed_response`. */
  constructor(listener: (text: string) => void, maxItem = 16_000_000) {
    this.#listener = listener
    this.#maxItem = maxItem
  }

  push(piece: string): void {
    let from = 0
    for (let i = 0; i < piece.length; i++) {
      const char = piece[i]
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (char === "\\") this.#isEscaped = true
        else if (char === '"') this.#inString = false
      } else if (char === '"') this.#inString = true
      else if (char === "{" && this.#depth++ === 0) from = i
      else if (char === "}" && this.#depth > 0 && --this.#depth === 0) {
        const item = this.#item + piece.slice(from, i + 1)
        this.#item = ""
        this.#listener(item)
      }
    }
    if (this.#depth > 0) this.#item += piece.slice(from)
    if (this.#item.length <= this.#maxItem) return
    throw malformed(`The stream has an object of more than ${this.#maxItem} characters: it was given up.`)
  }

  end(): void {
    const item = this.#item
    this.#item = ""
    if (item !== "") this.#listener(item)
  }
}
