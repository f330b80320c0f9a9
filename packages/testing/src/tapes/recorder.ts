import {
  type Ambient,
  type JsonValue,
  type MediaBlock,
  type TapedCall,
  type TapedChunk,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { failureOf } from "./failure.ts"
import { inLane, type Lane, type TapeSeam } from "./lanes.ts"
import { Secrets } from "./secrets.ts"
import type {
  TapeEndEvent,
  TapeEvent,
  TapePiece,
  TapeRequestEvent,
  TapeResponseEvent,
  TapeSleepEvent,
  TapeToolCallEvent,
  TapeToolResultEvent,
  TapeValuesEvent,
} from "./tape-event.ts"
import { OrderList } from "./tape-order.ts"
import { pieceOf, withoutSecrets } from "./tape-pieces.ts"
import { type ReadRequest, readRequest } from "./tape-request.ts"

type Draft<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] | undefined ? Item[] : T[K] }

/** What a lane is known by on the tape, and what it reads now. */
interface LaneLog {
  readonly path: string
  /** The tool call that it belongs to. */
  readonly call: Draft<TapeToolCallEvent> | undefined
  after: number
  values: Draft<TapeValuesEvent> | undefined
}

/** A request whose answer has not ended. */
interface Open {
  end(how: TapeResponseEvent["end"], error?: unknown): void
}

/** A tool that ends so many steps of promises after it was given up ends at once. */
const mostSteps = 100
const realNow = performance.now.bind(performance)

/** Keeps all that a run gets from outside, while it gets it. */
export class Recorder implements TapeSeam {
  readonly #events: TapeEvent[] = []
  readonly #lanes = new WeakMap<Lane, LaneLog>()
  readonly #open = new Set<Open>()
  readonly #secrets = new Secrets()
  #places = 0
  #calls = 0
  #isOver = false

  // ---- values

