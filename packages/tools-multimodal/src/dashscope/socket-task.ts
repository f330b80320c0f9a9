import type { IncomingMessage } from "node:http"
import { ambient, type JsonObject, newId, onAbort } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import { httpError, malformed, objectIn, textIn, toldError } from "@agentscope-ts/model/wire"
import type { WebSocket } from "ws"
import type { DashScopeService } from "./dashscope-service.ts"

type Fields = Readonly<Record<string, unknown>>

/** A task over a websocket. */
export interface SocketTask {
  readonly model: string
  /** `asr` or `tts`, with the function that goes with it. */
  readonly task: "asr" | "tts"
  readonly function: string
  /** `duplex` sends sound and then says that it is all; `out` sends nothing after the task. */
  readonly streaming: "duplex" | "out"
  readonly parameters: JsonObject
  readonly input?: JsonObject | undefined
  /** The sound to send once the task has started. */
  readonly sound?: Uint8Array<ArrayBuffer> | undefined
  /** Hears of each `result-generated`. */
  readonly onResult?: ((payload: Fields) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** How long nothing may come. */
const idleMs = 60_000
/** How much sound goes in one message. */
const pieceSize = 16 * 1024
/** The most sound that is kept. */
const mostBytes = 64 * 1024 * 1024

/**
 * Runs one task over DashScope's websocket (`wss://…/api-ws/v1/inference`, the key as a header): `run-task`, then after
 * `task-started` the sound in binary messages and `finish-task`, until `task-finished` or `task-failed`. Gives the binary
 * messages that came. Source: Alibaba Cloud Model Studio, "WebSocket API" of Paraformer and of Sambert.
 */
export function runSocketTask(service: DashScopeService, task: SocketTask): Promise<Uint8Array> {
  return new Promise((resolve, reject) => new Conversation(service, task, resolve, reject).start())
}

class Conversation {
  readonly #service: DashScopeService
  readonly #task: SocketTask
  readonly #resolve: (sound: Uint8Array) => void
  readonly #reject: (error: unknown) => void
  readonly #taskId = newId()
  readonly #over = new AbortController()
  readonly #heard: Uint8Array[] = []
  #size = 0
  #messages = 0
  #opened = false
  #socket: WebSocket | undefined

  constructor(
    service: DashScopeService,
    task: SocketTask,
    resolve: (sound: Uint8Array) => void,
    reject: (error: unknown) => void,
  ) {
    this.#service = service
    this.#task = task
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    const { signal } = this.#task
    if (signal?.aborted) return this.#abort(signal)
    const off = onAbort(signal, () => this.#abort(signal as AbortSignal))
    this.#over.signal.addEventListener("abort", off, { once: true })
    void this.#watch()
    this.#connect().catch((error: unknown) => this.#fail(error))
  }

  /** The runtime's own WebSocket has no end to its closing where the other side is silent, and hides why it was refused. */
  async #connect(): Promise<void> {
    const { WebSocket } = await import("ws")
    if (this.#over.signal.aborted) return
    const { socketURL, headers } = this.#service
    const socket = new WebSocket(socketURL, { headers, maxPayload: mostBytes, perMessageDeflate: false })
    this.#socket = socket
    socket.binaryType = "arraybuffer"
    socket.on("open", () => this.#open())
    socket.on("message", (data, isBinary) =>
      this.#guarded(() => this.#message(isBinary ? data : new TextDecoder().decode(data as ArrayBuffer))),
    )
    socket.on("unexpected-response", (_request, answer) => this.#refused(answer))
    socket.on("error", () => this.#broken(undefined))
    socket.on("close", (_code, reason) => this.#broken(reason.toString()))
  }

  /** Answered by a status and not by a connection: a wrong key, a limit, a redirect. */
  #refused({ statusCode: status = 0, headers: given }: IncomingMessage): void {
    const { host } = new URL(this.#service.socketURL)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(given)) if (typeof value === "string") headers[name] = value
    this.#fail(httpError({ label: `${host} (${this.#task.model})`, status, headers, body: "" }))
  }

  #open(): void {
    this.#opened = true
    const { model, task, function: name, parameters, input = {} } = this.#task
    this.#say("run-task", { task_group: "audio", task, function: name, model, parameters, input })
  }

  #say(action: string, payload: JsonObject): void {
    const header = { action, task_id: this.#taskId, streaming: this.#task.streaming }
    this.#socket?.send(JSON.stringify({ header, payload }))
  }

  #message(data: unknown): void {
    this.#messages++
    if (data instanceof ArrayBuffer) return this.#hear(new Uint8Array(data))
    const { header, payload } = objectIn<{ header?: unknown; payload?: unknown }>(JSON.parse(String(data))) ?? {}
    const { event, error_code, error_message } = objectIn<Fields>(header) ?? {}
    switch (event) {
      case "task-started":
        return this.#send()
      case "result-generated":
        return this.#task.onResult?.(objectIn<Fields>(payload) ?? {})
      case "task-finished":
        return this.#finish()
      case "task-failed":
        throw toldError(this.#task.model, { code: textIn(error_code), message: textIn(error_message) || undefined })
      default:
    }
  }

  #send(): void {
    const { sound } = this.#task
    if (sound === undefined) return
    for (let at = 0; at < sound.length; at += pieceSize) this.#socket?.send(sound.subarray(at, at + pieceSize))
    this.#say("finish-task", { input: {} })
  }

  #hear(piece: Uint8Array): void {
    this.#size += piece.length
    if (this.#size > mostBytes)
      throw malformed(`${this.#task.model} sent more than ${mostBytes} bytes: it was given up.`)
    this.#heard.push(piece)
  }

  /** What is thrown on the way ends the conversation. */
  #guarded(work: () => void): void {
    if (this.#over.signal.aborted) return
    try {
      work()
    } catch (error) {
      const isJson = error instanceof SyntaxError
      this.#fail(isJson ? malformed(`${this.#task.model} sent a message that is no JSON.`, error) : error)
    }
  }

  #finish(): void {
    const sound = new Uint8Array(this.#size)
    let at = 0
    for (const piece of this.#heard) {
      sound.set(piece, at)
      at += piece.length
    }
    this.#close()
    this.#resolve(sound)
  }

  #abort(signal: AbortSignal): void {
    this.#fail(
      modelError({ code: "aborted", message: `The call of ${this.#task.model} was aborted.`, cause: signal.reason }),
    )
  }

  #broken(reason: string | undefined): void {
    const { model } = this.#task
    const { host } = new URL(this.#service.socketURL)
    const message = this.#opened
      ? `The connection to ${host} was closed before ${model} was done${reason ? `: ${reason}` : ""}.`
      : `The connection to ${host} for ${model} could not be made: check the network, baseURL and the API key.`
    this.#fail(modelError({ code: "network", message }))
  }

  /** Nothing hangs: some message has to come each minute. */
  async #watch(): Promise<void> {
    for (let before = -1; before !== this.#messages; ) {
      before = this.#messages
      try {
        await ambient().sleep(idleMs, this.#over.signal)
      } catch {
        return
      }
    }
    const message = `${this.#task.model} sent nothing for ${idleMs / 1000} s: it was given up.`
    this.#fail(modelError({ code: "timeout", message }))
  }

  #fail(error: unknown): void {
    if (this.#over.signal.aborted) return
    this.#close()
    this.#reject(error)
  }

  #close(): void {
    this.#over.abort()
    this.#socket?.terminate()
  }
}
