import {
  AgentScopeError,
  ambient,
  type JsonObject,
  type JsonValue,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import type { Validate } from "@agentscope-ts/model"
import type { Span } from "@agentscope-ts/tracing"
import { isThenable } from "../thenable.ts"
import { ChunkFeed } from "./chunk-feed.ts"
import { Collector } from "./collector.ts"
import { closeGenerator, isGenerator, type Yielding } from "./drain.ts"
import { type Ending, failed, interrupted, refused, resultOf, suspended, timedOut } from "./ending.ts"
import { issueText } from "./invalid-input.ts"
import { codeValueOf, outputOf } from "./output.ts"
import { limitedResult, type Postprocess } from "./postprocess.ts"
import { endSpan } from "./span.ts"
import { suspensionReason } from "./suspension.ts"
import type { ToolChunk, ToolRun } from "./tool-run.ts"
import { Watch } from "./watch.ts"

/** What an execution is bound by. */
export interface ExecutionOptions {
  readonly signal: AbortSignal | undefined
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number
  /** The most characters of text in the result. */
  readonly limit: number
  readonly span: Span | undefined
}

/** What is executed, and on what terms. */
export interface Work {
  /** The call as it runs: with the input that a person changed, if one did. */
  readonly toolUse: ToolUseBlock
  execute(): unknown
  readonly validateOutput: Validate | undefined
  readonly maxRetries: number
  /** Whether an unfinished call may have changed something. */
  readonly hasEffects: boolean
  readonly postprocess: Postprocess | undefined
}

/** A synchronous generator gives the event loop a turn after so many milliseconds. */
const slice = 10

/**
 * One execution of a tool. It settles exactly once: by the tool, the time limit or an interruption; what the tool says
 * afterwards is dropped. A tool that answers synchronously costs no timer, no listener and no AbortController.
 */
export class Execution implements ToolRun {
  readonly toolUse: ToolUseBlock
  readonly #options: ExecutionOptions
  #work: Work | undefined
  /** Metadata of the call itself. */
  #notes: JsonObject | undefined
  /** `closing`: the tool is done, and its result is being changed by a `postprocess`. */
  #stage: "running" | "closing" | "settled" = "running"
  #result: ToolResultBlock | undefined
  #tail: Ending["tail"]
  #promise: Promise<ToolResultBlock> | undefined
  #resolve: ((result: ToolResultBlock) => void) | undefined
  #controller: AbortController | undefined
  #abortReason: unknown
  #watch: Watch | undefined
  #collector: Collector | undefined
  #feed: ChunkFeed | undefined

  constructor(toolUse: ToolUseBlock, options: ExecutionOptions) {
    this.toolUse = toolUse
    this.#options = options
  }

  get result(): Promise<ToolResultBlock> {
    this.#promise ??= this.#result
      ? Promise.resolve(this.#result)
      : new Promise((resolve) => {
          this.#resolve = resolve
        })
    return this.#promise
  }

  /** The tool's own signal, made when it is first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  listen(listener: (chunk: ToolChunk) => void): void {
    this.#feed ??= new ChunkFeed()
    this.#feed.listen(listener)
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolChunk> {
    this.#feed ??= new ChunkFeed()
    const queue = this.#feed.iterate(() => this.cancel())
    if (this.#result) queue.finish(this.#result.output, this.#tail ?? [])
    return queue
  }

  cancel(): void {
    this.#interrupt(
      new AgentScopeError({ code: "aborted", message: `The call of "${this.toolUse.name}" was cancelled.` }),
    )
  }

  /** Hands progress on; nothing once the call has ended. */
  report(data: JsonValue): void {
    if (this.#stage === "running") this.#deliver({ type: "progress", data })
  }

  #deliver(chunk: ToolChunk): void {
    this.#feed ??= new ChunkFeed()
    this.#feed.deliver(chunk)
  }

  /** From here on the call takes time: it hears its signal, and the time limit runs. */
  wait(): void {
    if (this.#watch || this.#stage === "settled") return
    const { signal, timeoutMs } = this.#options
    if (this.#stage === "running" && signal?.aborted) return this.#interrupt(signal.reason)
    const heard = signal?.aborted ? undefined : signal
    this.#watch = new Watch(
      heard,
      timeoutMs,
      () => this.#onTimeout(),
      () => this.#interrupt(heard?.reason),
    )
  }

  /** Runs the tool. Nothing happens when the call has ended already. */
  start(work: Work, notes?: JsonObject): void {
    if (this.#stage !== "running") return
    const { signal } = this.#options
    if (signal?.aborted) return this.#interrupt(signal.reason)
    this.#work = work
    this.#notes = notes
    this.#attempt(work, 0)
  }

  #attempt(work: Work, attempt: number): void {
    const { span } = this.#options
    try {
      this.#accept(span ? span.run(() => work.execute()) : work.execute(), work, attempt)
    } catch (error) {
      this.#failed(error, work, attempt)
    }
  }

  /** Takes what the tool returned, or what its promise came to; never throws. */
  #accept(value: unknown, work: Work, attempt: number): void {
    try {
      if (this.#stage !== "running") {
        if (isGenerator(value)) closeGenerator(value)
      } else if (isThenable(value)) {
        this.wait()
        value.then(
          (later) => this.#accept(later, work, attempt),
          (error: unknown) => this.#failed(error, work, attempt),
        )
      } else if (isGenerator(value)) {
        // whoever changes the result sees all of it, and the limit holds for what comes of that
        this.#collector = new Collector(work.postprocess ? Number.POSITIVE_INFINITY : this.#options.limit)
        this.#pull(value, this.#collector, work, attempt)
      } else this.#finish(value, work)
    } catch (error) {
      this.#failed(error, work, attempt)
    }
  }

  /** Asks a generator for its steps: on end, as long as it answers synchronously. */
  #pull(generator: Yielding, collector: Collector, work: Work, attempt: number): void {
    const until = ambient().now() + slice
    try {
      while (this.#stage === "running") {
        const step = generator.next()
        if (isThenable(step)) {
          this.wait()
          step.then(
            (later) => this.#take(later, collector, work, attempt) && this.#pull(generator, collector, work, attempt),
            (error: unknown) => this.#failed(error, work, attempt),
          )
          return
        }
        if (!this.#take(step, collector, work, attempt)) return
        if (ambient().now() >= until) {
          this.wait()
          setTimeout(() => this.#pull(generator, collector, work, attempt))
          return
        }
      }
      closeGenerator(generator)
    } catch (error) {
      this.#failed(error, work, attempt)
    }
  }

  /** Takes one step of a generator; false after the last. */
  #take(step: IteratorResult<unknown>, collector: Collector, work: Work, attempt: number): boolean {
    if (step.done) this.#accept(step.value === undefined ? collector : step.value, work, attempt)
    else if (this.#stage === "running") {
      // what is yet to be changed is not shown
      for (const data of collector.add(step.value)) if (!work.postprocess) this.#deliver({ type: "output", data })
    }
    return !step.done
  }

  #finish(value: unknown, work: Work): void {
    const collector = value instanceof Collector ? value : undefined
    const checked = work.validateOutput?.(collector ? collector.value : codeValueOf(value))
    if (checked?.ok === false) {
      const message = `The tool "${this.toolUse.name}" answered with a value that does not fit its output schema: ${issueText(checked.issues)}.`
      return this.close(refused("invalid_output", message))
    }
    const limit = work.postprocess ? Number.POSITIVE_INFINITY : this.#options.limit
    const { state = "success", ...output } = collector ? collector.output : outputOf(value, limit)
    if (state === "suspended") this.close(suspended(work.toolUse, "external", textOf({ content: output.output })))
    else this.close({ state, ...output })
  }

  #failed(error: unknown, work: Work, attempt: number): void {
    if (this.#stage !== "running") return
    const suspension = suspensionReason(error)
    if (suspension) return this.close(suspended(work.toolUse, "external", suspension.reason))
    const repeats = attempt < work.maxRetries && (!AgentScopeError.is(error) || error.retryable)
    // what was shown cannot be taken back
    if (!repeats || this.#collector?.empty === false) {
      return this.close(failed(this.toolUse.name, error, this.#collector?.output, this.#options.limit))
    }
    this.#collector = undefined
    void this.#repeat(work, attempt + 1)
  }

  async #repeat(work: Work, attempt: number): Promise<void> {
    this.wait()
    const delay = Math.min(500 * 2 ** attempt, 10_000) * (0.5 + Math.random() / 2)
    try {
      await ambient().sleep(delay, this.signal)
    } catch {
      // the call ended meanwhile
    }
    if (this.#stage === "running") this.#attempt(work, attempt)
  }

  #onTimeout(): void {
    const { timeoutMs } = this.#options
    const partial = this.#stage === "running" ? this.#collector?.output : undefined
    this.#giveUp(timedOut(this.toolUse.name, timeoutMs, partial, this.#work?.hasEffects ?? false))
  }

  #interrupt(reason: unknown): void {
    if (this.#stage === "settled") return
    const partial = this.#stage === "running" ? this.#collector?.output : undefined
    const cause = reason ?? new AgentScopeError({ code: "aborted", message: "The run was interrupted." })
    this.#giveUp(interrupted(partial, this.#work !== undefined, this.#work?.hasEffects ?? false, cause))
  }

  #giveUp(ending: Ending): void {
    if (this.#stage === "running") this.close(ending)
    // a postprocess hangs: without it, nothing of the tool's output may be seen
    else this.#settle(resultOf(this.toolUse, ending, this.#notes), ending)
  }

  /** Ends the call, unless it has ended. */
  close(ending: Ending): void {
    if (this.#stage !== "running") return
    this.#stage = "closing"
    if (ending.cause !== undefined) {
      this.#abortReason = ending.cause
      this.#controller?.abort(ending.cause)
    }
    const result = resultOf(this.toolUse, ending, this.#notes)
    const postprocess = this.#work?.postprocess
    if (postprocess === undefined || ending.state === "suspended") this.#settle(result, ending)
    else this.#change(result, postprocess, ending)
  }

  #change(result: ToolResultBlock, postprocess: Postprocess, ending: Ending): void {
    const { limit, timeoutMs } = this.#options
    const onChanged = (changed: ToolResultBlock | undefined): void =>
      this.#settle(limitedResult(changed ?? result, this.toolUse, limit), ending)
    const onFailure = (error: unknown): void => {
      const broken = failed(this.toolUse.name, error, undefined, limit)
      this.#settle(resultOf(this.toolUse, broken, this.#notes), broken)
    }
    try {
      const changed = postprocess(result, this.toolUse)
      if (!isThenable(changed)) return onChanged(changed)
      this.wait()
      this.#watch?.restart(timeoutMs)
      changed.then(onChanged).then(undefined, onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  #settle(result: ToolResultBlock, ending: Ending): void {
    if (this.#stage === "settled") return
    this.#stage = "settled"
    this.#watch?.stop()
    this.#result = result
    this.#tail = ending.tail
    const { span } = this.#options
    if (span) endSpan(span, this.toolUse, result, ending.cause)
    this.#feed?.finish(result.output, ending.tail ?? [])
    this.#resolve?.(result)
  }
}
