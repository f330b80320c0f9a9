import { AgentScopeError } from "./error.ts"

type Delta = { readonly type: string; readonly index: number; readonly msgId?: string; readonly id?: string }
const appended: Readonly<Record<string, "text" | "json">> = {
  text_delta: "text",
  thinking_delta: "text",
  tool_use_delta: "json",
}

/**
 * One producer that never waits, one consumer that iterates. Past `limit` waiting items (4,096), neighbouring deltas of one
 * block are joined into one with the last one's `seq`: nothing is lost, memory stays bounded by the text itself, and the
 * source is never paused.
 */
export class EventQueue<T extends { readonly type: string }> implements AsyncIterableIterator<T> {
  #items: (T | undefined)[] = []
  #head = 0
  #done = false
  #failure: { readonly error: unknown } | undefined
  #wake: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void } | undefined
  readonly #onReturn: (() => unknown) | undefined
  readonly #limit: number

  /** `onReturn` runs once when the consumer leaves before the end; leaving waits for the promise that it may return. */
  constructor(onReturn?: () => unknown, limit = 4096) {
    this.#onReturn = onReturn
    this.#limit = limit
  }

  push(item: T): void {
    const wake = this.#wake
    if (wake) {
      this.#wake = undefined
      wake.resolve({ done: false, value: item })
    } else if (!this.#done && !(this.#items.length - this.#head >= this.#limit && this.#join(item))) {
      this.#items.push(item)
    }
  }

  #join(item: T): boolean {
    const key = appended[item.type]
    const last = this.#items.at(-1)
    if (key === undefined || last?.type !== item.type) return false
    const [before, next] = [last, item] as unknown as (Delta & { readonly text: string; readonly json: string })[]
    if (before === undefined || next === undefined) return false
    if (before.index !== next.index || before.msgId !== next.msgId || before.id !== next.id) return false
    this.#items[this.#items.length - 1] = { ...item, [key]: before[key] + next[key] }
    return true
  }

  /** How many items wait for the consumer. */
  get size(): number {
    return this.#items.length - this.#head
  }

  end(): void {
    this.#done = true
    const wake = this.#wake
    this.#wake = undefined
    wake?.resolve({ done: true, value: undefined })
  }

  fail(error: unknown): void {
    if (this.#done) return
    this.#done = true
    const wake = this.#wake
    this.#wake = undefined
    if (wake) wake.reject(error)
    else this.#failure = { error }
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#head < this.#items.length) {
      const value = this.#items[this.#head] as T
      this.#items[this.#head++] = undefined
      if (this.#head === this.#items.length) {
        this.#items = []
        this.#head = 0
      } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
        // a consumer that never quite catches up must not keep the places of all that it has seen
        this.#items.splice(0, this.#head)
        this.#head = 0
      }
      return Promise.resolve({ done: false, value })
    }
    if (this.#failure) {
      const { error } = this.#failure
      this.#failure = undefined
      return Promise.reject(error)
    }
    if (this.#done) return Promise.resolve({ done: true, value: undefined })
    if (this.#wake) {
      const message = "A stream has one consumer: the next item was asked for twice before the first came."
      return Promise.reject(new AgentScopeError({ code: "invalid_argument", message }))
    }
    return new Promise((resolve, reject) => {
      this.#wake = { resolve, reject }
    })
  }

  async return(): Promise<IteratorResult<T>> {
    this.#items = []
    this.#head = 0
    this.#failure = undefined
    if (!this.#done) {
      this.end()
      await this.#onReturn?.()
    }
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
