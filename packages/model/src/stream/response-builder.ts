import {
  addUsage,
  ambient,
  type ChatDelta,
  type ChatUsage,
  errorJson,
  isoNow,
  newId,
  type StopReason,
} from "@agentscope-ts/message"
import type { CallWarning, ChatContent, ChatResponse } from "../chat-response.ts"
import { BlockAssembler } from "./block-assembler.ts"
import type { RetryHooks } from "../retrying.ts"
import type { CallEnd, CallHead, CallSink, TracedAttributes } from "./call-sink.ts"
import type { ChatStreamSink } from "./chat-stream.ts"
import type { Gate } from "./gate.ts"

/** What a provider may leave out of its usage. */
const optionalFigures = ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const

/** Collects one call's answer and passes its deltas on: the sink that a provider fills. */
export class ResponseBuilder implements CallSink, RetryHooks {
  readonly streaming: boolean
  /** The model that answers: a fallback may put another in its place. */
  model: string
  /** When the call began, as ISO 8601; when the stream was made until then. */
  createdAt = isoNow()
  /** Whether something has come that a consumer may have seen: from then on nothing is tried again. */
  started = false
  /** Whether the provider has said how it ended. */
  finished = false
  usage: ChatUsage | undefined
  /** See {@link ToldUsage}. */
  cacheWriteLongTokens: number | undefined
  stopReason: StopReason = "interrupted"
  /** Given by a provider that parses the answer itself. */
  structured: unknown
  refusal: string | undefined
  /** The name of each tool that was sent under another one. */
  toolNames: ReadonlyMap<string, string> | undefined
  /** See {@link CallHead}. */
  traced: TracedAttributes | undefined
  /** Told when the answer begins. */
  onFirstChunk: (() => void) | undefined
  /** What every request passes, from the outermost on. */
  gates: readonly Gate[] | undefined
  /** What earlier answers of this call took, which did not do. */
  #before: ChatUsage | undefined
  #id = ""
  /** What was warned of; mostly nothing. */
  #warnings: CallWarning[] | undefined
  /** In milliseconds since 1970. */
  #startedAt: number | undefined
  /** After a failure or an abort: what still comes from the provider is no longer heard. */
  #closed = false
  #sink: ChatStreamSink | undefined
  #blocks: BlockAssembler
  readonly #onClose: (at: number, block: ChatContent) => void

  constructor(model: string, streaming: boolean) {
    this.model = model
    this.streaming = streaming
    // By a constant: V8 makes a function that is assigned to a property as it stands in old space, from where it would
    // keep the whole call in memory until the next full collection.
    const onClose = (at: number, block: ChatContent): void => this.#blockEnd(at, block)
    this.#onClose = onClose
    this.#blocks = this.#emptyBlocks()
  }

