import { AgentScopeError, importMessages, type JsonObject, type JsonValue, type Msg } from "@agentscope-ts/message"
import type { StateCodec } from "@agentscope-ts/state"
import { Memory, type MemoryRange } from "./memory.ts"

/** Codes thrown by this package: saved state that is no list of messages. */
export type MemoryErrorCode = "invalid_state"

// Up to here the ids of the messages themselves are compared; a set would take a tenth of a short session's memory.
const scanned = 32

/**
 * A list in the process. Everything answers at once. The state is the plain JSON of the messages, `{ content: Msg[] }`; that
 * of AgentScope Python, with or without marks, loads too.
 */
export class InMemoryMemory extends Memory {
  readonly #messages: Msg[] = []
  #ids: Set<string> | undefined

  add(messages: Msg | readonly Msg[]): void {
    if ("role" in messages) this.#addOne(messages)
    else for (const msg of messages) this.#addOne(msg)
  }

  /** Without options a live, read-only view: nothing is copied, and it shows what is added and deleted later. */
  get(options?: MemoryRange & { last?: number | undefined }): readonly Msg[] {
    if (options === undefined) return this.#messages
    const { from, to, last } = options
    if (from === undefined && to === undefined) {
      return last === undefined ? this.#messages : newest(this.#messages, last)
    }
    const range = this.#messages.slice(from, to)
    return last === undefined ? range : newest(range, last)
  }

  delete(which: string | readonly string[] | MemoryRange): number {
    const doomed = this.#chosen(which)
    if (doomed.size > 0) this.#replace(this.#messages.filter((msg) => !doomed.has(msg)))
    return doomed.size
  }

  clear(): void {
    this.#replace([])
  }

  size(): number {
    return this.#messages.length
  }

  /** @throws AgentScopeError `invalid_state` or `invalid_message`, naming the place, when these are no messages. */
  override loadStateDict(state: JsonObject, options?: { strict?: boolean | undefined }): void {
    const { content, _compressed_summary } = (state as JsonObject | null) ?? {}
    const messages = Array.isArray(content) ? importMessages({ content, _compressed_summary }) : content
    super.loadStateDict(
      messages === undefined ? state : { ...state, content: messages as unknown as JsonValue },
      options,
    )
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      content: {
        save: () => [...this.#messages] as unknown as JsonValue,
        load: (value) => {
          if (!Array.isArray(value)) {
            throw new AgentScopeError<MemoryErrorCode>({
              code: "invalid_state",
              message: "It must be a list of messages.",
            })
          }
          this.#replace([])
          this.add(value)
        },
      },
    }
  }

  #addOne(msg: Msg): void {
    if (this.#has(msg.id)) return
    this.#messages.push(msg)
    this.#ids?.add(msg.id)
  }

  #has(id: string): boolean {
    if (this.#messages.length <= scanned) return this.#messages.some((msg) => msg.id === id)
    this.#ids ??= new Set(this.#messages.map((msg) => msg.id))
    return this.#ids.has(id)
  }

  #chosen(which: string | readonly string[] | MemoryRange): Set<Msg> {
    if (typeof which === "string") return new Set(this.#messages.filter((msg) => msg.id === which))
    if (!Array.isArray(which)) {
      const { from, to } = which as MemoryRange
      return new Set(this.#messages.slice(from, to))
    }
    const ids = new Set<string>(which)
    return new Set(this.#messages.filter((msg) => ids.has(msg.id)))
  }

  /** In place, so that views stay live. */
  #replace(messages: readonly Msg[]): void {
    this.#ids = undefined
    this.#messages.length = 0
    for (const msg of messages) this.#messages.push(msg)
  }
}

const newest = (messages: readonly Msg[], count: number) => (count <= 0 ? [] : messages.slice(-count))
