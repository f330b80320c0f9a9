import { ConversationBody } from "./conversation-body.ts"

interface Entry {
  readonly body: { deref(): ConversationBody | undefined }
  size: number
}

/**
 * Bounds the memory of bodies at rest: past `limit` bytes the ones longest unused are dropped, and built anew if needed.
 * Bodies of less than `least` bytes are not counted: to keep an eye on one costs more than it holds.
 */
export class BodyPool {
  readonly #limit: number
  readonly #least: number
  /** In the order of their last use. */
  readonly #entries = new Set<Entry>()
  readonly #entryOf = new WeakMap<ConversationBody, Entry>()
  // some workers have no weak references: there a body that is gone stays until its memory is wanted
  readonly #gone =
    typeof FinalizationRegistry === "undefined"
      ? undefined
      : new FinalizationRegistry<Entry>((entry) => this.#remove(entry))
  #size = 0

  constructor(limit: number, least = 0) {
    this.#limit = limit
    this.#least = least
  }

  /** The memory of all bodies at rest, in bytes. */
  get size(): number {
    return this.#size
  }

  /** A body was used and is at rest again. */
  rest(body: ConversationBody): void {
    let entry = this.#entryOf.get(body)
    if (entry) this.#remove(entry)
    else {
      // a weak reference keeps young objects alive until the next full collection
      if (body.size < this.#least) return
      entry = { body: typeof WeakRef === "undefined" ? { deref: () => body } : new WeakRef(body), size: 0 }
      this.#entryOf.set(body, entry)
      this.#gone?.register(body, entry)
    }
    entry.size = body.size
    this.#entries.add(entry)
    this.#size += entry.size
    for (const oldest of this.#entries) {
      if (this.#size <= this.#limit) return
      const other = oldest.body.deref()
      if (other?.busy) continue
      other?.drop()
      this.#remove(oldest)
    }
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#size -= entry.size
  }
}

/** One for the process, as the memory is. */
const shared = new BodyPool(64 * 1024 * 1024, 16 * 1024)

/** The bodies of one model's conversations. They go with their conversation, and earlier when memory is wanted. */
export class ConversationBodies {
  readonly #bodies = new WeakMap<object, ConversationBody>()
  readonly #pool: BodyPool

  constructor(pool: BodyPool = shared) {
    this.#pool = pool
  }

  /** The conversation's body, or a fresh one where there is no conversation or its body is in use. */
  take(conversation: object | undefined): ConversationBody {
    const kept = conversation && this.#bodies.get(conversation)
    const body = kept === undefined || kept.busy ? new ConversationBody() : kept
    if (conversation && kept === undefined) this.#bodies.set(conversation, body)
    body.busy = true
    body.kept = conversation !== undefined && (kept === undefined || kept === body)
    return body
  }

  /** The request has ended. */
  release(body: ConversationBody): void {
    body.busy = false
    if (body.kept) this.#pool.rest(body)
  }
}
