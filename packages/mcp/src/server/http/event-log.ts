/** What is kept of a stream's past: how many events, and how many characters of them. */
const mostEvents = 500
const mostChars = 1024 * 1024

interface Kept {
  readonly stream: string
  readonly seq: number
  readonly frame: string
  /** Progress and logs, which make room first. */
  readonly light: boolean
}

/**
 * The last events of a session's streams, for clients that come back. What does not fit any more is forgotten, progress and
 * logs first; the newest event is always kept.
 */
export class EventLog {
  #events: Kept[] = []
  #chars = 0
  #seq = 0
  /** By stream, the last event that was forgotten. */
  readonly #forgotten = new Map<string, number>()

  /** The id of an event that holds nothing: a place to come back to. */
  mark(stream: string): string {
    return idOf(stream, ++this.#seq)
  }

  /** Keeps an event, which `frame` makes of its id. */
  add(stream: string, frame: (id: string) => string, light: boolean): string {
    const seq = ++this.#seq
    const event = { stream, seq, frame: frame(idOf(stream, seq)), light }
    this.#events.push(event)
    this.#chars += event.frame.length
    while (this.#events.length > 1 && (this.#events.length > mostEvents || this.#chars > mostChars)) this.#forgetOne()
    return event.frame
  }

  /** The stream of an event id, and what came after it there; `undefined` when that is not known any more. */
  after(id: string): { readonly stream: string; readonly frames: readonly string[] } | undefined {
    const [, stream, digits] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? []
    if (stream === undefined) return undefined
    const seq = Number(digits)
    if (seq > this.#seq || seq < (this.#forgotten.get(stream) ?? 0)) return undefined
    const frames = this.#events.filter((event) => event.stream === stream && event.seq > seq).map(({ frame }) => frame)
    return { stream, frames }
  }

  #forgetOne(): void {
    const light = this.#events.findIndex((event, i) => event.light && i < this.#events.length - 1)
    const [event] = this.#events.splice(Math.max(light, 0), 1)
    if (event === undefined) return
    this.#chars -= event.frame.length
    if (event.light) return
    this.#forgotten.delete(event.stream)
    this.#forgotten.set(event.stream, event.seq)
    if (this.#forgotten.size > mostEvents) {
      const [oldest] = this.#forgotten.keys()
      if (oldest !== undefined) this.#forgotten.delete(oldest)
    }
  }
}

const idOf = (stream: string, seq: number): string => `${stream}-${seq}`
