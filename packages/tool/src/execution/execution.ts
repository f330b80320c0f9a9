import {
  isThenable,
  AgentScopeError,
  ambient,
  type JsonObject,
  type JsonValue,
  type TapedCall,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { ChunkFeed } from "./chunk-feed.ts"
import { Collector } from "./collector.ts"
import { closeGenerator, isGenerator, type Yielding } from "./drain.ts"
import { type Ending, failed, interrupted, refused, resultOf, suspended, timedOut } from "./ending.ts"
import { failureText, jsonCopy } from "./json-text.ts"
import { isError } from "./is-error.ts"
import { misfit } from "./misfit.ts"
import { type Output, outputOf } from "./output.ts"
import type { Cut } from "./cut-output.ts"
import { limitedResult, type Postprocess } from "./postprocess.ts"
import { pull } from "./pull.ts"
import { endSpan } from "./span.ts"
import { suspensionOf } from "./suspension.ts"
import type { ToolChunk, ToolRun } from "./tool-run.ts"
import { Watch } from "./watch.ts"
import type { ExecutionOptions, Work } from "./work.ts"

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
  /** The result as it is when what was cut from it cannot be kept in time. */
  #cutResult: { readonly result: ToolResultBlock; readonly ending: Ending } | undefined
  /** Chunks that a postprocess still works on, and how much text of them was shown. */
  #chunks: Promise<void> | undefined
  #shown = 0
  /** The tool had begun, and was not waited for. */
  #wasGivenUp = false

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

  /** Hands progress on, as it is now: tools often change one object and report it again. Nothing once the call has ended. */
  report(data: JsonValue): void {
    if (this.#stage === "running") this.#deliver({ type: "progress", data: jsonCopy(data) as JsonValue })
  }

  #deliver(chunk: ToolChunk): void {
    this.#work?.taped?.onChunk(chunk)
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
    work.onStart?.()
    if (work.taped?.answer) this.#replay(work.taped.answer)
    else this.#attempt(work, 0)
  }

  /** Takes what a tape has of the call, in the place of running the tool. */
  #replay(answer: NonNullable<TapedCall["answer"]>): void {
    answer({
      onChunk: (chunk) => this.#stage === "running" && this.#deliver(chunk),
      onResult: (result, tail) => this.#settle(result, { ...result, ...(tail && { tail }) }),
      onLate: (outcome) => this.#late(outcome),
    })
    if (this.#stage === "running") this.wait()
  }

  #attempt(work: Work, attempt: number): void {
    const { span } = this.#options
    try {
      const { taped } = work
      const execute = taped ? () => taped.run(() => work.execute()) : () => work.execute()
      this.#accept(span ? span.run(execute) : execute(), work, attempt)
    } catch (error) {
      this.#failed(error, work, attempt)
    }
  }

  /** Takes what the tool returned, or what its promise came to; never throws. */
  #accept(value: unknown, work: Work, attempt: number): void {
    try {
      if (this.#stage !== "running") {
        if (isThenable(value))
          return void value.then(
            () => this.#late("returned"),
            () => this.#late("threw"),
          )
        if (isGenerator(value)) closeGenerator(value)
        this.#late("returned")
      } else if (isThenable(value)) {
        this.wait()
        value.then(
          (later) => this.#accept(later, work, attempt),
          (error: unknown) => this.#failed(error, work, attempt),
        )
      } else if (isGenerator(value)) this.#pull(value, work, attempt)
      else if (isError(value)) this.#failed(value, work, attempt)
      else this.#finish(value, work)
    } catch (error) {
      this.#failed(error, work, attempt)
    }
  }

  #pull(generator: Yielding, work: Work, attempt: number): void {
    // whoever changes the result sees all of it
    const { postprocess } = work
    const { span } = this.#options
    const { limit, spill } = this.#options
    const collector = new Collector(postprocess ? Number.POSITIVE_INFINITY : limit, spill !== undefined)
    this.#collector = collector
    const { taped } = work
    const next = (steps: Yielding) => (taped ? taped.run(() => steps.next()) : steps.next())
    pull(generator, {
      // the body of a generator runs in its steps, wherever they are asked for
      next: span ? (steps) => span.run(() => next(steps)) : next,
      isOpen: () => this.#stage === "running",
      wait: () => this.wait(),
      onYield: (value) => {
        if (this.#stage !== "running") return
        const added = collector.add(value)
        if (postprocess) this.#changeChunk(added, postprocess)
        else for (const data of added) this.#deliver({ type: "output", data })
      },
      onReturn: (value) => this.#accept(value === undefined ? collector : value, work, attempt),
      onError: (error) => this.#failed(error, work, attempt),
    })
  }

  /** Shows what was yielded as the postprocess has it, in order, and no more of it than a result can hold. */
  #changeChunk(output: ToolResultBlock["output"], postprocess: Postprocess): void {
    if (output.length === 0) return
    const { id, name } = this.toolUse
    const chunk = { type: "tool_result", id, name, output, state: "success", metadata: { partial: true } } as const
    const show = (changed: ToolResultBlock | undefined): void => {
      for (const data of (changed ?? chunk).output) {
        if (this.#stage === "settled") return
        if (data.type === "text") this.#shown += data.text.length
        if (this.#shown <= this.#options.limit) this.#deliver({ type: "output", data })
      }
    }
    try {
      const changed = postprocess(chunk, this.toolUse)
      if (!isThenable(changed) && this.#chunks === undefined) return show(changed)
      this.wait()
      this.#chunks = Promise.all([changed, this.#chunks]).then(([last]) => show(last))
      this.#chunks.catch((error: unknown) => this.#spoiled(error))
    } catch (error) {
      this.#spoiled(error)
    }
  }

  /** A postprocess that fails ends the call: nothing of the tool's output may be seen without it. */
  #spoiled(error: unknown): void {
    const broken = failed(this.toolUse.name, error, undefined, this.#options.limit)
    this.#abortReason ??= error
    this.#controller?.abort(error)
    this.#settle(resultOf(this.toolUse, broken, this.#notes), broken)
  }

  #finish(value: unknown, work: Work): void {
    const collector = value instanceof Collector ? value : undefined
    const limit = work.postprocess ? Number.POSITIVE_INFINITY : this.#options.limit
    const { state = "success", ...output } = collector ? collector.output : outputOf(value, limit)
    if (state === "suspended") {
      return this.close(suspended(work.toolUse, textOf({ content: output.output })))
    }
    const problem = state === "success" && work.validateOutput && misfit(collector ?? value, work.validateOutput)
    if (!problem) return this.close({ state, ...output })
    const message = `The tool "${this.toolUse.name}" answered with a value that does not fit its output schema: ${problem}.`
    this.close(refused("invalid_output", message))
  }

  /** What a tool still says after it was given up is dropped; that it ended is told, once. */
  #late(outcome: "returned" | "threw"): void {
    if (!this.#wasGivenUp) return
    this.#wasGivenUp = false
    this.#work?.taped?.onLate(outcome)
    this.#options.onLate?.(outcome)
  }

  #failed(error: unknown, work: Work, attempt: number): void {
    if (this.#stage !== "running") return this.#late("threw")
    const suspension = suspensionOf(error)
    if (suspension) return this.close(suspended(work.toolUse, suspension.reason, suspension.metadata))
    const repeats = attempt < work.maxRetries && (!AgentScopeError.is(error) || error.retryable)
    // what was shown cannot be taken back
    if (!repeats || this.#collector?.empty === false) {
      return this.close(failed(this.toolUse.name, error, this.#partial(), this.#options.limit))
    }
    this.#collector = undefined
    void this.#repeat(work, attempt + 1)
  }

  async #repeat(work: Work, attempt: number): Promise<void> {
    this.wait()
    const delay = Math.min(500 * 2 ** attempt, 10_000) * (0.5 + ambient().random() / 2)
    try {
      await ambient().sleep(delay, this.signal)
    } catch {
      // the call ended meanwhile
    }
    if (this.#stage === "running") this.#attempt(work, attempt)
  }

  /** What the tool yielded, as long as it may be seen. */
  #partial(): Output | undefined {
    return this.#stage !== "running" || this.#collector?.empty ? undefined : this.#collector?.output
  }

  #onTimeout(): void {
    const { timeoutMs } = this.#options
    this.#giveUp(timedOut(this.toolUse.name, timeoutMs, this.#partial(), this.#work?.effects ?? "none"))
  }

  #interrupt(reason: unknown): void {
    if (this.#stage === "settled") return
    const cause = reason ?? new AgentScopeError({ code: "aborted", message: "The run was interrupted." })
    this.#giveUp(interrupted(this.#partial(), this.#work !== undefined, this.#work?.effects ?? "none", cause))
  }

  #giveUp(ending: Ending): void {
    if (this.#stage === "running") {
      this.#wasGivenUp = true
      const told = this.#work?.taped?.givenUp?.()
      return told ? this.#settle(told, { ...told, cause: ending.cause }) : this.close(ending)
    }
    // a postprocess hangs: without it, nothing of the tool's output may be seen; but what only waits to be kept may
    const cut = this.#cutResult
    if (cut) this.#settle(cut.result, cut.ending)
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
    if (postprocess === undefined || ending.state === "suspended") this.#conclude(result, ending, ending.cut)
    else this.#change(result, postprocess, ending)
  }

  #change(result: ToolResultBlock, postprocess: Postprocess, ending: Ending): void {
    const { limit } = this.#options
    const onChanged = (changed: ToolResultBlock | undefined): void => {
      const limited = limitedResult(changed ?? result, this.toolUse, limit)
      // the last words are in the result, as they were changed
      const { tail: _, ...rest } = ending
      this.#conclude(limited.result, rest, limited.cut)
    }
    const make = (): ReturnType<Postprocess> => postprocess(result, this.toolUse)
    this.#later(
      () => (this.#chunks ? this.#chunks.then(make) : make()),
      onChanged,
      (error) => this.#spoiled(error),
    )
  }

  /** Keeps what was cut from the output, where somebody does. */
  #conclude(result: ToolResultBlock, ending: Ending, cut: Cut | undefined): void {
    const { spill, agent } = this.#options
    if (!cut || !spill || this.#stage === "settled") return this.#settle(result, ending)
    this.#cutResult = { result, ending }
    const withWords = (words: string | undefined, whole?: string): void => {
      const truncated = { ...(result.metadata?.["truncated"] as JsonObject), ...(whole !== undefined && { whole }) }
      const metadata = { ...result.metadata, truncated }
      this.#settle({ ...result, output: cut.output(words), metadata }, ending)
    }
    this.#later(
      () => spill(cut.text, { toolUse: this.toolUse, ...(agent && { agent }) }),
      (whole) => withWords(whole && `All of it: ${whole}`, whole),
      (error) => withWords(`All of it could not be kept: ${failureText(error)}`),
    )
  }

  /** Goes on with what somebody else makes of the result, who has the time limit for it. */
  #later<T>(make: () => T | PromiseLike<T>, onDone: (made: T) => void, onFailure: (error: unknown) => void): void {
    try {
      const made = make()
      if (!isThenable(made)) return onDone(made)
      this.wait()
      this.#watch?.restart(this.#options.timeoutMs)
      made.then(onDone).then(undefined, onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  #settle(result: ToolResultBlock, ending: Ending): void {
    if (this.#stage === "settled") return
    this.#stage = "settled"
    this.#watch?.stop()
    this.#result = result
    this.#work?.taped?.onResult(result, ending.tail)
    this.#cutResult = undefined
    this.#tail = ending.tail
    const { span } = this.#options
    if (span) endSpan(span, this.toolUse, result, ending.cause)
    this.#feed?.finish(result.output, ending.tail ?? [])
    this.#resolve?.(result)
  }
}
