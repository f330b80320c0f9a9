import { didYouMean, importMessages, type JsonObject, type JsonValue, type Msg } from "@agentscope-ts/message"
import type { StateCodec } from "@agentscope-ts/state"
import { memoryError } from "./error.ts"
import { type MarkedRange, Memory } from "./memory.ts"
import { savedMarks } from "./saved-marks.ts"

// Up to here the ids of the messages themselves are compared; a set would take a tenth of a short session's memory.
const scanned = 32

/**
 * A list in the process. Everything answers at once. Messages may have marks: words of yours, such as `"hint"`, by which they
 * are found, left out and deleted. The state is the plain JSON of the messages, `{ content: Msg[] }`, with
 * `marks: { [id]: string[] }` where there are any; that of AgentScope Python, with or without marks, loads too.
 */
export class InMemoryMemory extends Memory {
  readonly #messages: Msg[] = []
  #ids: Set<string> | undefined
  /** The marks by message id: only of those that have some. */
  #marks: Map<string, readonly string[]> | undefined

  /** Adds messages at the end, with marks if given; those whose id is remembered are passed over, their marks too. */
  add(messages: Msg | readonly Msg[], options?: { marks?: string | readonly string[] | undefined }): void {
    const given = options === undefined ? noMarks : listOf(checked("add", options, addNames).marks)
    if (Array.isArray(messages)) for (const msg of messages as readonly Msg[]) this.#addOne(msg, given)
    else this.#addOne(messages as Msg, given)
  }

  /** Without options a live, read-only view: nothing is copied, and it shows what is added and deleted later. */
  get(options?: MarkedRange & { last?: number | undefined }): readonly Msg[] {
    if (options === undefined) return this.#messages
    const { from, to, last } = checked("get", options, getNames)
    const marked = this.#marked(options)
    if (from === undefined && to === undefined) return last === undefined ? marked : newest(marked, last)
    const range = marked.slice(from, to)
    return last === undefined ? range : newest(range, last)
  }

  /** The marks of a message; empty where it has none, or is not remembered. */
  marksOf(id: string): readonly string[] {
    return this.#marks?.get(id) ?? []
  }

  /**
   * Gives messages a mark, in the place of `oldMark` where that is given (then only to those that have it), or takes
   * `oldMark` away where the mark is null. Of all messages, or of those with these ids; answers how many there were.
   */
  updateMarks(
    mark: string | null,
    { oldMark, ids }: { oldMark?: string | undefined; ids?: string | readonly string[] | undefined } = {},
  ): number {
    const among = ids === undefined ? this.#messages : this.#chosen(listOf(ids))
    let count = 0
    for (const { id } of among) {
      const marks = this.marksOf(id)
      if (oldMark !== undefined && !marks.includes(oldMark)) continue
      const left = marks.filter((each) => each !== oldMark && each !== mark)
      this.#setMarks(id, mark === null ? left : [...left, mark])
      count++
    }
    return count
  }

  delete(which: string | readonly string[] | MarkedRange): number {
    const doomed = this.#chosen(which)
    if (doomed.size > 0) this.#replace(this.#messages.filter((msg) => !doomed.has(msg)))
    return doomed.size
  }

  clear(): void {
    this.#replace([])
  }

  /** In one step; messages whose ids stay keep their marks. */
  override replace(messages: readonly Msg[]): void {
    const ids = new Set<string>()
    this.#replace([...messages].filter(({ id }) => !ids.has(id) && ids.add(id)))
  }

  size(): number {
    return this.#messages.length
  }