  #emptyBlocks(): BlockAssembler {
    const blocks = new BlockAssembler()
    blocks.onClose = this.#onClose
    return blocks
  }

  /** The provider's id once known, one of our own until then. */
  get id(): string {
    if (this.#id === "") this.#id = newId()
    return this.#id
  }

  get sink(): ChatStreamSink | undefined {
    return this.#sink
  }

  /** Sets the consumer; what has come before is told to it first. */
  attach(sink: ChatStreamSink): void {
    this.#sink = sink
    if (sink.gate) this.addGate(sink.gate)
    for (const warning of this.#warnings ?? []) sink.onWarning?.(warning)
    if (this.started) this.#blocks.replay((delta) => this.#pass(delta))
  }

  /** Puts a gate before every request; what it gives takes the gate away again. */
  addGate(gate: Gate): () => void {
    const before = this.gates
    this.gates = before ? [...before, gate] : [gate]
    return () => {
      this.gates = before
    }
  }

  /** The call to this model begins; one that follows after a failure keeps the time of the first. */
  start(model: string): void {
    this.model = model
    if (this.#startedAt !== undefined) return
    this.#startedAt = ambient().now()
    this.createdAt = isoNow()
  }

  begin({ id, usage, traced }: CallHead): void {
    if (this.#closed) return
    if (traced) this.traced = traced
    if (id) this.#id = id
    if (usage) this.usage = this.#usage(usage)
  }

  warn(code: string, message: string): void {
    if (this.#closed) return
    // of a request that is made again everything is said again
    if (this.#warnings?.some((warning) => warning.code === code && warning.message === message)) return
    const warning = { code, message }
    ;(this.#warnings ??= []).push(warning)
    this.#sink?.onWarning?.(warning)
  }

  emit(delta: ChatDelta): void {
    if (this.#closed || this.finished) return
    // an empty delta opens nothing: a block that stays empty is no block
    if ((delta.type === "text_delta" || delta.type === "thinking_delta") && delta.text === "") return
    if (!this.started) {
      this.started = true
      this.onFirstChunk?.()
    }
    const named = this.toolNames === undefined ? delta : renamed(delta, this.toolNames)
    const at = this.#blocks.add(named)
    if (named.type === "block_end") return
    this.#sink?.onDelta?.(at === named.index ? named : { ...named, index: at })
  }

  #pass(delta: ChatDelta): void {
    const sink = this.#sink
    if (sink === undefined) return
    sink.onDelta?.(delta)
    if (delta.type === "block_end" && delta.block.type === "tool_use") sink.onToolUse?.(delta.block)
  }

  #blockEnd(index: number, block: ChatContent): void {
    if (this.#sink) this.#pass({ type: "block_end", index, block })
  }

  finish(end: CallEnd): void {
    if (this.#closed) return
    this.begin(end)
    if (end.structured !== undefined) this.structured = end.structured
    if (end.refusal) this.refusal = end.refusal
    const cut = end.stopReason !== "stop" && end.stopReason !== "tool_use"
    this.finished = true
    const calls = this.#blocks.closeAll(cut)
    this.stopReason = end.stopReason === "stop" && calls ? "tool_use" : end.stopReason
  }

  #usage(given: NonNullable<CallEnd["usage"]>): ChatUsage | undefined {
    const { inputTokens, outputTokens, timeMs = this.#timeMs(), cacheWriteLongTokens } = given
    if (cacheWriteLongTokens !== undefined) this.cacheWriteLongTokens = cacheWriteLongTokens
    const before = this.usage
    const input = inputTokens ?? before?.inputTokens
    const output = outputTokens ?? before?.outputTokens
    if (input === undefined && output === undefined) return undefined
    const usage: { -readonly [K in keyof ChatUsage]: ChatUsage[K] } = {
      inputTokens: input ?? 0,
      outputTokens: output ?? 0,
      timeMs,
    }
    for (const key of optionalFigures) {
      const figure = given[key] ?? before?.[key]
      if (figure !== undefined) usage[key] = figure
    }
    return usage
  }

  #timeMs(): number {
    const now = ambient().now()
    return now - (this.#startedAt ?? now)
  }

  /** What has been said cannot be taken back. */
  mayRetry(): boolean {
    return !this.started && !this.finished
  }

  /** Another attempt follows: the consumer hears of it. */
  onRetry(attempt: number, delayMs: number, error: unknown): void {
    this.reset()
    this.#sink?.onRetry?.({ attempt, delayMs, error: errorJson(error) })
  }

  /** Forgets an attempt that failed before it said anything. */
  reset(): void {
    this.#closed = false
    this.#id = ""
    this.usage = undefined
    this.cacheWriteLongTokens = undefined
    this.structured = undefined
    this.refusal = undefined
    this.traced = undefined
  }

  /** Whether all that has come can be made void: nobody has seen it, or who did can be told so (`onRetry`). */
  get voidable(): boolean {
    const sink = this.#sink
    return !this.started || sink === undefined || sink.onRetry !== undefined || (!sink.onDelta && !sink.onToolUse)
  }

  /** Makes an answer void that was whole and did not do; what it took counts. */
  again(): void {
    this.#before = this.total
    this.reset()
    this.started = false
    this.finished = false
    this.stopReason = "interrupted"
    this.#blocks = this.#emptyBlocks()
  }

  /** What the call took, with the answers that did not do. */
  get total(): ChatUsage | undefined {
    const [before, usage] = [this.#before, this.usage]
    if (before === undefined || usage === undefined) return usage ?? before
    // the time is measured from the first request on
    return { ...addUsage(before, usage), timeMs: usage.timeMs }
  }

  /** Ends a call that failed: nothing that still comes is heard. */
  fail(aborted: boolean): void {
    // figures that were told on the way, with the time until now
    if (this.usage && !this.finished && !this.#closed) this.usage = { ...this.usage, timeMs: this.#timeMs() }
    this.#closed = true
    this.stopReason = aborted ? "interrupted" : "error"
  }

  response(): ChatResponse {
    const { id, model, createdAt, total: usage, stopReason, refusal } = this
    const content = this.#blocks.content()
    const answer = { id, model, createdAt, content, ...(usage && { usage }), stopReason, ...(refusal && { refusal }) }
    return this.#warnings ? { ...answer, warnings: [...this.#warnings] } : answer
  }
}

/** The delta with the tool's own name. */
function renamed(delta: ChatDelta, names: ReadonlyMap<string, string>): ChatDelta {
  if (delta.type === "tool_use_start") {
    const name = names.get(delta.name)
    return name === undefined ? delta : { ...delta, name }
  }
  if (delta.type !== "block_end" || delta.block.type !== "tool_use") return delta
  const name = names.get(delta.block.name)
  return name === undefined ? delta : { ...delta, block: { ...delta.block, name } }
}