  now(lane: Lane, below: Ambient): number {
    const ms = below.now()
    if (this.#isOver) return ms
    const clock = (this.#values(lane).clock ??= [])
    const last = clock.at(-1) as [number, number] | undefined
    if (last && last[0] === ms) last[1]++
    else clock.push([ms, 1])
    return ms
  }

  newId(lane: Lane, below: Ambient): string {
    const id = below.newId()
    if (!this.#isOver) (this.#values(lane).ids ??= []).push(id)
    return id
  }

  random(lane: Lane, below: Ambient): number {
    const value = below.random()
    if (!this.#isOver) (this.#values(lane).random ??= []).push(value)
    return value
  }

  #values(lane: Lane): Draft<TapeValuesEvent> {
    const log = this.#log(lane)
    return (log.values ??= this.#add({ type: "values", lane: log.path, after: log.after }))
  }

  // ---- what comes from outside

  async sleep(lane: Lane, below: Ambient, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isOver) return below.sleep(ms, signal)
    const event = this.#add<TapeSleepEvent>({ type: "sleep", lane: this.#log(lane).path, ms })
    await below.sleep(ms, signal)
    event.order = this.#delivered(lane, new OrderList()) as never
  }

  async fetch(
    lane: Lane,
    inner: typeof globalThis.fetch,
    ...[input, init]: Parameters<typeof globalThis.fetch>
  ): Promise<Response> {
    if (this.#isOver) return inner(input, init)
    const request = await readRequest(input, init, this.#secrets)
    const { path } = this.#log(lane)
    const call = ++this.#calls
    this.#add<TapeRequestEvent>({ type: "request", lane: path, call, ...request.told })
    this.#runs(lane)
    return this.#exchange(lane, call, request, inner)
  }

  async #exchange(lane: Lane, call: number, request: ReadRequest, inner: typeof globalThis.fetch): Promise<Response> {
    const since = realNow()
    const order = new OrderList()
    const pieces: TapePiece[] = []
    let head: Pick<TapeResponseEvent, "status" | "headers"> = {}
    const open: Open = {
      end: (how, error) => {
        if (!this.#open.delete(open) || this.#isOver) return
        const failed = how === "error" && request.signal?.aborted ? "aborted" : how
        if (failed === "error") this.#delivered(lane, order)
        this.#add<TapeResponseEvent>({
          type: "response",
          lane: this.#log(lane).path,
          call,
          ...head,
          body: withoutSecrets(pieces, this.#secrets, (head.status ?? 0) >= 400),
          end: failed,
          ...(failed === "error" && { error: failureOf(error, this.#secrets) }),
          afterMs: Math.round(realNow() - since),
          order: order.toJSON() as never,
        })
      },
    }
    this.#open.add(open)
    let response: Response
    try {
      response = await inner(request.input, request.init)
    } catch (error) {
      open.end("error", error)
      throw error
    }
    this.#delivered(lane, order)
    // browsers hide the status of a redirect that is not followed
    head = { status: response.status || 302, headers: this.#secrets.headers(response.headers) }
    if (response.body === null || response.status === 0) {
      this.#delivered(lane, order)
      open.end("done")
      return response
    }
    const body = this.#heard(response.body, lane, order, pieces, open, request.signal)
    const { status, statusText } = response
    return new Response(body, { status, statusText, headers: head.headers ?? {} })
  }

  /** The body as it goes on to the program, one piece at a time. */
  #heard(
    body: ReadableStream<Uint8Array>,
    lane: Lane,
    order: OrderList,
    pieces: TapePiece[],
    open: Open,
    signal: AbortSignal | undefined,
  ): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read()
            // a read that ends because the program left tells it nothing
            if (!this.#isOver && this.#open.has(open)) this.#delivered(lane, order)
            if (done) {
              open.end("done")
              controller.close()
            } else {
              pieces.push(pieceOf(value))
              controller.enqueue(value)
            }
          } catch (error) {
            open.end("error", error)
            controller.error(error)
          }
        },
        cancel: (reason) => {
          open.end(signal?.aborted ? "aborted" : "left")
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  // ---- tools and agents

  enter(lane: Lane): void {
    if (!this.#isOver) this.#runs(lane.parent as Lane)
  }

  toolCall(lane: Lane, toolUse: ToolUseBlock): TapedCall {
    const { path } = this.#log(lane)
    const call = ++this.#calls
    const input = this.#secrets.cleanJson(toolUse.input) as JsonValue
    this.#runs(lane)
    const event = this.#add<TapeToolCallEvent>({ type: "tool_call", lane: path, call, name: toolUse.name, input })
    const own = lane.child(toolUse.name)
    this.#lanes.set(own, { path: toolLane(path, toolUse.name, call), call: event, after: 0, values: undefined })
    const since = realNow()
    const order = new OrderList()
    const chunks: TapedChunk[] = []
    let sync = 0
    let isSync = true
    queueMicrotask(() => {
      isSync = false
    })
    let line: Draft<TapeToolResultEvent> | undefined
    let steps = 0
    const countSteps = async (): Promise<void> => {
      while (steps < mostSteps) {
        await Promise.resolve()
        if (line?.late) return
        steps++
      }
    }
    const heard = (): void => {
      if (isSync) sync++
      else this.#delivered(lane, order)
    }
    return {
      run: (work) => inLane(this, own, work),
      onChunk: (chunk) => {
        if (this.#isOver) return
        heard()
        chunks.push(this.#secrets.cleanJson(chunk))
      },
      onResult: (result: ToolResultBlock, tail?: readonly (TextBlock | MediaBlock)[]) => {
        if (this.#isOver) return
        heard()
        line = this.#add<TapeToolResultEvent>({
          type: "tool_result",
          lane: path,
          call,
          result: this.#secrets.cleanJson(result),
          ...(tail && tail.length > 0 && { tail: this.#secrets.cleanJson([...tail]) }),
          ...(chunks.length > 0 && { chunks }),
          ...(sync > 0 && { sync }),
          afterMs: Math.round(realNow() - since),
          order: order.toJSON() as never,
        })
        if (result.state === "interrupted") void countSteps()
      },
      onLate: (outcome) => {
        if (this.#isOver || line === undefined) return
        if (steps < mostSteps) line.late = { outcome, steps }
        else {
          this.#delivered(lane, new OrderList())
          line.late = { outcome, place: this.#places }
        }
      },
    }
  }

  /** A tool that asks somebody itself is run again by a replay. */
  #runs(lane: Lane): void {
    for (let at: Lane | undefined = lane; at; at = at.parent) {
      const call = this.#log(at).call
      if (call) call.runs = true
    }
  }

  // ---- the end

  /** Ends the recording; returns the lines after the first. */
  close(outcome: TapeEndEvent["outcome"], error?: unknown): readonly TapeEvent[] {
    for (const open of this.#open) open.end("left")
    this.#add<TapeEndEvent>({
      type: "end",
      lane: "",
      outcome,
      ...(outcome === "threw" && { error: failureOf(error, this.#secrets) }),
    })
    this.#isOver = true
    return this.#events
  }

  #log(lane: Lane): LaneLog {
    let log = this.#lanes.get(lane)
    if (log === undefined) {
      const path = lane.parent ? childPath(this.#log(lane.parent).path, lane.step) : ""
      log = { path, call: undefined, after: 0, values: undefined }
      this.#lanes.set(lane, log)
    }
    return log
  }

  /** Something came from outside to a lane: what it reads from here on stands for itself. */
  #delivered(lane: Lane, order: OrderList): OrderList {
    const place = ++this.#places
    order.add(place)
    const log = this.#log(lane)
    log.after = place
    log.values = undefined
    return order
  }

  #add<E extends TapeEvent>(event: Omit<Draft<E>, "at">): Draft<E> {
    const line = { at: this.#events.length + 1, ...event } as Draft<E>
    this.#events.push(line as never)
    return line
  }
}

/** The path of a lane below another. */
export const childPath = (path: string, step: string): string => (path === "" ? step : `${path}/${step}`)

/** The path of a tool call's lane. */
export const toolLane = (path: string, name: string, call: number): string => childPath(path, `${name}@${call}`)