  /** @throws AgentScopeError `invalid_state` or `invalid_message`, naming the place, when these are no messages. */
  override loadStateDict(state: JsonObject, options?: { strict?: boolean | undefined }): void {
    const { content, _compressed_summary } = (state as JsonObject | null) ?? {}
    const messages = Array.isArray(content) ? importMessages({ content, _compressed_summary }) : content
    const marks = savedMarks(state ?? {})
    const before = this.#marks
    try {
      super.loadStateDict(
        messages === undefined ? state : { ...state, content: messages as unknown as JsonValue },
        options,
      )
    } catch (error) {
      // the messages were put back
      this.#marks = before
      throw error
    }
    if (content === undefined) return
    this.#marks = undefined
    for (const [id, given] of marks) if (this.#has(id)) this.#setMarks(id, given)
  }

  override stateDict(): JsonObject {
    const state = super.stateDict()
    return this.#marks === undefined ? state : { ...state, marks: Object.fromEntries(this.#marks) as JsonObject }
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      content: {
        save: () => [...this.#messages] as unknown as JsonValue,
        load: (value) => {
          if (!Array.isArray(value)) {
            throw memoryError("invalid_state", "It must be a list of messages.")
          }
          this.#replace([])
          this.add(value)
        },
      },
    }
  }

  #addOne(msg: Msg, marks: readonly string[]): void {
    if (typeof (msg as Msg | null | undefined)?.id !== "string") {
      const message = `InMemoryMemory.add takes a message, or a list of them, and got ${named(msg)}: add(userMsg("Hello")).`
      throw memoryError("invalid_argument", message)
    }
    if (this.#has(msg.id)) return
    this.#messages.push(msg)
    this.#ids?.add(msg.id)
    if (marks.length > 0) this.#setMarks(msg.id, marks)
  }

  #setMarks(id: string, marks: readonly string[]): void {
    const all = (this.#marks ??= new Map())
    if (marks.length > 0) all.set(id, [...new Set(marks)])
    else all.delete(id)
    if (all.size === 0) this.#marks = undefined
  }

  #marked({ mark, excludeMark }: MarkedRange): readonly Msg[] {
    if (mark === undefined && excludeMark === undefined) return this.#messages
    const [wanted, unwanted] = [listOf(mark), listOf(excludeMark)]
    return this.#messages.filter(({ id }) => {
      const marks = this.marksOf(id)
      const fits = mark === undefined || wanted.some((each) => marks.includes(each))
      return fits && !unwanted.some((each) => marks.includes(each))
    })
  }

  #has(id: string): boolean {
    if (this.#messages.length <= scanned) return this.#messages.some((msg) => msg.id === id)
    this.#ids ??= new Set(this.#messages.map((msg) => msg.id))
    return this.#ids.has(id)
  }

  #chosen(which: string | readonly string[] | MarkedRange): Set<Msg> {
    if (typeof which === "string") return new Set(this.#messages.filter((msg) => msg.id === which))
    if (!Array.isArray(which)) {
      const range = checked("delete", which as MarkedRange, rangeNames)
      return new Set(this.#marked(range).slice(range.from, range.to))
    }
    const ids = new Set<string>(which)
    return new Set(this.#messages.filter((msg) => ids.has(msg.id)))
  }

  /** In place, so that views stay live. */
  #replace(messages: readonly Msg[]): void {
    this.#ids = undefined
    this.#messages.length = 0
    for (const msg of messages) this.#messages.push(msg)
    const marked = [...(this.#marks ?? [])].filter(([id]) => this.#has(id))
    this.#marks = marked.length > 0 ? new Map(marked) : undefined
  }
}

const noMarks: readonly string[] = []
const addNames = ["marks"]
const rangeNames = ["from", "to", "mark", "excludeMark"]
const getNames = [...rangeNames, "last"]

/** The options of a call: a misspelt one would give, or forget, all there is. */
function checked<T extends object>(method: string, options: T, names: readonly string[]): T {
  const bad = (what: string) => memoryError("invalid_argument", `InMemoryMemory.${method} ${what}`)
  if (typeof (options as unknown) !== "object" || (options as unknown) === null) {
    throw bad(
      `takes an object of ${names.join(", ")}${method === "delete" ? ", an id or a list of ids" : ""}, and got ${named(options)}.`,
    )
  }
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!names.includes(name)) {
      throw bad(`has no option "${name}": it has ${names.join(", ")}.${didYouMean(name, names)}`)
    }
    if (value === undefined || name.toLowerCase().includes("mark")) continue
    if (typeof value !== "number" || Number.isNaN(value)) throw bad(`has ${name} ${named(value)}: give a number.`)
  }
  return options
}

const named = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : value === null ? "null" : typeof value

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  typeof value === "string" ? [value] : (value ?? [])

const newest = (messages: readonly Msg[], count: number) => (count <= 0 ? [] : messages.slice(-count))
