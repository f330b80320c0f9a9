import { cutText, type JsonObject, type JsonValue } from "@agentscope-ts/message"

const mostText = 2000

/**
 * Turns what a tool emits into the protocol's progress: `{ progress, total?, message? }` as it is, a number as progress, a
 * text (or any other value, as JSON) as the message of the next step. The protocol wants each progress above the last:
 * what is not is left out.
 */
export class ProgressReporter {
  readonly #send: (params: JsonObject) => void
  #last: number | undefined

  constructor(send: (params: JsonObject) => void) {
    this.#send = send
  }

  emit(value: JsonValue): void {
    if (typeof value === "number") return this.report(value)
    const said = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
    const { progress, total, message } = said
    if (typeof progress === "number") {
      const text = typeof message === "string" ? message : undefined
      return this.report(progress, typeof total === "number" ? total : undefined, text)
    }
    this.report((this.#last ?? 0) + 1, undefined, typeof value === "string" ? value : JSON.stringify(value))
  }

  report(progress: number, total?: number, message?: string): void {
    if (!Number.isFinite(progress) || (this.#last !== undefined && progress <= this.#last)) return
    this.#last = progress
    this.#send({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: message.length > mostText ? cutText(message, mostText) : message }),
    })
  }
}
