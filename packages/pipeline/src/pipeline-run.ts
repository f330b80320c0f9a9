import { type AgentEvent, EventQueue } from "@agentscope-ts/message"
import { pipelineError } from "./pipeline-error.ts"
import type { StepOutput, StepRun } from "./step.ts"

const noop = (): void => {}

/** A pipeline's turn as it is told: the events of all its agents in one stream, numbered anew. */
export class PipelineRun<Out extends StepOutput> implements StepRun<Out> {
  #seq = 0
  #replyRead = false
  #promise: Promise<Out> | undefined
  readonly #leaving = new AbortController()
  readonly #following = new Set<AsyncIterator<AgentEvent>>()
  readonly #queue = new EventQueue<AgentEvent>(() => {
    this.#leaving.abort(pipelineError("aborted", "The stream of the pipeline was left before it ended."))
    // leaving the stream of an agent interrupts it
    for (const events of this.#following) events.return?.()?.then(noop, noop)
    // who leaves may ask again at once: this turn is over by then
    return this.#promise?.then(noop, noop)
  })

  /** Aborts when the consumer goes. */
  get leaving(): AbortSignal {
    return this.#leaving.signal
  }

  /** Takes the promise of the turn, which settles by itself. */
  promise(turn: Promise<Out>): this {
    this.#promise = turn
    return this
  }

  get reply(): Promise<Out> {
    this.#replyRead = true
    return this.#promise as Promise<Out>
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    // who iterates is told of a failure by the iterator
    this.#promise?.catch(noop)
    return this.#queue
  }

  /** Tells the events of a step, and waits for its end. */
  async follow(run: StepRun<StepOutput>): Promise<StepOutput> {
    const { reply } = run
    // a failure is told by the events
    reply.catch(noop)
    const events = run[Symbol.asyncIterator]()
    this.#following.add(events)
    try {
      for (let next = await events.next(); !next.done; next = await events.next()) {
        this.#queue.push({ ...next.value, seq: this.#seq++ })
      }
    } finally {
      this.#following.delete(events)
    }
    return reply
  }

  end(): void {
    this.#queue.end()
  }

  fail(error: unknown): void {
    const { aborted, reason } = this.leaving
    this.#queue.fail(error)
    // the consumer has gone, and nobody asked for the promise: a failure must still be seen; that it has gone is none
    if (aborted && !this.#replyRead && error !== reason) void raise(error)
  }
}

/** Lets a failure surface as an unhandled rejection. */
async function raise(error: unknown): Promise<never> {
  throw error
}
