const newline = 10
const carriageReturn = 13
const mark = [105, 100, 58] // "id:"

/** Whether a stream of server-sent events has named an id: only then can it be taken up again. */
export class EventIdScan {
  /** How much of a line's beginning has matched; -1 once it has not. */
  #at = 0
  found = false

  push(chunk: Uint8Array): void {
    if (this.found) return
    for (const byte of chunk) {
      if (byte === newline || byte === carriageReturn) this.#at = 0
      else if (this.#at >= 0 && byte === mark[this.#at]) {
        this.#at += 1
        if (this.#at === mark.length) {
          this.found = true
          return
        }
      } else this.#at = -1
    }
  }
}
